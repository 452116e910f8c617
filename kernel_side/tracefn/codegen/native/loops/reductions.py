"""Sums and the like in loop kernels, and products of small matrices, which are sums of products."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ....ir.graph import Node
from ....ir.template import Ref
from ..fusion.lowering import lowering
from ..fusion.reduction import gives_position
from ..scalar.emitter import DType, castable, llvm_type
from .argextrema import Positions, is_search
from .arrays import Array, Memory, dense_strides, is_array, may_overlap
from .checked import Unfit
from .elements import size_of
from .nests.folds import reduces
from .nests.nest import Fold, Step
from .nests.nest import Value as Element
from .nests.pending import Group, Pending, aligned, broadcast
from .scalars import Number
from .scatter import is_scatter

SMALL = 1 << 15
"""Multiplications up to which a matrix product is computed here; larger ones are left to the BLAS. Products with
vectors may have twice as many in loops."""


class Sums(Positions):
    """Emits reductions of arrays to numbers or smaller arrays."""

    def array_node(self, node: Node) -> bool:
        """Emits a node that makes, views or reduces an array. False where it is none of these."""
        name = node.op.name
        if node.container is not None or node.op.style == "control":
            return False
        if node.op.style == "write":
            return False
        if node.op.fills is not ...:
            self._fill(node)
        elif (emit := _MAKERS.get(name)) is not None:
            emit(self, node)
        elif name == "linalg.norm" and not is_array(node):
            self._norm(node)
        elif gives_position(node):
            self.first_extremum(node)
        elif is_search(node):
            self.search(node)
        elif (found := reduces(node)) is not None:
            self._reduce(node, *found)
        elif not is_array(node):
            return False
        elif name == "getitem_mask" and isinstance(node.args[1], Ref):
            self.pick(node)
        elif (emit := _GATHERS.get(name)) is not None:
            emit(self, node)
        elif node.op.view is True and isinstance(node.args[0], Ref):
            self._view(node)
        else:
            self._compute(node)
        return True

    def _reduce(self, node: Node, rule: str, axes: tuple[int, ...], through: DType, is_mean: bool) -> None:
        group, (element,) = self._elements(node, [node.args[0]])
        if isinstance(element, Number):
            raise Unfit("a fold of a number")
        self.is_exact &= node.type.dtype.kind != "f" or rule in ("maximum", "minimum")
        if rule in ("maximum", "minimum") or is_mean:  # of nothing there is none
            for axis in axes:
                if group.lengths[axis] == "0":
                    raise Unfit("a fold of nothing")
                if not group.lengths[axis].isdigit():
                    self.e.leave_if(self.e.do(f"icmp eq i64 {group.lengths[axis]}, 0"))
        reduced = frozenset(axes)
        if group.folds and group.reduced != reduced:
            self.flush()
            group, (element,) = self._elements(node, [node.args[0]])
        if not castable(element.dtype, through):
            raise Unfit(f"{element.dtype} as {through}")
        self._fold(node, group, element, rule, reduced, through, is_mean)

    def _fold(
        self,
        node: Node,
        group: Group,
        element: Element,
        rule: str,
        reduced: frozenset[int],
        through: DType,
        is_mean: bool,
    ) -> None:
        lengths = tuple([n for a, n in enumerate(group.lengths) if a not in reduced])
        bounds = tuple([n for a, n in enumerate(group.bounds) if a not in reduced])
        dtype = node.type.dtype
        if is_array(node):
            kept = [a for a in range(len(group.lengths)) if a not in reduced]
            made = self._made(node, lengths, bounds)
            strides = ["0"] * len(group.lengths)
            for axis, stride in zip(kept, made.strides, strict=True):
                strides[axis] = stride
            if node.type.ndim != len(kept):  # axes of length 1 are kept
                own = iter(lengths)
                shape = tuple(["1" if a in reduced else next(own) for a in range(len(group.lengths))])
                most = tuple([1 if a in reduced else b for a, b in enumerate(group.bounds)])
                result = dataclasses.replace(
                    made, lengths=shape, strides=dense_strides(self.e, shape, dtype), bounds=most
                )
                if made in self.arrays.made:
                    self.arrays.made[self.arrays.made.index(made)] = result
            else:
                result = made
            self._folded[node] = result
            target = dataclasses.replace(made, lengths=group.lengths, strides=tuple(strides), is_dense=False)
        else:
            slot = self.e.variable(llvm_type(dtype) if dtype.kind != "b" else "i8")
            target = Array(slot, node, group.lengths, ("0",) * len(group.lengths), Memory(True), group.bounds)
        group.folds[node] = Fold(element, target, rule, through, is_mean)
        group.reduced = reduced
        group.values[node] = element
        group.absorbed.add(node)
        self.known[node] = Pending(node, (), ())

    def _multiply(self, node: Node) -> None:
        """Products of small matrices and vectors."""
        if node.kwargs or len(node.args) != 2 or not all(isinstance(a, Ref) for a in node.args):
            raise Unfit("a product of something else than arrays")
        a, b = [self.array(item, node) for item in node.args]
        group, element, reduced = self._product(a, b, node.type.dtype)
        self._fold(node, group, element, "add", reduced, node.type.dtype, False)

    def _product(self, a: Array, b: Array, dtype: DType) -> tuple[Group, Element, frozenset[int]]:
        """The products of elements that a product of matrices or vectors adds up, and along which axis it does."""
        if not (a.dtype == b.dtype == dtype) or dtype.kind not in "iuf" or max(a.ndim, b.ndim) > 2:
            raise Unfit("a product of several dtypes")
        (inner,), most = broadcast(self.e, [(a.lengths[-1:], a.bounds[-1:]), (b.lengths[:1], b.bounds[:1])])
        if "1" in (a.lengths[-1], b.lengths[0]) and a.lengths[-1] != b.lengths[0]:
            raise Unfit("a product of shapes that do not fit")
        lengths = (*a.lengths[:-1], inner, *b.lengths[1:])
        bounds = (*a.bounds[:-1], *most, *b.bounds[1:])
        size = size_of(bounds)
        if size is None or size > SMALL * (2 if a.ndim + b.ndim < 4 and self.depth else 1):
            raise Unfit("a product of large matrices")
        self.is_exact &= dtype.kind != "f"
        axis = a.ndim - 1
        zeros = ("0",) * (b.ndim - 1)
        left = dataclasses.replace(a, lengths=lengths, strides=(*a.strides, *zeros), is_dense=False)
        right = dataclasses.replace(b, lengths=lengths, strides=("0",) * axis + b.strides, is_dense=False)
        self.flush()
        group = self._group = Group(lengths, bounds)
        element = Step("multiply", (_read(group, left), _read(group, right)), (dtype, dtype), dtype)
        return group, element, frozenset({axis})

    def write(self, node: Node) -> Array | Pending:
        """A write into an array, which may be a product with `out=`."""
        if node.op.name != "call_into":
            return super().write(node)
        base, path, name, items = node.args
        if name not in ("dot", "matmul") or path or node.kwargs or not all(isinstance(i, Ref) for i in items):
            raise Unfit(f"{name} into an array")
        a, b = [self.array(item, node) for item in items]
        target = self._writable(node, self.array(base, node), True)
        group, element, reduced = self._product(a, b, target.dtype)
        kept = [n for axis, n in enumerate(group.lengths) if axis not in reduced]
        if list(target.lengths) != kept or any(may_overlap(x, target) for x in (a, b)):
            raise Unfit("a product into an array of another shape, or into itself")
        strides = iter(target.strides)
        along = tuple(["0" if axis in reduced else next(strides) for axis in range(len(group.lengths))])
        moved = dataclasses.replace(target, lengths=group.lengths, strides=along, is_dense=False)
        group.folds[node], group.reduced = Fold(element, moved, "add", target.dtype), reduced
        self._folded[node] = target
        self.flush()
        return target

    def _outer(self, node: Node) -> None:
        """The products of all elements of a vector with all of another."""
        if node.kwargs or len(node.args) != 2 or not all(isinstance(a, Ref) for a in node.args):
            raise Unfit("a product of something else than arrays")
        a, b = [self.array(item, node) for item in node.args]
        dtype = node.type.dtype
        if a.ndim != 1 or b.ndim != 1 or not (a.dtype == b.dtype == dtype) or dtype.kind not in "iuf":
            raise Unfit("a product of several dtypes")
        lengths, bounds = (*a.lengths, *b.lengths), (*a.bounds, *b.bounds)
        left = dataclasses.replace(a, lengths=lengths, strides=(*a.strides, "0"), is_dense=False)
        right = dataclasses.replace(b, lengths=lengths, strides=("0", *b.strides), is_dense=False)
        group = self._join(lengths, bounds)
        if group.touches(a, only_writes=True) or group.touches(b, only_writes=True):
            self.flush()
            group = self._join(lengths, bounds)
        group.values[node] = Step("multiply", (_read(group, left), _read(group, right)), (dtype, dtype), dtype)
        group.absorbed.add(node)
        self.known[node] = Pending(node, lengths, bounds)

    def _norm(self, node: Node) -> None:
        """The root of the sum of squares, as `np.linalg.norm` has it where it is given nothing else."""
        dtype = node.type.dtype
        if node.kwargs or node.args != (Ref(0),) or node.inputs[0].type.dtype != dtype or dtype.kind != "f":
            raise Unfit("another norm")
        array = self.array(node.args[0], node)
        self.flush()
        self.is_exact = False
        group = self._join(array.lengths, array.bounds)
        element = _read(group, aligned(array, group.lengths))
        squares = Step("multiply", (element, element), (dtype, dtype), dtype)
        self._fold(node, group, squares, "add", frozenset(range(array.ndim)), dtype, False)
        total = self.value(node)
        assert isinstance(total, Number)
        self.known[node] = Number(self.e.intrinsic("sqrt", dtype, total.name), node.type)


def _read(group: Group, array: Array) -> Element:
    found = group.read(array)
    assert found is not None
    return found


_MAKERS: dict[str, Callable[[Sums, Node], None]] = {
    "full": Sums._fill,
    "dot": Sums._multiply,
    "matmul": Sums._multiply,
    "outer": Sums._outer,
}
"""Operations whose results have other elements than their operands."""

_GATHERS: dict[str, Callable[[Sums, Node], None]] = {
    "getitem_advanced": Sums.gather,
    "take": Sums.gather,
    "take_along_axis": Sums.gather,
}
"""Operations that read the elements at indices."""


def is_array_work(node: Node) -> bool:
    """True for nodes that give an array and that may be computed natively."""
    name = node.op.name
    known = node.op.fills is not ... or name in _MAKERS or name in _GATHERS or is_scatter(node)
    known = known or name in ("getitem_mask", "copy") or name in ("setitem", "ufunc_into")
    known = known or (name == "call_into" and node.args[2] in ("dot", "matmul"))
    return known or node.op.view is True or reduces(node) is not None or lowering(node) is not None
