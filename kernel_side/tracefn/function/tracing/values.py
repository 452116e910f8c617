"""Expressions for the values that each call leaves outside: outputs of the program, and new objects."""

from __future__ import annotations

import enum
import functools
import itertools
import math
import types
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any, NoReturn

import numpy as np

from ...errors import UnsupportedResultError, message
from ...ir.module_name import module_of
from ...ir.number_types import typed
from ...runtime.store import StoreSource
from ...trace.context import Trace
from ...trace.control.one_of import OneOf
from ...trace.control.outside_containers import is_outside_container
from ...trace.control.selected import refuse_leaving
from ...trace.control.undefined import Maybe, Undefined
from ...trace.control.unsettled import Unsettled, is_undecided, unsettled
from ...trace.one_by_one import OneByOne
from ...trace.origin import where
from ...trace.state.captures import Captures
from ...trace.state.paths import Path
from ...trace.state.place import Place
from ...trace.state.substitute import FunctionCopies
from ...trace.tensor import Tensor
from ...trace.tree import flatten, parts, unflatten
from ...trace.values.symbolic_int import SymbolicInt
from ...trace.variables.variable import Variable
from ..bound import bound_function
from .closures import cells_of, is_defined, made_function, written_code
from .remade import holds_one_twice, parts_of_slice
from .results import Results

_IMMUTABLE = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype, enum.Enum, range, slice)
_ITERATORS: tuple[type, ...] = (
    *map(type, (iter([]), iter(()), iter(range(0)), reversed([]))),
    itertools.count, itertools.repeat, itertools.cycle, zip, enumerate,
)  # fmt: skip
_SHARED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, np.ufunc, Variable)
_MAPPINGS = (dict, OrderedDict, defaultdict, Counter)


