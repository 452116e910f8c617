"""Foreign calls while tracing: made on the values of the call that is traced, and recorded as steps of the graph."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import TracefnError, UnsupportedFunctionError, message
from ...ir.dims import Dim
from ...ir.graph import Node
from ...ir.op import ITEM, by_name
from ...ir.types import Kind
from .. import provided
from ..active import current
from ..context import Trace
from ..libraries import dotted_name, is_foreign_value, is_pure, is_standard
from ..of_the_moment import is_of_the_moment
from ..origin import user_source, where
from ..state.lent import held_parts, lent_arrays, lent_containers
from ..tensor import Tensor
from ..values.symbolic_int import SymbolicInt
from ..values.traced_text import Text
from .allowed import check_objects, check_place, check_writes, is_operator, objects_around, refuse, stay
from .arguments import Arguments, holds_traced
from .kept import GivenTuples, callers, refuse_owners
from .pending import pending_in, written_in
from .proxy import Foreign
from .reach import Reach, Unfollowed
from .results import Results
from .states import state_of
from .step import Recorded, Step
from .surroundings import RandomStates, outside_of_traces, with_warnings
from .undo import NestedContents, is_indexer, remember, stays_as_it_is
from .values import Values, values_of

MOST_STEPS = 1000
"""Of a trace: a loop with more rounds runs eagerly, which is no slower than as many steps."""

MOST_REACHED = 50_000
"""The limit of the user's objects that all steps of a trace reach, each time that a step does: half a second."""


