"""Arrays in loop kernels: arithmetic on their elements becomes nests of loops, neighbours of one shape one
nest."""

from __future__ import annotations

from typing import Any

from ....ir.graph import Graph, Node
from ....ir.template import Ref
from ....ir.types import Kind, TensorType
from ....records import dataclass
from ..fusion.lowering import lowering, writes_whole
from ..scalar.emitter import BOOL, DType, castable, llvm_type, supported
from ..scalar.rules import RULES
from .arrays import Array, is_array
from .checked import Unfit
from .nests.nest import Step, Store
from .nests.nest import Value as Element
from .nests.pending import Group, Nests, Pending, aligned, broadcast
from .scalars import Number, converted, number
from .values import Value, Values
from .views import Views

Given = Number | Array | Pending


@dataclass(frozen=True, eq=False)
class Picked:
    """The elements of an array where a mask is true. Only known as the value of a write where the same mask is true."""

    source: Node
    mask: Node


class Elements(Values):
    """Emits operations on arrays. `is_exact` is false where results may be rounded in another way than NumPy's."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.nests = Nests(self.e)
        self.views = Views(self.e, self.arrays)
        self.is_exact = True
        self.graphs: list[Graph] = []
        self.escaping: set[Node] = set()
        self.depth = 0  # of loops
        self.work = 0  # of the nests so far, in rounds of loops
        self._group: Group | None = None
        self._users: dict[Graph, dict[Node, list[Node]]] = {}
        self._picked: dict[Node, Picked] = {}
        self._masked: dict[Node, Node] = {}  # the results for picked elements, with their masks
        self._folded: dict[Node, Array] = {}

    # --- the values of nodes

    def value(self, node: Node) -> Value:
        if isinstance(self.known.get(node), Pending):
            self.flush()
        return super().value(node)

    def given(self, item: Any, node: Node) -> Given:
        """An operand, which may be pending."""
        source = node.inputs[item.index] if isinstance(item, Ref) else item
        if not isinstance(source, Node):
            return self.number(item, node)
        found: Any = self.known.get(source)
        if found is None:
            raise Unfit(f"{source.types} is no number and no array")
        if isinstance(found, Number) or is_array(source):
            return found
        return self.value(source)

    def picked(self, node: Node, mask: Node) -> Node:
        """The array from which the elements were taken that are to be written where a mask is true, or in which they
        were computed."""
        if self._masked.get(node) is mask:
            return node
        found = self._picked.get(node)
        if found is None or found.mask is not mask:
            raise Unfit("an array of values for a mask")
        return found.source

    def pick(self, node: Node) -> None:
        """Notes the elements of an array where a mask is true. Where something is computed of them it is computed of
        all, of which the others are taken to be 1."""
        source, mask = node.inputs[node.args[0].index], node.inputs[node.args[1].index]
        if self._picks(node):
            self._picked[node] = Picked(source, mask)
            return
        if not self._is_for_writes(node, mask) or node.inputs != (source, mask):
            raise Unfit("elements that a mask picks")
        group, elements = self._elements(node, [Ref(1), Ref(0)])
        dtype = node.type.dtype
        group.values[node] = self._step("picked", elements, (BOOL, dtype), dtype)
        group.absorbed.add(node)
        self.known[node] = Pending(node, group.lengths, group.bounds)
        self._masked[node] = mask

    def _is_for_writes(self, node: Node, mask: Node) -> bool:
        """True if all results of gathered elements are written where the mask is true."""
        if node in self.graphs[-1].outputs or not _is_mask_of(node.inputs[0], mask):
            return False
        waiting, seen = [node], {node}
        while waiting:
            for user in self._users_of(self.graphs[-1])[waiting.pop()]:
                if user in seen:
                    continue
                seen.add(user)
                if user.op.name == "setitem":
                    index = user.args[2]
                    if not isinstance(index, Ref) or user.inputs[index.index] is not mask or user.inputs[0] in seen:
                        return False
                    continue
                arrays = [n for n in user.inputs if is_array(n)]
                if lowering(user) is None or writes_whole(user) or user in self.graphs[-1].outputs:
                    return False
                if not all(n in seen or _picks_with(n, mask) for n in arrays):
                    return False
                waiting.append(user)
        return True

    def _picks(self, node: Node) -> bool:
        """True for the elements of an array where a mask is true, if both stay as they are."""
        mask = node.inputs[node.args[1].index] if isinstance(node.args[1], Ref) else None
        source = node.inputs[node.args[0].index]
        if mask is None or not _is_mask_of(source, mask):
            return False
        users = self._users_of(self.graphs[-1])
        if not all(u.op.name == "setitem" for u in users[node]):
            return False
        readers = [u for n in (mask, source) for u in users[n]]
        return not any(u.bodies or (u.op.style == "write" and u.inputs[0] in (mask, source)) for u in readers)

    def _view(self, node: Node) -> None:
        if node.op.name == "broadcast_to" and isinstance(value := self.given(node.args[0], node), Number):
            self._spread(node, value)
            return
        array = self.array(node.args[0], node)
        if array.dtype != node.type.dtype:
            raise Unfit("a view of another dtype")
        self.known[node] = self.views.step(
            array, node, node.op.name, node.args[1:], node.kwargs, lambda i: self.integer(i, node)
        )

    def _fill(self, node: Node) -> None:
        options = dict(node.kwargs)
        options.pop("dtype", None)
        options.pop("shape", None)
        if (
            options
            or not is_array(node)
            or not supported(node.type.dtype)
            or len(node.args) > 2 + (node.op.name == "full")
        ):
            raise Unfit(f"{node.op.name} with {', '.join(options)}")
        if node.op.name == "full":
            value: Given = self.given(node.args[1], node)
            if not isinstance(value, Number):
                raise Unfit("an array of values")
        else:
            value = number(node.op.fills or 0)
        self._filled(node, value, is_open=node.op.fills is None)

    def _spread(self, node: Node, value: Number) -> None:
        """A number broadcast to an array. Inside of a kernel it equals NumPy's zero-stride view of one element."""
        if node in self.escaping or not supported(node.type.dtype):
            raise Unfit("a result is a view")
        self._filled(node, value)

    def _filled(self, node: Node, value: Number, is_open: bool = False) -> None:
        """A new array of one number, or one that is left open."""
        lengths = tuple([self._length(n) for n in node.type.shape])
        bounds = tuple([int(n) if n.isdigit() else None for n in lengths])
        made = self._made(node, lengths, bounds)
        if not is_open:
            self._nest(Group(lengths, bounds, stores=[Store(self._number(value, made.dtype), made)]))
        self.known[node] = made

    def _made(self, node: Node, lengths: Any, bounds: Any) -> Array:
        """A new array for a node."""
        if node not in self.escaping:
            return self.between(node, lengths, bounds)
        if self.depth:
            raise Unfit("an array that is made in a loop")
        return self.arrays.new(node, lengths)

    def between(self, node: Node, lengths: tuple[str, ...], bounds: Any) -> Array:
        """A new array that is local to the kernel. Python makes it where its size is open."""
        if None not in bounds:
            return self.arrays.between(node, lengths, bounds)
        if len(node.type.shape) != len(lengths):
            raise Unfit("an array whose size is open")
        return self.arrays.new(node, tuple([self._length(n) for n in node.type.shape]))

    # --- groups

    def flush(self) -> None:
        """Emits the pending operations. Their live results are stored in arrays and registers."""
        group, self._group = self._group, None
        if group is None:
            return
        self._finish(group, set())

    def _finish(self, group: Group, wanted: set[Node]) -> None:
        graph = self.graphs[-1]
        users = self._users_of(graph)
        made: dict[Node, Array] = {}
        for node, value in group.values.items():
            needed = node in wanted or node in graph.outputs or any(u not in group.absorbed for u in users[node])
            if needed and node not in group.folds:
                made[node] = self._made(node, group.lengths, group.bounds)
                group.stores.append(Store(value, aligned(made[node], group.lengths)))
                if node in self.escaping and not all(map(in_order, group.reads)):
                    raise Unfit("a result in another memory layout")
        self._nest(group)
        self.known |= made
        for node, fold in group.folds.items():
            self.known[node] = self._folded[node] if node in self._folded else self._loaded(node, fold.target)

    def _loaded(self, node: Node, slot: Array) -> Number:
        if node.type.dtype.kind != "b":
            return Number(self.e.do(f"load {llvm_type(node.type.dtype)}, ptr {slot.address}"), node.type)
        found = self.e.do(f"load i8, ptr {slot.address}")
        return Number(self.e.do(f"icmp ne i8 {found}, 0"), node.type)

    def _users_of(self, graph: Graph) -> dict[Node, list[Node]]:
        if graph not in self._users:
            self._users[graph] = graph.users()
        return self._users[graph]

    def _nest(self, group: Group) -> None:
        if group.stores or group.folds:
            size = 1
            for bound in group.bounds:
                size *= 64 if bound is None else bound
            self.work += size // 8
            self.nests.call(group.nest())

    def settle(self, array: Array, only_writes: bool = False) -> None:
        """Emits pending nests where an array is about to be written into, or, with `only_writes`, to be read."""
        if self._group is not None and self._group.touches(array, only_writes):
            self.flush()

    def _join(self, lengths: tuple[str, ...], bounds: Any) -> Group:
        """The group of nests with these lengths."""
        if self._group is None or self._group.lengths != lengths:
            self.flush()
            self._group = Group(lengths, bounds)
        return self._group

    def _extent(self, values: list[Given]) -> tuple[tuple[str, ...], Any]:
        found = [(v.lengths, v.bounds) for v in values if not isinstance(v, Number)]
        if not found:
            raise Unfit("an array that is made of numbers")
        return broadcast(self.e, found)

    def _operands(self, node: Node, items: list[Any]) -> list[Given]:
        """The values of items. Sums and the like are known when their nest has run."""
        if self._group is not None and any(
            isinstance(i, Ref) and node.inputs[i.index] in self._group.folds for i in items
        ):
            self.flush()
        return [self.given(i, node) for i in items]

    def _elements(self, node: Node, items: list[Any], wanted: tuple[tuple[str, ...], Any] | None = None) -> Any:
        """The group that works on these items, and for each the elements that it reads. `wanted` are the
        lengths to work on, where it is not for the items to say."""
        for _ in range(2):
            values = self._operands(node, items)
            lengths, bounds = wanted or self._extent(values)
            group = self._join(lengths, bounds)
            values = [self.given(i, node) for i in items]
            found: list[Any] = []
            for value in values:
                if isinstance(value, Pending):
                    element = group.values.get(value.node) if value.lengths == lengths else None
                elif isinstance(value, Array):
                    element = group.read(aligned(value, lengths))
                else:
                    element = value
                found.append(element)
            if all(element is not None for element in found):
                return group, found
            self.flush()
        raise Unfit("values that are read and written at once")

    def _number(self, value: Number, dtype: DType, wraps: bool = False) -> Number:
        return Number(converted(self.e, value, dtype, wraps), TensorType(dtype, (), Kind.SCALAR))

    def _step(self, rule: str, elements: list[Any], dtypes: tuple[DType, ...], dtype: DType) -> Step:
        if dtypes[-1].kind not in RULES[rule].kinds:
            raise Unfit(f"{rule} of {dtypes[-1]} is not computed natively")
        self.is_exact &= not RULES[rule].is_rounded
        operands: list[Element] = []
        for element, wanted in zip(elements, dtypes, strict=True):
            if isinstance(element, Number):
                element = self._number(element, wanted, rule == "astype")
            elif not castable(element.dtype, wanted):
                raise Unfit(f"{element.dtype} as {wanted}")
            operands.append(element)
        return Step(rule, tuple(operands), dtypes, dtype)

    def _compute(self, node: Node) -> None:
        """An operation on elements."""
        dtypes: tuple[DType, ...]
        if node.op.name == "copy":
            rule, items, dtypes = "astype", node.args[:1], (node.type.dtype,)
        elif (how := lowering(node)) is not None:
            rule, items, dtypes = how.rule, how.operands, how.dtypes
        else:
            raise Unfit(f"{node.op.name} is not computed natively")
        group, elements = self._elements(node, list(items))
        group.values[node] = self._step(rule, elements, dtypes, node.type.dtype)
        group.absorbed.add(node)
        self.known[node] = Pending(node, group.lengths, group.bounds)
        for source in node.inputs:
            if source in self._masked:
                self._masked[node] = self._masked[source]


def _is_mask_of(source: Node, mask: Node) -> bool:
    return is_array(mask) and mask.type.dtype == BOOL and mask.type.shape == source.type.shape


def _picks_with(node: Node, mask: Node) -> bool:
    """True for elements that a mask picks, and for results of these alone."""
    if node.op.name == "getitem_mask":
        return len(node.inputs) == 2 and node.inputs[1] is mask and _is_mask_of(node.inputs[0], mask)
    arrays = [n for n in node.inputs if is_array(n)]
    known = lowering(node) is not None and not writes_whole(node)
    return known and bool(arrays) and all(_picks_with(n, mask) for n in arrays)


def in_order(array: Array) -> bool:
    """True if an array has its axes in the order of C, as far as that is known."""
    strides = [s for s, n in zip(array.strides, array.lengths, strict=True) if n != "1" and s != "0"]
    if not all(map(str.isdigit, strides)):
        return len(strides) < 2
    found = list(map(int, strides))
    return found == sorted(found, reverse=True)


def size_of(bounds: Any) -> int | None:
    size = 1
    for bound in bounds:
        if bound is None:
            return None
        size *= bound
    return size
