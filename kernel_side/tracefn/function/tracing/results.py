"""The results of a trace: the output of the graph, the argument or the value that each leaf is."""

from __future__ import annotations

import enum
import types
from typing import Any, NoReturn

import numpy as np

from ...errors import ControlFlowError, InPlaceWriteError, UnsupportedResultError, message
from ...ir.graph import Node
from ...ir.op import INPUT
from ...ir.types import Kind
from ...trace.autograph import HELPERS
from ...trace.code.bound import is_traced_function
from ...trace.context import Trace
from ...trace.control.choices import all_options
from ...trace.control.selected import refuse_leaving
from ...trace.control.undefined import Undefined, reason_of
from ...trace.foreign import refuse_keeper
from ...trace.origin import where
from ...trace.tensor import Tensor
from ...trace.tree import Tree, flatten
from ...trace.values.symbolic_int import SymbolicInt, with_numbers
from ...trace.variables.variable import Variable
from .list_elements import shows_element

_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype, enum.Enum, range, slice, frozenset)
_SHARED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, np.ufunc)
_KNOWN_AGAIN = (int, float, complex, str, bytes)
_CACHED = range(-5, 257)
"""The integers of which Python has one object each."""


class Results:
    """Takes values apart. `outputs` are the nodes of their tensor leaves so far.

    `values` are the leaves of the call, `given` their tensors in the trace.
    """

    def __init__(self, trace: Trace, name: str, values: list[Any], given: list[Any]) -> None:
        self.outputs: list[Node] = []
        self._numbers: dict[int, tuple[Tensor, int]] = {}
        self._arrays: dict[int, tuple[Any, Tensor]] = {}
        self._keyed: dict[int, int] | None = None
        self.where = ""  # the function, for messages
        self._trace = trace
        self._name = name
        self._values = values
        self._given = given

    def of(self, value: Any, path: str, verb: str) -> tuple[Tree, list[tuple[str, Any]]]:
        """The structure of a value and the source of each leaf: ('output', i), ('argument', leaf index) or ('value',
        v).

        `path` and `verb` name it and its use in messages. Raises `UnsupportedResultError` for values
        that cannot be made anew at each call.
        """
        refuse_leaving(value)
        leaves, tree = flatten(value, path)
        return tree, [self._leaf(leaf, path, verb) for path, leaf in leaves]

    def output(self, tensor: Tensor) -> int:
        """The number of the output that a value is: one for all places that hold it, as it is one array there."""
        if id(tensor) not in self._numbers:
            self._refuse_cast(tensor)
            self._refuse_copy(tensor)
            self._refuse_new_view(tensor)
            refuse_keeper(self._trace, tensor)
            viewing = self._trace.outside.viewing(tensor)
            self.outputs.append(self._trace.node_of(tensor) if viewing is None else viewing.node)
            self._numbers[id(tensor)] = (tensor, len(self.outputs) - 1)
        return self._numbers[id(tensor)][1]

    def array(self, array: np.ndarray[Any, Any]) -> Tensor:
        """The Tensor of a real array: one for all places that hold it."""
        return self._arrays.setdefault(id(array), (array, self._trace.captured(array)))[1]

    def _refuse_cast(self, tensor: Tensor) -> None:
        """Raises for a list, or a value whose type depends on elements of one, where the trace has made Python numbers
        of a list NumPy scalars."""
        if not self._trace.casts_lists:
            return
        node = self._trace.node_of(tensor)
        if node.type.kind is Kind.LIST or shows_element(node, self._trace.casts_dtypes):
            self._trace.list_kinds.plain |= self._trace.cast_lists
            raise ControlFlowError(
                message(
                    f"`{self._name}` returns or stores elements of a list that holds Python numbers and NumPy scalars",
                    where(node.source) if node.source is not None else self.where,
                    "Begin with a NumPy scalar of the dtype of the others: `[np.float64(0)]`.",
                )
            )

    def _refuse_copy(self, tensor: Tensor) -> None:
        """Raises for a list, or an element of one, that may be an array from outside which the trace has written into:
        the list has the value alone, and not that array."""
        base = tensor if tensor._base is None else tensor._base
        if not self._trace.lists_hold_written or base._owned or base._outside or base._choice is not None:
            return
        node = self._trace.node_of(tensor)
        if node.type.kind is Kind.LIST or node.type.has_memory:
            self._trace.lists_stay_plain()
            raise InPlaceWriteError(
                message(
                    f"`{self._name}` returns or stores elements of a list, and one may be an array from outside that "
                    "it has written into",
                    where(node.source) if node.source is not None else self.where,
                    "Put a copy into the list: `ys.append(x.copy())`.",
                )
            )

    def _refuse_new_view(self, tensor: Tensor) -> None:
        """Raises for a choice of arrays from outside that share memory: the graph has views of one of them, which are
        other objects."""
        if any(option._path and self._trace.outside.viewing(option) for option in all_options(tensor)):
            raise InPlaceWriteError(
                message(
                    f"`{self._name}` returns or stores one of several arrays that share memory, and a traced value "
                    "decides which",
                    self.where,
                    "Return a copy, or choose by a Python value.",
                )
            )

    def argument(self, value: Any) -> int | None:
        """The number of the argument that an object is."""
        return next((i for i, v in enumerate(self._values) if v is value and not isinstance(v, _PLAIN)), None)

    def keyed_argument(self, value: Any) -> int | None:
        """The number of the argument that a number or text is, for those that the trace holds for at all of its calls:
        a call leaves the object that it was given, by which libraries recognise it."""
        if type(value) not in _KNOWN_AGAIN or (type(value) is int and value in _CACHED):
            return None
        if self._keyed is None:
            pairs = enumerate(zip(self._values, self._given, strict=True))
            self._keyed = {id(v): i for i, (v, g) in pairs if v is g and type(v) in _KNOWN_AGAIN}
        return self._keyed.get(id(value))

    def written_argument(self, tensor: Tensor) -> int | None:
        """The number of the argument that an array is, for arrays that the trace has written into."""
        number = next((i for i, v in enumerate(self._given) if v is tensor), None)
        return None if number is None or self._trace.node_of(tensor).op is INPUT else number

    def _leaf(self, leaf: Any, path: str, verb: str) -> tuple[str, Any]:
        if type(leaf) is Undefined:
            raise ControlFlowError(message(f"`{self._name}` {verb} {path}, and {reason_of(leaf)}"))
        if isinstance(leaf, SymbolicInt):
            leaf = leaf.as_tensor()
        if type(leaf) is not Tensor and isinstance(leaf, np.ndarray):
            leaf = self.array(leaf)
        if isinstance(leaf, Tensor):
            if (number := self.written_argument(leaf)) is not None:
                return "argument", number
            return "output", self.output(leaf)
        if (argument := self.argument(leaf)) is not None:
            return "argument", argument
        if isinstance(leaf, types.FunctionType):
            leaf = self._function(leaf, path)
        if isinstance(leaf, (*_PLAIN, *_SHARED, Variable)) or leaf is Ellipsis or leaf is NotImplemented:
            return "value", with_numbers(leaf)
        if is_traced_function(leaf):
            if isinstance(inner := getattr(leaf, "python_function", None), types.FunctionType):
                self._function(inner, path)
            return "value", leaf
        kind = f"{type(leaf).__module__}.{type(leaf).__qualname__}"
        self._refuse(f"{verb} {'a result' if path == 'result' else path} of type {kind}", verb)

    def _function(self, function: types.FunctionType, path: str) -> types.FunctionType:
        """A function of the user's as it is outside the trace. One that the trace has defined has traced variables."""
        original: types.FunctionType = self._trace.original_function(function)
        cells = [c.cell_contents for c in original.__closure__ or () if c != types.CellType()]
        if HELPERS in original.__globals__ or any(isinstance(c, Tensor) for c in cells):
            self._refuse(f"returns {path}, the function `{function.__name__}`, which it defines")
        return original

    def _refuse(self, what: str, verb: str = "returns") -> NoReturn:
        raise UnsupportedResultError(
            message(
                f"`{self._name}` {what}, which cannot be made anew at each call",
                self.where,
                f"{'Return' if verb == 'returns' else 'Put there'} arrays, Python values, or tuples, lists, dicts, "
                "named tuples and dataclasses of them; give a class of your own `__tracefn_flatten__`.",
            )
        )