class RefusedInTry(BaseException):
    """Ends the trace inside a `try` of the traced code, which must not catch it: for a refusal, or an error that a
    step may raise at one call and not at another."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def call(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    name: str = "",
    reads: bool = False,
    changes: bool = False,
    raw: bool = False,
    foreseen: Any = None,
) -> Any:
    """The result of a foreign function, as a step of the graph.

    `name` is its name in graphs and messages. `reads`: it certainly changes nothing. `changes`: it may change the
    object that is its first argument. `raw`: the Tensor of an object, and not the stand-in for the object. `foreseen`:
    a result that the trace goes on with; the function itself is called by the first run.
    """
    trace = current()
    if trace is None:
        return function(*args, **kwargs)
    name = name or dotted_name(function)
    try:
        return _recorded(trace, function, args, kwargs, name, reads, changes, raw, foreseen)
    except Exception as error:
        if trace.attempts and (isinstance(error, TracefnError | StopIteration) or _is_caught(trace, error)):
            if isinstance(error, StopIteration):  # no generator lets it pass
                what = f"`{name}` finds nothing more in a `try` of the traced code"
                error = UnsupportedFunctionError(message(what, where(user_source(3)), "Loop over it with `for`."))
            raise RefusedInTry(error) from error
        raise


def _is_caught(trace: Trace, error: Exception) -> bool:
    """True for an error that a `try` of the traced code is there for."""
    return any(around.catches((type(error),)) is not None for around in trace.attempts)


def is_step(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """False for calls that are made while tracing alone: of functions of the standard library that are given no traced
    values, and are not known to be pure."""
    if is_pure(function) or is_of_the_moment(function) or not is_standard(function):
        return True
    return holds_traced((args, kwargs))


def _recorded(
    trace: Trace,
    function: Any,
    args: Any,
    kwargs: Any,
    name: str,
    reads: bool,
    changes: bool,
    raw: bool,
    foreseen: Any,
) -> Any:
    check_writes(name, kwargs)
    if function is setattr and type(args[2]) is Tensor and trace.root.outside.written(args[2]) is not None:
        refuse(name, "is given an array that is written before, and keeps it", "Write into a copy.")
    pure = reads or is_pure(function) or is_operator(function, args) or (changes and is_pure(args[0].known))
    if trace.root.leaves_nothing and not pure:
        refuse(name, "may have effects, and this trace must leave none", "Call the traced function.")
    if args and type(args[0]) is Foreign and args[0].is_outside and isinstance(args[0].known, io.IOBase):
        refuse(name, "reads or writes a file from outside, which a trace cannot take back", "Pass its contents.")
    given = Arguments(trace, args, kwargs)
    nodes = [trace.node_of(t) for t in given.tensors]
    in_body = bool(getattr(trace, "depth", 0))
    if in_body:
        check_place(given, nodes, pure, name)
        if trace.root.value_now is not None and trace.root.inlines_calls:  # round by round, its derivative has values
            refuse(name, "has no derivative in a loop of the graph", "Write a Python loop.")
    values = values_of(trace)
    real = values.of(trace, nodes)
    if in_body and not reads:
        check_objects(given, nodes, real, name, kwargs)
    generators = [i for i, n in enumerate(nodes) if n.type.kind.is_random]
    changes = changes and type(args[0]) is Foreign and (args[0].is_outside or is_indexer(args[0].known))
    if changes:
        remember(values.undo, args[0].known, name, kwargs)
        values.changes = True
    around = [] if reads or changes else [v for v in objects_around(given, nodes, real) if is_foreign_value(v)]
    touched = [v for v in around if not stays_as_it_is(v, name, kwargs)]
    for held in touched:  # any function may change an object that it is given, and this call may come to nothing
        remember(values.undo, held, name, kwargs)
    touches = bool(touched) and not (pure and not given.is_shared) and not in_body
    values.changes = values.changes or touches
    made = _tried if in_body else _made
    may_fold = pure and not nodes and not given.is_located
    called = function if foreseen is None else lambda *args, **kwargs: foreseen
    returned, states, warned = with_warnings(lambda: made(trace, values, called, given, real, name), may_fold)
    warns = may_fold and bool(warned)
    if warns and not in_body:  # a step, which warns at each call as the filters then say
        returned, states, warned = with_warnings(lambda: made(trace, values, called, given, real, name), False)
    if isinstance(returned, io.IOBase) and is_of_the_moment(function):
        values.undo.append(returned.close)  # a trace that is given up leaves no file open
    if values.is_uncertain and (generators or states is not None):
        refuse(name, "draws random numbers after a branch or loop that has effects", "Draw them before.")
    advances = hasattr(function, "undo")  # an iterator, which keeps its items to put them back, and sees loans itself
    lent = set() if advances else lent_arrays(returned)
    objects = [] if raw else [*real, *[refer() for refer in given.outside]]
    varies = Varies(_key(name))
    results = Results(returned, objects, _lengths(values, nodes), varies)
    makes_objects = any(type(v) is not np.ndarray and _is_object(v) for v in results.flat)
    if given.gives_callers and not pure and (given.has_objects or makes_objects):
        refuse(name, "may keep a list, dict or set of the caller", "Give it a copy: `list(items)`, `dict(items)`.")
    if given.kept:
        refuse_owners(name, [*real, *[refer() for refer in given.outside]], given.kept)
    impure = not pure or makes_objects or bool(generators) or states is not None
    impure = impure or given.has_objects or given.is_shared
    if may_fold and not impure and not warns:
        return results.rebuild(iter([_constant(trace, v) for v in results.flat]), ())
    comes_late = bool(len(trace.root.journal) or len(trace.journal) or trace.root.outside.updates())
    bails_out = comes_late or bool(trace.attempts)
    lasts = not pure or changes or bool(generators) or states is not None
    lasts = lasts or not (reads or stay(given, nodes, real, name, kwargs))
    step = Step(function, given, results, name, values.checkpoint, bails_out, changes, touches, lasts)
    if trace.root.inlines_calls and not reads:
        step.variables = _variables(given, real)
    values.changes |= advances
    if not in_body and foreseen is None:
        step.recorded = Recorded(tuple(results.flat), states, [(i, state_of(real[i])) for i in generators], warned)
    values.steps.append(step)
    checked = [SymbolicInt(dim, trace) for dim in results.checked]
    op = by_name("foreign" if impure else "foreign_pure")
    made = trace.record(op, (step, *checked, *given.tensors, *[v.value() for v in step.variables]), {})
    _note_values(trace, values, results, made)
    _keep(given, real, results, made, lent)
    outputs = [t if raw else _public(t, v) for t, v in zip(made, results.flat, strict=True)]
    results.flat.clear()
    trace.root.kept += given.kept
    proxies, given.proxies, given.made_of, given.kept = given.proxies, [], (), []
    found = results.rebuild(iter(outputs), [*map(_argument, given.tensors, real), *proxies])
    _lend(trace, lent_containers(returned, found, trace.root.is_of_library))
    return found


def _lend(trace: Trace, containers: Iterable[Any]) -> None:
    """Notes the lists, dicts and sets that stand for those which the library holds."""
    trace.root.lent.update({id(container): container for container in containers})


def _is_object(value: Any) -> bool:
    return not isinstance(value, bool | int | float | complex | str | np.generic)


def _constant(trace: Trace, value: Any) -> Any:
    """A result that is the same at each call. An array is one that the function may write into."""
    if type(value) is not np.ndarray:
        return value
    return Tensor(trace.value_node_of_constant(value), trace, owned=True)


def _argument(tensor: Tensor, value: Any) -> Any:
    """The stand-in for an argument that a call gives back."""
    return Foreign(tensor) if tensor._node.types[0].kind is Kind.OBJECT else tensor


def _public(tensor: Tensor, value: Any) -> Any:
    """The stand-in for an output in user code."""
    found = tensor._node.types[0]
    if found.kind is Kind.OBJECT:
        return Foreign(tensor)
    return Text(tensor) if type(value) is str else tensor


def _made(
    trace: Trace, values: Values, function: Any, given: Arguments, real: Sequence[Any], name: str
) -> tuple[Any, RandomStates | None]:
    """Calls the function. (its result, the random states that it left or None)."""
    if len(values.steps) >= MOST_STEPS:
        refuse(
            name, f"would be step {MOST_STEPS + 1} of the graph", "Call it in fewer rounds, or work on whole arrays."
        )
    arrays = {id(v): v for v in real if type(v) is np.ndarray}
    before = {key: v.tobytes() for key, v in arrays.items()}
    settings: Any = trace.error_handling.now()
    errors = np.errstate(**dict(settings)) if settings else contextlib.nullcontext()
    around = RandomStates.now()
    copy = values.global_state()
    args, kwargs = given.fill(tuple(real))
    held, reach = NestedContents((args, kwargs)), _reach(trace, given, args, kwargs, name)
    tuples = GivenTuples(given.tuples)
    start = around if copy is None and values.random is None else _enter(values, copy)
    changed, is_written, is_changed = "", False, False
    try:
        with outside_of_traces(), errors:
            returned = function(*args, **kwargs)
    finally:  # the eager call raises its errors as well, and begins with the state from before
        if reach is not None:
            changed = reach.put_back()
        is_written, is_changed = _put_back(arrays, before), held.put_back()
        after = RandomStates.now()
        if not after.equals(around):
            around.set()
    if is_written:
        refuse(name, "writes into an array that it is given", "Call it outside of the traced function.")
    if changed:
        refuse(name, f"calls a function back that changes `{changed}`", "Return the new value.")
    if is_changed:
        refuse(name, "changes a list or dict that it is given", "Call it outside of the traced function.")
    del held, reach  # which hold the arguments, too
    made_of, kept = iter(given.made_of), list[tuple[Any, Any]]()
    for filled in (args, kwargs.values()) if given.made_of else ():
        kept += held_parts(filled, made_of, tuples=True)
    _lend(trace, [of for _, of in kept if not isinstance(of, tuple)])
    given.kept = callers(trace, kept) + tuples.kept()
    if after.equals(start):
        return returned, None
    values.random = after
    if copy is not None and after.of_numpy is not None:
        copy.set_state(after.of_numpy)
    return returned, after


def _put_back(arrays: dict[int, Any], before: dict[int, bytes]) -> bool:
    """Gives arrays the content that they had before. True where one had another."""
    written = [key for key, array in arrays.items() if array.tobytes() != before[key]]
    for key in written:
        arrays[key][...] = np.frombuffer(before[key], arrays[key].dtype).reshape(arrays[key].shape)
    return bool(written)


def _reach(trace: Trace, given: Arguments, args: Any, kwargs: Any, name: str) -> Reach | None:
    """The user's objects that the function reaches, as they are now. Refuses those that the trace has changed: their
    real state is the old one."""
    try:
        reach = given.reach(args, kwargs)
    except Unfollowed as found:
        refuse(name, f"calls a function back, or is given an object, that reaches {found}", "Call it outside.")
    if reach is not None:
        values = values_of(trace)
        values.reached += len(reach.seen)
        if values.reached > MOST_REACHED and trace.root.may_fall_back:
            what = f"and the steps before it reach more than {MOST_REACHED} objects, which are compared around each"
            refuse(name, what, "Give it functions and objects that hold less, or call it outside.")
    objects = [v for v in (*args, *kwargs.values()) if given.has_objects and is_foreign_value(v)]
    if shared := written_in(trace, objects):
        refuse(name, f"may use the memory of {shared}, which is written before", "Write into a copy.")
    if reach is not None and (pending := pending_in(trace, reach, given.defined)):
        refuse(name, f"may use `{pending}`, which the traced function changes before", "Give it the values themselves.")
    return reach


def _variables(given: Arguments, real: Sequence[Any]) -> list[Any]:
    """The trainable Variables that a function may read which is called back: derivatives are asked by them."""
    reach = given.reach(*given.fill(tuple(real)))
    return [] if reach is None else [v for v in reach.variables if v.trainable and v.dtype.kind in "fc"]


def _tried(
    trace: Trace, values: Values, function: Any, given: Arguments, real: Sequence[Any], name: str
) -> tuple[Any, None]:
    """The same in a branch or loop. The call must have no visible effect."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")  # the call around it keeps them
            returned, states = _made(trace, values, function, given, real, name)
    except TracefnError:
        raise
    except Exception as error:
        refuse(name, f"raises {type(error).__name__} in a branch or loop, which may run or not", "Call it outside.")
    if states is not None:
        refuse(name, "draws random numbers in a branch or loop", "Draw them before.")
    return returned, None


