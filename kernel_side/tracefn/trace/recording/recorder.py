"""Recording: calls become nodes, and values that are met become their operands."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import numpy as np

from ...errors import TracefnError, UnsupportedFunctionError, message
from ...ir import template
from ...ir.dims import Dim
from ...ir.graph import Node, capture_node, constant_node, item_node
from ...ir.infer import RuleError, infer
from ...ir.op import Op, Static
from ...ir.template import Ref, reference
from ...ir.types import Kind, TensorType, type_of
from ..aliasing.views import check_doubts, connect, is_argument, refresh, roots
from ..context import Refused, Trace
from ..origin import source_of, user_frames, user_source, where
from ..tensor import Tensor
from ..trace_parts.anonymous_arrays import Concrete, is_private
from ..trace_parts.defaults import check_array
from ..values import number_types
from ..values.symbolic_int import SymbolicInt
from .exact import exact_call
from .known_calls import know_types, known_types, plain_call
from .operands import fixed_argument, read_as_wholes, refuse_generator, refuse_list
from .static_values import with_static_values
from .types_met import types_met

_ARRAY = Kind.ARRAY  # an attribute of an enum takes longer to find


class Recorder(Trace):
    """Records nodes while a Python function runs on `Tensor`s.

    `known` maps the id of an array outside the function to the path that leads to it; such arrays become captures.
    """

    def __init__(
        self, name: str, hints: dict[str, int] | None = None, known: dict[int, tuple[str, Any]] | None = None
    ) -> None:
        self._known = known or {}
        self._captures: dict[int, Tensor] = {}
        self._types: dict[TensorType, tuple[TensorType]] = {}
        super().__init__(name, hints)

    def record(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not kwargs and (op.elementwise or op.style == "operator") and not op.static:
            asked, nodes, frozen = plain_call(self, op, args)
            if asked is not None:
                return self._recorded(op, args, kwargs, nodes, frozen, (), asked)
        read_as_wholes(self, (*args, *kwargs.values()) if kwargs else args)
        if kwargs or not op.elementwise:
            args, kwargs = op.parameters.canonical(args, kwargs)
        if op.static:
            op, args, kwargs = with_static_values(self, op, args, kwargs)
        inputs: list[Node] = []
        plain = template.PLAIN
        one_typed: list[Tensor] = []

        def leaf(value: Any) -> Any:
            if type(value) is not Tensor and hasattr(type(value), "__tracefn_tensor__"):
                value = value.__tracefn_tensor__()
            if type(value) is Tensor:
                is_ours = (
                    value._trace is self
                    and value._base is value._choice is None
                    and not value._doubts
                    and not self.ended
                )
                node = value._node if is_ours else self.node_of(value)
                if value._one_type is not None:
                    one_typed.append(value)
                if op.style == "list":
                    for root in roots(value):
                        root._held = True
                        self.root.lists_hold_written |= self.root.outside.holds_writes(root)
                elif (kind := node.types[0].kind) is not _ARRAY:
                    if kind is Kind.LIST and op.style != "effect":
                        refuse_list(op, value)
                    elif kind.is_random and op.pure:
                        refuse_generator(op, value)
            elif isinstance(value, SymbolicInt):
                if not value.is_scalar or op.style == "index":
                    return value.dim
                node = self.node_of(value.as_tensor())
            elif isinstance(value, np.ndarray):
                node = self.array_node(value)
            elif (stands_for := getattr(type(value), "__tracefn_operand__", None)) is not None:
                node = self.node_of(stands_for(value))
            else:
                return fixed_argument(op, value)
            if node not in inputs:
                inputs.append(node)
            return reference(inputs.index(node))

        frozen_args = tuple(
            [leaf(a) if type(a) is Tensor else a if type(a) in plain else template.freeze(a, leaf) for a in args]
        )
        frozen_kwargs = tuple([(k, template.freeze(v, leaf)) for k, v in kwargs.items()]) if kwargs else ()
        if one_typed:
            return number_types.record(self, op, args, kwargs, inputs, (frozen_args, frozen_kwargs), one_typed)
        return self._recorded(op, args, kwargs, tuple(inputs), frozen_args, frozen_kwargs)

    def _recorded(
        self,
        op: Op,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        inputs: tuple[Node, ...],
        frozen_args: tuple[Any, ...],
        frozen_kwargs: tuple[tuple[str, Any], ...],
        asked: tuple[Any, ...] | None = None,
    ) -> Any:
        """The result of a call whose template is known. Its types depend on `asked`, if that may be known."""
        placed = self.root.placed
        source, scope, errors = placed or self._place()
        if placed is None:
            self.budget.spend(source, scope)
        known = None if asked is None else known_types(asked)
        types: Any = None
        if known is None:
            types = self._infer(op, inputs, frozen_args, frozen_kwargs, source)
        self.staging.recorded(source)
        if type(types) is Static:
            self.root.sees_types = True
            return self.public(types.value)
        if type(types) is TensorType:
            known = self._types.setdefault(types, (types,))  # most nodes of a graph have one of a few types
            if asked is not None:
                know_types(asked, known)
        if known is not None:
            node = Node(op, inputs, frozen_args, frozen_kwargs, known, None, scope, source, errors)
            self.nodes.append(node)
            return self._result(node, node, 0, args, kwargs)
        node = Node(op, inputs, frozen_args, frozen_kwargs, tuple(types), type(types), scope, source, errors)
        self.nodes.append(node)
        items = [item_node(node, i) for i in range(len(types))]
        self.nodes += items
        tensors = [self._result(node, item, i, args, kwargs) for i, item in enumerate(items)]
        if type(types) in (tuple, list):
            return type(types)(tensors)
        return type(types)(*tensors)

    def _place(self) -> tuple[Any, Any, Any]:
        """Line, scope and error settings of nodes recorded now."""
        frame, called = user_frames(5)  # no user's code calls the caller of this: it is further up
        scope = self.scopes.of(frame) if called is None else self.scopes.of_called(called, frame)
        return source_of(frame), self._within(scope) if self.base else scope, self.error_handling.now()

    def _infer(self, op: Op, inputs: tuple[Node, ...], args: Any, kwargs: Any, source: Any) -> Any:
        """The types of a call's results. A call that raises is noted, with the types of its inputs."""
        try:
            types = tuple([n.types[0] for n in inputs])
            try:
                return infer(op, types, args, kwargs, self.hints)
            except RuleError as error:
                return self._types_now(op, types, args, kwargs, source, error)
        except Exception as error:
            node = Node(op, inputs, args, kwargs, (), tuple, self.scope, source)
            self.root.refused = Refused(str(error), self, node)
            if inputs and not isinstance(error, TracefnError):
                error.add_note(f"  {types_met(node)}")
            raise

    def _types_now(self, op: Op, types: Any, args: Any, kwargs: Any, source: Any, error: RuleError) -> Any:
        """The same where a rule cannot tell for open lengths: for those of this call, which are then guarded."""
        exact = exact_call(self, types, args, kwargs)
        if exact is not None:
            with contextlib.suppress(RuleError):
                found = infer(op, *exact, self.hints)
                return types[args[0].index] if op.style == "write" else found  # an array keeps its shape
        shown = ", ".join(map(repr, types))
        raise UnsupportedFunctionError(
            message(f"np.{op.name} on ({shown}) is not traced: {error}", where(source), "See docs/numpy.md.")
        ) from error

    def _result(self, node: Node, item: Node, output: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
        """The Tensor of one output of a node. Where it may be a view of an argument, it is connected to it."""
        if not node.op.view:
            return Tensor(item, self, owned=True)
        viewed = node.op.viewed(node.args, node.kwargs, output)
        if type(viewed) is not Ref or not item.types[0].has_memory:
            return Tensor(item, self, owned=True)
        of = node.inputs[viewed.index].types[0]
        made = Tensor(item, self, owned=not (of.has_memory or of.kind is Kind.LIST))
        if not of.has_memory:  # scalars have none, and which of its arrays a list gives is not known
            return made
        for value in args:
            if type(value) is Tensor and self.node_of(value) is node.inputs[viewed.index]:
                if is_argument(node.op, args, kwargs, value, item):
                    self.forget(made)
                    return value
                connect(node.op, args, kwargs, value, made, None if item is node else output)
        return made

    def node_of(self, tensor: Tensor) -> Node:
        if tensor._base is not None or tensor._choice is not None:
            refresh(self, tensor)
        if tensor._doubts:
            check_doubts(tensor)
        self.check(tensor)
        return tensor._node

    def value_node(self, value: Any) -> Node:
        if type(value) is Tensor:
            return self.node_of(value)
        if isinstance(value, SymbolicInt):
            return self.node_of(value.as_tensor(self))
        if isinstance(value, np.ndarray):
            return self.array_node(value)
        node = constant_node(value, type_of(value), user_source(3), self.scope)
        self.nodes.append(node)
        return node

    def value_node_of_constant(self, array: np.ndarray[Any, Any]) -> Node:
        node = constant_node(array, type_of(array), user_source(3), self.scope)
        self.nodes.append(node)
        return node

    def knows_array(self, array: np.ndarray[Any, Any]) -> bool:
        """True for an array from outside that later calls find on a path."""
        return id(array) in self._known

    def captured(self, array: np.ndarray[Any, Any]) -> Tensor:
        known = self._captures.get(id(array))
        if known is None and (found := self._known.get(id(array))) is not None:
            check_array(array, "an array used by the traced function", user_source(3))
            node = capture_node(found[0], self._type_of_outside(array, found[1]))
            self._captured_arrays[node] = array
            self.nodes.append(node)
            known = self._captures[id(array)] = Tensor(node, self, owned=False, outside=True)
            self.outside.add(known, node, array)
        return Tensor(self._unplaced_node(array), self, owned=False) if known is None else known

    def _type_of_outside(self, array: np.ndarray[Any, Any], path: Any) -> TensorType:
        """The type of an array, with other lengths at each call along the axes of which that is known."""
        found, axes = type_of(array), self.open_axes(path)
        if not axes:
            return found
        shape = [Dim.fresh() if axis in axes else length for axis, length in enumerate(found.shape)]
        return dataclasses.replace(found, shape=tuple(shape))

    def array_node(self, array: np.ndarray[Any, Any]) -> Node:
        return self.node_of(self.captured(array))

    def _unplaced_node(self, array: np.ndarray[Any, Any]) -> Node:
        """The node of an array without a path."""
        check_array(array, "an array used by the traced function", user_source(3))
        met = self._concrete.get(id(array))
        if met is not None and met.unchanged():
            return met.node
        if met is not None:
            # it was changed while tracing: nodes recorded before keep the old content
            self._concrete[-len(self._concrete) - 1] = met
            met.array = met.content
        source = user_source(3)
        place = f"array at line {source.line}" if source else "array"
        node = capture_node(place, type_of(array))
        self._concrete[id(array)] = Concrete(array, node)
        self.nodes.append(node)
        return node

    def concrete_arrays(self) -> list[tuple[Node, Any, bool]]:
        """(node, array, private) of every array met whose place is not known.

        A private array has no other reference, so it never changes: a constant. To be called when the traced
        function has returned and its frame is gone.
        """
        found = []
        for entry in self._concrete.values():
            if not entry.unchanged():
                entry.array = entry.content
            private = entry.array is entry.content or is_private(entry)
            found.append((entry.node, entry.array, private))
        return found

    def knows(self, arrays: dict[int, tuple[str, Any]]) -> None:
        """Notes more arrays outside, by id: see `known`."""
        self._known.update(arrays)

    def public(self, value: Any) -> Any:
        if isinstance(value, Dim):
            return SymbolicInt(value, self)
        if type(value) in (tuple, list):
            return type(value)([self.public(v) for v in value])
        return value

    def let_go(self) -> None:
        super().let_go()
        self._captures.clear()