class Values:
    """Writes such expressions. Values of the trace join the outputs of `results`."""

    def __init__(self, trace: Trace, name: str, captures: Captures, copies: FunctionCopies, results: Results) -> None:
        self._trace = trace
        self._name = name
        self._captures = captures
        self._copies = copies
        self._results = results
        self._made: dict[int, tuple[Any, str]] = {}
        self._empty: set[int] = set()
        self._given: dict[int, tuple[Any, ...]] = {}
        self.source = StoreSource("store")
        self.paths: set[str] = set()
        self.grown: set[str] = set()  # those of containers that are changed by their methods alone
        self.apart: list[tuple[Path, Path]] = []

    def _key(self, key: Any) -> str:
        if isinstance(key, SymbolicInt):
            return self._output(key.as_tensor())
        return repr(key) if type(key) in (int, str, bool) else self.source.constant(key)

    def _owner(self, owner: Any) -> str:
        if type(owner) is set and (leaf := self._results.argument(owner)) is not None:
            return self.source.argument(leaf)  # calls with equal sets share a trace
        path = self._captures.path_of(owner)
        if path is None:
            return self.source.constant(owner)  # a class or a module
        return self.source.owner(self._captures.without_arguments(path))

    def _where(self, test: Any, line: str) -> str:
        """A line that is run where a condition holds at the call."""
        return line if test is True else f"if {self._output(test)}: {line}"

    def _output(self, tensor: Tensor) -> str:
        expression = f"r[{self._results.output(tensor)}]"
        if tensor._one_type is None:
            return expression
        which = tensor._one_type.which
        number = repr(which) if type(which) is int else f"r[{self._results.output(which)}]"
        return f"{self.source.constant(typed)}({expression}, {number})"

    def _value(self, value: Any, path: str, place: Place | None) -> str:
        """An expression that gives the value at each call."""
        cls = type(value)
        if cls is Maybe or cls is Unsettled:
            self._refuse(value, path, place)
        if cls is Undefined:
            raise UnsupportedResultError(message(f"`{path}` may not be set at the end of `{self._name}`"))
        if isinstance(value, SymbolicInt):
            value = value.as_tensor()
        elif cls is np.ndarray:
            value = self._results.array(value)
        if type(value) is Tensor:
            written = self._trace.outside.written(value)
            if written is None:
                return self._output(value)
            if (leaf := self._results.written_argument(value)) is not None:
                return self.source.argument(leaf)
            outside = self._captures.known_arrays().get(id(written.array))
            if outside is None:
                self._refuse(value, path, place)
            return self.source.owner(self._captures.without_arguments(outside[1]))
        if (leaf := self._results.keyed_argument(value)) is not None:
            return self.source.argument(leaf)
        if cls in (int, bool, str, bytes) or value is None or (cls is float and math.isfinite(value)):
            return repr(value)
        if (leaf := self._results.argument(value)) is not None:
            return self.source.argument(leaf)
        if id(value) in self._given:
            return self.source.argument(self._given[id(value)])
        if id(value) in self._made:
            return self._made[id(value)][1]
        if cls is slice:
            inner = [self._value(part, path, place) for part in parts_of_slice(value)]
            return self._new(value, f"slice({', '.join(inner)})")
        if issubclass(cls, _IMMUTABLE):  # the stand-in of a library's slice is none
            return self.source.constant(value)
        if (known := self._captures.path_of(value)) is not None:
            return self.source.owner(self._captures.without_arguments(known))
        if cls is tuple:
            inner = [self._value(v, path, place) for v in value]
            return self._new(value, f"({', '.join(inner)}{',' if len(inner) == 1 else ''})") if inner else "()"
        if cls in (list, set, deque, *_MAPPINGS):
            return self._container(value, path, place)
        if cls is functools.partial:
            return self._partial(value, path, place)
        if cls is OneOf:
            return self._one_of(value, path, place)
        found = parts(value)
        if found is not None and found.kind in ("custom", "namedtuple"):
            return self._structure(value, path, place)
        if cls is types.MethodType and type(value.__func__) is types.FunctionType:
            return self._bound(value, path, place)
        if cls in _ITERATORS:
            return self._iterator(value, path, place)
        if (function := bound_function(value)) is not None:
            return self._bound_traced(value, function, path, place)
        if cls is frozenset or isinstance(value, _SHARED) or hasattr(cls, "python_function"):
            return self._shared(value, path, place)
        return self._object(value, path, place)

    def _new(self, value: Any, expression: str) -> str:
        """A variable with an object that each call makes, one for all places that hold the value."""
        made = self.source.new(expression)
        self._made[id(value)] = (value, made)
        return made

    def _container(self, value: Any, path: str, place: Place | None) -> str:
        refuse_leaving(value)
        cls, source = type(value), self.source
        if cls is list:
            expression = "[]"
        elif cls is dict:
            expression = "{}"
        elif cls is set:
            expression = "set()"
        elif cls is deque:
            expression = f"{source.constant(deque)}((), {value.maxlen!r})"
        elif cls is defaultdict:
            expression = f"{source.constant(defaultdict)}({self._value(value.default_factory, path, place)})"
        else:
            expression = f"{source.constant(cls)}()"
        made = self._new(value, expression)
        if is_undecided(value):
            for line in self._filled(made, value, cls, path, place):
                source.then(line)
        elif isinstance(value, dict):
            if value:
                update = OrderedDict.update if isinstance(value, OrderedDict) else dict.update
                pairs = [f"({self._key(k)}, {self._value(v, path, place)})" for k, v in value.items()]
                source.then(f"{source.constant(update)}({made}, [{', '.join(pairs)}])")
        elif len(value):
            inner = [self._value(v, path, place) for v in value]
            source.then(f"{made}.{'update' if cls is set else 'extend'}([{', '.join(inner)}])")
        return made

    def _filled(self, container: str, content: Any, cls: type, path: str, place: Place | None) -> list[str]:
        """The lines that fill an empty container with undecided contents."""
        if (found := unsettled(content)) is not None:
            which, lines = self._value(found.choice.which, path, place), []
            for number, option in found.options():
                filled = self._filled(container, option, cls, path, place)
                lines += [f"if {which} == {number}:", *[f"    {line}" for line in filled or ["pass"]]]
            return lines
        put, lines = "add" if issubclass(cls, set) else "append", []
        for key, held in content.items() if isinstance(content, dict) else enumerate(content):
            test, value = (held.is_set, held.value) if type(held) is Maybe else (True, held)
            shown = self._value(value, path, place)
            is_dict = isinstance(content, dict)
            line = f"{container}[{self._key(key)}] = {shown}" if is_dict else f"{container}.{put}({shown})"
            lines.append(self._where(test, line))
        return lines

    def _one_of(self, value: OneOf, path: str, place: Place | None) -> str:
        for option in map(value.option, value.numbers):
            for _, leaf in flatten(option)[0] if is_outside_container(option) else ():
                if type(leaf) is np.ndarray:  # read at each call, as those of a container that is sure to be given
                    self._results.output(self._results.array(leaf))
        if type(value.which) is int:
            return self._value(value.option(value.which), path, place)
        *others, (_, expression) = [(n, self._value(value.option(n), path, place)) for n in value.all_numbers()]
        which = self._output(value.which)
        for number, option in reversed(others):
            expression = f"{option} if {which} == {number} else {expression}"
        return f"({expression})"

    def _partial(self, value: functools.partial[Any], path: str, place: Place | None) -> str:
        given = [self._value(v, path, place) for v in (value.func, *value.args)]
        given += [f"{name}={self._value(v, path, place)}" for name, v in value.keywords.items()]
        return self._new(value, f"{self.source.constant(functools.partial)}({', '.join(given)})")

    def _iterator(self, value: Any, path: str, place: Place | None) -> str:
        """An iterator of Python's own that the traced code has made, at the item where it is."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of itertools, from Python 3.12 on
            try:
                function, args, *state = value.__reduce__()
            except (TypeError, AttributeError):
                self._refuse(value, path, place)
        is_known = [hasattr(type(a), "__len__") or isinstance(a, (int, float, Tensor, *_ITERATORS)) for a in args]
        if not all(is_known) or type(args[0]) is OneByOne:
            self._refuse(value, path, place)
        given = ", ".join([self._value(a, path, place) for a in args])
        made = self._new(value, f"{self.source.constant(function)}({given})")
        if state and state[0] is not None:
            self.source.then(f"{made}.__setstate__({self._value(state[0], path, place)})")
        return made

    def _structure(self, value: Any, path: str, place: Place | None) -> str:
        """A stand-in of the trace, a named tuple, or an object of a registered class."""
        refuse_leaving(value)
        is_list = isinstance(value, list) and not getattr(value, "is_staged", False)
        if is_list and (is_undecided(value) or holds_one_twice(value)):  # it may contain itself
            made = self._new(value, "[]")
            for line in self._filled(made, value, list, path, place):
                self.source.then(line)
            return made
        held, tree = flatten(value, path, lambda part: part is not value)
        given = ", ".join([self._value(part, path, place) for _, part in held])
        rebuild = self.source.constant(unflatten)
        return self._new(value, f"{rebuild}({self.source.constant(tree)}, [{given}])")

    def _object(self, value: Any, path: str, place: Place | None) -> str:
        """An object of the user's class that the traced code has made: made anew by each call, without `__init__`."""
        cls = type(value)
        is_stand_in = module_of(cls).startswith("tracefn.trace.")  # of a `zip` or `x.flat`
        attributes = None if is_stand_in else _attributes(value)
        if id(value) in self._trace.deleted_from and any(type(held) is Maybe for held in (attributes or {}).values()):
            attributes = None  # the order of which is another one where they are set
        if attributes is None:
            self._refuse(value, path, place)
        source = self.source
        new = cls.__new__ if cls is types.SimpleNamespace else object.__new__
        made = self._new(value, f"{source.constant(new)}({source.constant(cls)})")
        setter = source.constant(object.__setattr__)
        for name, held in attributes.items():
            test, inner = (held.is_set, held.value) if type(held) is Maybe else (True, held)
            line = f"{setter}({made}, {name!r}, {self._value(inner, f'{path}.{name}', place)})"
            if test is not False:
                source.then(self._where(test, line))
        return made

    def _shared(self, value: Any, path: str, place: Place | None) -> str:
        """A function, class, module or the like: the same at each call."""
        if not isinstance(value, types.FunctionType):
            inner = getattr(value, "python_function", None)
            if isinstance(inner, types.FunctionType) and is_defined(self._trace, inner):
                self._refuse(value, path, place)
            return self.source.constant(value)
        if is_defined(self._trace, value):
            return self._function(value, path, place)
        original = self._copies.original(value)
        if original is value and value.__closure__:
            self._refuse(value, path, place)
        return self.source.constant(original)

    def _function(self, value: types.FunctionType, path: str, place: Place | None) -> str:
        """A function that the traced code has defined, with the variables that its calls share."""
        code = written_code(value, self._captures.functions)
        if code is None:
            self._refuse(value, path, place)
        source, cells = self.source, cells_of(value)
        closure = [self._cell(cells[name], path, place) for name in code.co_freevars]
        defaults = self._value(value.__defaults__, path, place)
        named = self._value(value.__kwdefaults__, path, place)
        namespace = self._copies.original_globals(value.__globals__)
        made = self._new(
            value,
            f"{source.constant(made_function)}({source.constant(code)}, {source.constant(namespace)}, "
            f"{source.constant(value)}, ({''.join(f'{c}, ' for c in closure)}), {defaults}, {named})",
        )
        for cell, name in zip(closure, code.co_freevars, strict=True):
            self._fill(cells[name], cell, path, place)
        for name, held in vars(value).items():
            source.then(f"setattr({made}, {name!r}, {self._value(held, f'{path}.{name}', place)})")
        return made

    def _cell(self, cell: types.CellType, path: str, place: Place | None) -> str:
        original = self._copies.original_cell(cell)
        if self._copies.is_outside_cell(original):
            return self.source.constant(original)
        if id(cell) not in self._made:
            self._made[id(cell)] = (cell, self.source.new(f"{self.source.constant(types.CellType)}()"))
            self._empty.add(id(cell))
        return self._made[id(cell)][1]

    def _fill(self, cell: types.CellType, made: str, path: str, place: Place | None) -> None:
        """Sets a new variable, once."""
        if id(cell) in self._empty:
            self._empty.discard(id(cell))
            if cell != types.CellType():
                self.source.then(f"{made}.cell_contents = {self._value(cell.cell_contents, path, place)}")

    def _bound(self, value: types.MethodType, path: str, place: Place | None) -> str:
        """A method of an object."""
        if type(value.__self__) is Tensor:
            return self._bound_of_array(value, path, place)
        function, method = self._copies.original(value.__func__), self.source.constant(types.MethodType)
        owner = self._value(value.__self__, path, place)
        return self._new(value, f"{method}({self.source.constant(function)}, {owner})")

    def _bound_of_array(self, value: types.MethodType, path: str, place: Place | None) -> str:
        """A method of an array: that of the array that is there at a call, in the place of the Tensor's."""
        name = next((n for n in dir(np.ndarray) if getattr(Tensor, n, None) is value.__func__), None)
        if name is None:
            self._refuse(value, path, place)
        return self._new(value, f"({self._value(value.__self__, path, place)}).{name}")

    def _bound_traced(self, value: Any, function: Any, path: str, place: Place | None) -> str:
        """A traced method of an object: the object that is there at a call has a function of its own."""
        owner = self._value(value.__self__, path, place)
        return self._new(value, f"{self.source.constant(function._class_has or function)}.__get__({owner})")

    def _refuse(self, value: Any, path: str, place: Place | None) -> NoReturn:
        source = None if place is None else self._trace.journal.sources.get(place)
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise UnsupportedResultError(
            message(
                f"`{self._name}` puts an object of type {kind} into `{path}`, which cannot be made anew at each call",
                where(source),
                "Keep arrays, Python values, and containers or plain objects of them there.",
            )
        )


def _attributes(value: Any) -> dict[str, Any] | None:
    """The attributes of an object of a Python class. None if they are not all known."""
    cls = type(value)
    if cls is types.SimpleNamespace:
        return dict(vars(value))
    if cls.__flags__ & (1 << 9) == 0 or issubclass(cls, BaseException | type):  # no class of Python code
        return None
    try:
        object.__new__(cls)
    except TypeError:  # a class in C makes its objects itself
        return None
    found = dict(getattr(value, "__dict__", {}))
    for base in cls.__mro__[:-1]:
        slots = base.__dict__.get("__slots__")
        if base.__flags__ & (1 << 9) == 0:
            return None
        for name in (slots,) if isinstance(slots, str) else slots or ():
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                found[name] = getattr(value, name)
    return found