def _enter(values: Values, copy: Any) -> RandomStates:
    """Sets the random states as they are at this point of the program. Returns them."""
    if values.random is not None:
        values.random.set()
    start = RandomStates.now()
    if copy is not None:
        start.of_numpy = copy.get_state(legacy=False)
        start.set()
    return start


def _lengths(values: Values, nodes: Sequence[Node]) -> Callable[[int], Any]:
    """Which open length a length of a result is: that of an argument, or one more or less."""
    known: dict[int, Any] = {}
    dims = [n for node in nodes if node.container is None for n in node.type.shape if isinstance(n, Dim)]
    for shift in (0, -1, 1):
        for dim in dims:
            known.setdefault(dim.value(values.symbols) + shift, dim + shift if shift else dim)
    for left in dims:
        for right in dims:
            known.setdefault(left.value(values.symbols) + right.value(values.symbols) - 1, left + right - 1)
    return lambda length: known.get(length, length)


_VARYING: set[Any] = set()
"""Lengths of results that were seen to differ from call to call: (line and function, output, axis)."""


class Varies:
    """Whether lengths of the results of one call in the user's code differ from call to call."""

    def __init__(self, key: Any) -> None:
        self._key = key

    def __call__(self, output: int, axis: int) -> bool:
        return (self._key, output, axis) in _VARYING

    def note(self, output: int, axis: int) -> None:
        _VARYING.add((self._key, output, axis))


