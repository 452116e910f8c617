"""The arguments of a foreign call: traced ones become inputs of its node, the rest is made at each call."""

from __future__ import annotations

import functools
import types
from collections import deque
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.bail_out import BailOut
from .. import provided
from ..code.bound import is_traced_function
from ..code.metadata import copy_metadata
from ..code.rewritten import HELPERS
from ..context import Trace
from ..control.one_of import OneOf
from ..control.unsettled import holds_inputs
from ..libraries import is_foreign_class, is_foreign_value
from ..origin import is_library, is_of_tracefn, user_source, where
from ..reads import in_trace
from ..tensor import Tensor
from ..tree import LEAF, Tree, flatten, parts, unflatten
from ..values.graph_list import GraphList
from ..values.number_types import one_typed
from ..values.records import as_python
from ..values.symbolic_int import SymbolicInt
from ..values.traced_range import TracedRange
from ..values.traced_text import Text
from .located import Located, leads_to
from .proxy import Foreign, reference
from .reach import Reach, Unfollowed

Maker = Callable[[tuple[Any, ...]], Any]
_PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None), type(Ellipsis), range, np.dtype})
_MOST_PARTS = 100_000


class Arguments:
    """`tensors` are the traced values in order. `fill(values)` gives (args, kwargs) with these in their place."""

    def __init__(self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._trace: Trace | None = trace
        self.tensors: list[Tensor] = []
        self.outside: list[Any] = []  # a reference to each object from outside
        self.proxies: list[Foreign] = []  # their stand-ins while tracing
        self.has_objects = False
        self.is_shared = False  # it is given a mutable object of the caller, or may call back
        self.makes_containers = False  # it is given lists, dicts or sets that are made for each call
        self.gives_callers = False  # it is given a list, dict or set that the traced function was given
        self.tuples: list[Any] = []  # those of the caller that it is given as they are
        self.kept: list[Any] = []  # what stands for containers of the caller, and is held when the call is made
        self.is_located = False  # it reads a container on a path at each call
        self.defined: set[int] = set()  # ids of functions that the traced code has defined, with their attributes
        self._around: list[Any] = []  # the functions around what is looked at
        self._args = [self._maker(a) for a in args]
        self._kwargs = {k: self._maker(v) for k, v in kwargs.items()}
        self.is_shared = self.is_shared or self._calls_back((*args, *kwargs.values()))
        self.made_of = (*args, *kwargs.values()) if self.makes_containers else ()  # while the call is recorded
        self._trace = None

    def fill(self, values: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
        return [make(values) for make in self._args], {k: make(values) for k, make in self._kwargs.items()}

    def _calls_back(self, values: tuple[Any, ...]) -> bool:
        """True if an object of a library holds a function of the user's."""
        try:
            return self.has_objects and Reach([v.known for v in values if type(v) is Foreign]).has_code
        except Unfollowed:
            return False

    def reach(self, args: Any, kwargs: dict[str, Any]) -> Reach | None:
        """The user's objects that are reachable from these arguments. Raises `Unfollowed`."""
        return Reach((*args, *kwargs.values())) if self.is_shared else None

    def _take(self, tensor: Tensor) -> int:
        if one_typed(tensor):
            _refuse("is given a number whose Python type depends on a traced value", "Convert it: `float(x)`.")
        for place, known in enumerate(self.tensors):
            if known is tensor:
                return place
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def _maker(self, value: Any) -> Maker:
        value = value.bound if type(value) is provided.ContainerMethod else value
        kind = type(value)
        if kind in _PLAIN:
            return lambda values: value
        if kind is Foreign:
            self.has_objects = True
            if value.tensor is None:
                return self._outside(value.known, value)
            return self._slot(value.tensor)
        value = in_trace(value)
        if type(value) is Tensor:
            return self._slot(value)
        if kind is Text:
            return self._slot(value.tensor)
        if isinstance(value, SymbolicInt):
            return self._slot(value.as_tensor())
        if kind is Located:
            self.is_located = True
            return lambda values: value.now()
        if kind is OneOf:
            return self._choice(value)
        if kind is GraphList:
            return self._kept_list(value) if value.is_staged else self._list(list(value))
        if isinstance(value, np.ndarray) and type(value) is np.ndarray:
            assert self._trace is not None
            return self._slot(self._trace.captured(value))
        if is_foreign_value(value):
            if parts(value) is not None and any(holds_traced(leaf) for _, leaf in flatten(value, "")[0]):
                _refuse("is given a dataclass of a library that holds traced values", "Give it the values.")
            self.has_objects = True
            return self._outside(value, Foreign(None, value))
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, types.MethodType):
            return self._method(value)
        if kind is functools.partial:
            function, args, kwargs = self._maker(value.func), self._list(list(value.args)), self._maker(value.keywords)
            return lambda values: functools.partial(function(values), *args(values), **kwargs(values))
        if kind is TracedRange:
            start, stop, step = map(self._maker, (value.start, value.stop, value.step))
            return lambda values: range(start(values), stop(values), step(values))
        return self._container(value)

    def _choice(self, value: OneOf) -> Maker:
        """One of several texts and the like."""
        if value.has_value or not all(type(value.option(n)) in _PLAIN for n in value.numbers):
            _refuse("is given an object that a traced value chooses", "Choose between results, or call it outside.")
        options, which = {n: value.option(n) for n in value.numbers}, self._maker(value.which)
        return lambda values: options[int(which(values))]

    def _slot(self, tensor: Tensor) -> Maker:
        place = self._take(tensor)
        return lambda values: values[place]

    def _outside(self, value: Any, proxy: Foreign) -> Maker:
        refer = reference(value)
        self.outside.append(refer)
        self.proxies.append(proxy)

        def make(values: tuple[Any, ...]) -> Any:
            found = refer()
            if found is None:
                raise BailOut("an object of a library that a step uses is gone")
            return found

        return make

    def _list(self, items: list[Any]) -> Maker:
        self.makes_containers = True
        makers = [self._maker(v) for v in items]
        return lambda values: [make(values) for make in makers]

    def _kept_list(self, value: GraphList) -> Maker:
        """The list that the graph keeps in columns."""
        columns, record = value.columns()
        makers = [self._slot(column) for column in columns]
        return lambda values: as_python([make(values) for make in makers], record)

    def _container(self, value: Any) -> Maker:
        kind = type(value)
        if kind is slice:
            start, stop, step = map(self._maker, (value.start, value.stop, value.step))
            return lambda values: slice(start(values), stop(values), step(values))
        if hasattr(kind, "__next__") and not is_foreign_class(kind):
            _refuse("is given an iterator, which it takes from at its first call", "Pass a list.")
        if self._is_outside(value):
            if not holds_traced(value):
                return self._shared(value)
            self._read(value)
        if kind in (tuple, frozenset) and value and _is_constant(value):
            assert self._trace is not None
            if id(value) not in self._trace.root.tuples:
                return lambda values: value
            given = self._trace.root.tuples[id(value)][1]
            self.tuples.append(given)
            return lambda values: given  # an object may keep it, and tell it from an equal one
        if kind in (set, frozenset):
            items = self._list(list(value))
            return lambda values: kind(items(values))
        found = parts(value)
        if found is not None:
            assert self._trace is not None
            self.gives_callers = self.gives_callers or id(value) in self._trace.root.callers
            if kind is list:
                return self._list(value)

            self.makes_containers = True
            makers = [self._maker(v) for v in found.children]
            tree = Tree(found.kind, kind, found.keys, (LEAF,) * len(makers), found.metadata)
            like = value if found.kind == "dataclass" else None
            return lambda values: unflatten(tree, [make(values) for make in makers], like=like)
        if isinstance(value, types.BuiltinFunctionType) and not isinstance(
            value.__self__, types.ModuleType | type(None)
        ):
            self.is_shared = True
        if isinstance(value, np.generic | type | types.ModuleType | types.BuiltinFunctionType | np.ufunc):
            return lambda values: value
        return self._shared(value)

    def _is_outside(self, value: Any) -> bool:
        if type(value) not in (list, dict, set) and isinstance(value, tuple | frozenset):
            return False
        observer = getattr(self._trace.root.observe, "__self__", None) if self._trace is not None else None
        captures = getattr(observer, "_captures", None)
        return captures is not None and captures.knows(value)

    def _read(self, container: Any) -> None:
        """Notes that a container from outside is read, which the trace has changed: those items that stay in it are
        inputs, or guarded."""
        assert self._trace is not None
        if not isinstance(container, list | dict | deque) or not holds_inputs(self._trace, container):
            self._trace.read_whole(container)

    def _shared(self, value: Any) -> Maker:
        """An object from outside, which is read as it is at each call."""
        assert self._trace is not None
        self.is_shared = True
        if isinstance(value, list | dict | set | deque):
            return self._found(value)
        if not hasattr(value, "__weakref__"):
            return lambda values: value
        return self._outside(value, Foreign(None, value))

    def _found(self, value: Any) -> Maker:
        """A container from outside, which each call finds on its path: another one with the same content will do."""
        assert self._trace is not None
        path = self._trace.path_to(value)
        if path is None or not leads_to(path, value):
            return lambda values: value
        located = Located(path, None)
        return lambda values: located.now()

    def _function(self, function: types.FunctionType) -> Maker:
        """A function of the user's, called by the library with real values: the values that it reads around it are real
        ones, too."""
        assert self._trace is not None
        original = self._trace.original_function(function)
        if is_library(original.__code__.co_filename):
            holds = bool(original.__closure__ or vars(original)) and not is_of_tracefn(original.__code__.co_filename)
            self.is_shared = self.is_shared or holds
            return lambda values: original
        self.is_shared = True
        if _is_rewritten(original):
            self._attributes(function, original)
        cells = original.__closure__ or ()
        is_defined = _is_rewritten(original)  # its variables are others in the next round
        if original in self._around:  # it calls itself
            if is_defined:
                _refuse("calls a function back that calls itself", "Define it outside of the traced function.")
            return lambda values: original
        self._around.append(original)
        makers = [self._cell(cell, is_defined) for cell in cells]
        self._around.pop()
        defaults = self._list(list(original.__defaults__ or ()))
        if all(m is None for m in makers) and not holds_traced(original.__defaults__):
            return lambda values: original

        def make(values: tuple[Any, ...]) -> Any:
            closure = tuple([c if m is None else types.CellType(m(values)) for c, m in zip(cells, makers, strict=True)])
            made = types.FunctionType(
                original.__code__, original.__globals__, original.__name__, tuple(defaults(values)) or None, closure
            )
            made.__kwdefaults__ = original.__kwdefaults__
            copy_metadata(made, original)
            made.__dict__.update(original.__dict__)
            return made

        return make

    def _attributes(self, function: types.FunctionType, original: types.FunctionType) -> None:
        """Gives a function that the traced code has defined the attributes that it has set (`hit.terminal = True`)."""
        if not all(type(v) in _PLAIN for v in vars(function).values()):
            _refuse("calls a function back whose attributes are objects or arrays", "Give it the values as arguments.")
        vars(original).update(vars(function))
        self.defined |= {id(function), id(original)}

    def _cell(self, cell: types.CellType, changes: bool) -> Maker | None:
        """A function that computes the content of an outer variable; None if the content stays as it is. `changes` is
        True if the traced code may set the variable again."""
        try:
            content = cell.cell_contents
        except ValueError:
            return None
        if changes and type(content) in _PLAIN:
            return lambda values: content
        if type(content) in _PLAIN or isinstance(content, type | types.ModuleType | types.BuiltinFunctionType):
            return None
        if isinstance(content, np.ndarray) and type(content) is not Tensor:
            return None  # it is read as it is then
        if is_traced_function(content) or (not changes and any(content is around for around in self._around)):
            return None
        return self._maker(content)

    def _method(self, bound: types.MethodType) -> Maker:
        assert self._trace is not None
        function, owner = bound.__func__, self._maker(bound.__self__)
        if not isinstance(function, types.FunctionType):
            return lambda values: types.MethodType(function, owner(values))
        if is_foreign_class(type(bound.__self__)):
            return lambda values: types.MethodType(function, owner(values))
        inner = self._function(function)
        return lambda values: types.MethodType(inner(values), owner(values))


def holds_traced(value: Any) -> bool:
    """True for traced values and containers of them, as far as containers tell."""
    if type(value) in (Tensor, SymbolicInt, Text, OneOf, Foreign) or type(value).__name__ == "TracedRange":
        return True
    if type(value) is GraphList and value.is_staged:
        return True
    if type(value) is functools.partial:
        return holds_traced((value.args, value.keywords))
    if isinstance(value, dict):
        return any(map(holds_traced, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return len(value) < _MOST_PARTS and any(map(holds_traced, value))
    return False


def _is_constant(value: Any) -> bool:
    """True for a tuple or frozenset of numbers, texts and the like."""
    return all(type(v) in _PLAIN or (type(v) in (tuple, frozenset) and _is_constant(v)) for v in value)


def _is_rewritten(function: types.FunctionType) -> bool:

    return HELPERS in function.__globals__


def _refuse(what: str, fix: str) -> NoReturn:
    raise UnsupportedFunctionError(message(f"a library's function {what}", where(user_source(4)), fix))
