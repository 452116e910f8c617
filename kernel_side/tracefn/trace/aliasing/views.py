"""Views while tracing: which Tensors show the memory of which array.

A graph has values and no memory. An array that the function makes, is given or finds outside is a *base*. A view knows
its base and the path of steps that lead to it (slices, transpositions …); a read after its base was written
into gets the path from the base's value then.
"""

from __future__ import annotations

import dataclasses
import weakref
from typing import TYPE_CHECKING, Any

from ...errors import InPlaceWriteError, message
from ...ir.graph import Node
from ...ir.op import Op, by_name
from ...ir.template import PLAIN
from ...ir.types import Kind, TensorType
from ...ops.einsum import is_view as einsum_is_view
from ...ops.einsum import operand_first
from .. import provided
from ..origin import user_source, where
from ..tensor import Tensor
from .contiguous import is_contiguous
from .layout import CERTAIN, stand_in

if TYPE_CHECKING:
    from ..context import Trace

FLATTEN = by_name("flatten")

CONTIGUOUS = frozenset(["reshape", "ravel", "ascontiguousarray"])
"""The ops whose results are views of arrays that are contiguous in C order."""


def connect(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], viewed: Tensor, made: Tensor, output: Any) -> None:
    """Makes `made`, output number `output` of a call (None: the only one), a view of `viewed`, its first argument."""
    base = viewed._base if viewed._base is not None else viewed
    if op.name == "einsum":
        args = operand_first(args)
    is_view = None if viewed is not args[0] else _is_view(op, args, kwargs, viewed)
    if is_view is False:
        made._owned = True
        if not made._node.kwargs and op.name in ("ravel", "reshape"):
            made._node = _of_copy(made._trace, made._node)
        return
    base._is_viewed_by(made)
    if is_view is None:
        doubt(made, base)
        return
    step: tuple[Any, ...] = (op.name, _fixed(args[1:]), tuple([(k, _fixed(v)) for k, v in kwargs.items()]))
    made._base = base
    made._path = (*viewed._path, step) if output is None else (*viewed._path, step, ("item", output))
    made._seen = base._node


ITSELF = frozenset(["atleast_1d", "atleast_2d", "atleast_3d", "real", "squeeze"])
"""The ops that give their argument itself, no view of it, where they have nothing to change."""


def is_argument(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], given: Tensor, made: Node) -> bool:
    """True where a call gives the array that it was given."""
    if op.name not in ITSELF and op.name != "ascontiguousarray":
        return False
    if given._node.type != made.type or given._node.type.kind is not Kind.ARRAY:
        return False
    if op.name == "squeeze":
        return kwargs.get("axis") is None and args[1:] in ((), (None,))
    return op.name in ITSELF or _is_view(op, args, kwargs, given) is True


def _of_copy(trace: Trace, node: Node) -> Node:
    """Makes of the last node of a trace, a `ravel` or `reshape`, one with an array of its own."""
    flat = TensorType(node.type.dtype, (node.type.size,), node.type.kind)
    made = [dataclasses.replace(node, op=FLATTEN, args=node.args[:1], types=(flat,))]
    if node.op.name == "reshape":
        made.append(dataclasses.replace(node, inputs=(made[0],)))
    trace.nodes[-1:] = made
    return made[-1]


def _is_view(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], viewed: Tensor) -> bool | None:
    """True where the result is certainly a view, False where it is a copy, None where that is not known."""
    if op.name == "imag":  # of real numbers NumPy makes zeros
        return viewed.dtype.kind == "c"
    if op.name == "einsum":
        return einsum_is_view(args, kwargs)
    if op.name == "lib.stride_tricks.sliding_window_view" and kwargs.get("writeable"):
        return None  # else it is read-only
    if op.name == "diag":
        return True if viewed.ndim == 2 else None
    if op.name not in CONTIGUOUS:
        return True if op.name in CERTAIN else None
    if op.name == "reshape" and viewed.ndim < 2 and not kwargs.get("copy"):
        return True
    if op.name == "ascontiguousarray" and (kwargs or args[1:] or not viewed.ndim):
        return None
    if not viewed._path and kwargs.get("order", "C") == "C" and not kwargs.get("copy") and is_contiguous(viewed):
        return True
    lies = stand_in(viewed)
    if lies is None:
        return None
    if op.name == "ascontiguousarray":
        is_view: bool | None = bool(lies.flags.c_contiguous)
    elif op.name == "ravel":
        is_view = bool(lies.flags.c_contiguous) if kwargs.get("order", "C") == "C" else None
    else:
        is_view = _is_reshaped_as_view(lies, args, kwargs)
    return None if is_view and _runs_backwards(viewed) else is_view