def _key(name: str) -> Any:
    return name, user_source(4)


def _note_values(trace: Trace, values: Values, results: Results, made: Any) -> None:
    """Enters the step's result, so that it is not made again."""
    node = next((n for n in reversed(trace.nodes) if n.op is not ITEM), None)
    assert node is not None
    values.put(node, tuple(results.flat))
    for tensor, value in zip(made, results.flat, strict=True):
        values.put(tensor._node, value)


def _keep(given: Arguments, real: Sequence[Any], results: Results, made: Any, lent: set[int]) -> None:
    """Forbids writes into arrays that may share memory: results that are views, or that are held elsewhere (`lent`),
    and arguments that a result shows or that an object may keep."""
    keeps = given.has_objects or any(t._node.types[0].kind is Kind.OBJECT for t in made)
    for tensor, value in zip(given.tensors, real, strict=True):
        if type(value) is np.ndarray:
            shown = [v for v in results.flat if type(v) is np.ndarray and np.may_share_memory(v, value)]
            if keeps or shown:
                base = tensor if tensor._base is None else tensor._base
                base._held = True
    for tensor, value in zip(made, results.flat, strict=True):
        if type(value) is np.ndarray and not (value.base is None and value.flags.owndata and value.flags.writeable):
            tensor._owned = not given.has_objects and value.flags.writeable and not _shows(value, real)
        if id(value) in lent:
            tensor._owned = False


def _shows(value: Any, real: Sequence[Any]) -> bool:
    return any(type(v) is np.ndarray and np.may_share_memory(v, value) for v in real)


provided.call_foreign = call