def _is_reshaped_as_view(lies: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        lies.reshape(*args[1:], **{**kwargs, "copy": False})
    except ValueError:
        return False
    return not kwargs.get("copy")


def _runs_backwards(viewed: Tensor) -> bool:
    """True where the base has an axis of negative stride. Copies of it, into which writes go that may be taken back,
    have none: there, other parts are contiguous."""
    base = stand_in(viewed if viewed._base is None else viewed._base)
    return base is None or any(stride < 0 for stride in base.strides)


def is_view_of_some(trace: Trace, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """True for a call that gives a view of some of the arrays that its argument may be, and a copy of others."""
    viewed = args[0] if args else None
    if op.name not in CONTIGUOUS or type(viewed) is not Tensor:
        return False
    base = viewed if viewed._base is None else viewed._base
    if base._choice is None:
        return False
    trace.node_of(viewed)
    return _is_view(op, args, kwargs, viewed) is None


def _fixed(value: Any) -> Any:
    """An argument of a view as it is now: its content may change later."""
    kind = type(value)
    if kind is Tensor:
        return Tensor(value._trace.node_of(value), value._trace, owned=False) if value._base is None else value
    if kind is slice:
        parts = (value.start, value.stop, value.step)
        return value if PLAIN.issuperset(map(type, parts)) else slice(*map(_fixed, parts))
    if kind is tuple or kind is list:
        return kind([_fixed(v) for v in value])
    return value


def refresh(trace: Trace, tensor: Tensor) -> None:
    """Makes a view, or a choice between arrays, stand for its present value in this trace."""
    base = tensor._base
    if (chosen := tensor if base is None else base)._choice is not None:
        provided.read_choice(trace, chosen)
    if base is None or (tensor._seen is base._node and is_around(tensor._trace, trace)):
        return
    node = trace.node_of(base)
    value: Any = Tensor(node, trace, owned=True)
    for name, *step in tensor._path:
        value = value[step[0]] if name == "item" else trace.record(by_name(name), (value, *step[0]), dict(step[1]))
    tensor._node, tensor._trace, tensor._seen = value._node, trace, base._node
    trace.refreshed.append(weakref.ref(tensor))


def roots(tensor: Tensor) -> list[Tensor]:
    """The arrays whose memory it may show: its base, or its options."""
    base = tensor if tensor._base is None else tensor._base
    if base._choice is None:
        return [base]
    found: dict[int, Tensor] = {}
    seen: set[int] = set()
    waiting = [base]
    while waiting:
        array = waiting.pop()
        array = array if array._base is None else array._base
        if array._choice is None:
            found[id(array)] = array
        elif id(array) not in seen:
            seen.add(id(array))
            waiting += array._choice.options
    return list(found.values())


class WritesCarried(BaseException):
    """Ends the tracing of a loop's body that writes into `tensor`, which stands for a variable of unknown
    memory: the body is traced again with the array of before the loop in its place."""

    def __init__(self, tensor: Tensor) -> None:
        super().__init__()
        self.tensor = tensor

    def refusal(self) -> InPlaceWriteError:
        """The refusal of a loop that cannot be traced so."""
        what = f"{self.tensor.describe()} is used or written into, and its aliases are not known"
        return InPlaceWriteError(message(what, where(user_source(4)), "Make a copy, before you write: `v = v.copy()`."))


def refuse_carried(tensor: Tensor) -> None:
    """Has a loop's body traced again where a Tensor stands for a variable: see `WritesCarried`."""
    if any(tensor is carried for carried in getattr(tensor._trace, "carried", ())):
        raise WritesCarried(tensor)


def doubt(tensor: Tensor, base: Tensor) -> None:
    """Notes that a Tensor may show the memory of a base, and of all that this may show."""
    tensor._doubts = {id(root): (root, root._node) for root in roots(base)} | base._doubts | tensor._doubts


def check_doubts(tensor: Tensor) -> None:
    """Raises `InPlaceWriteError` for a Tensor that may be a view, or a copy, of an array that was written into
    since."""
    for base, node in tensor._doubts.values():
        if base._node is not node:
            refuse_carried(tensor)
            written = Tensor(node, base._trace, owned=False).describe()
            raise InPlaceWriteError(
                message(
                    f"{tensor.describe()} is used after {written} was written into, and whether the two share memory "
                    "is not known",
                    where(user_source(4)),
                    "Make a copy, before you write: `v = v.copy()`.",
                )
            )


def is_read_only(tensor: Tensor) -> bool:
    """True for read-only views, and for the zeros that are the imaginary part of reals."""
    is_zeros = tensor._base is None and tensor._node.op.name == "imag"
    return is_zeros or any(step[0] != "item" and by_name(step[0]).read_only for step in tensor._path)


def is_around(outer: Trace, trace: Any) -> bool:
    """True if `trace` is this trace or inside it."""
    while trace is not None:
        if trace is outer:
            return True
        trace = getattr(trace, "parent", None)
    return False


provided.refresh = refresh
