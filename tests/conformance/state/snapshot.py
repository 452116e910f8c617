"""All state that can be reached from some names, as plain data that can be compared: values bit by bit, Python types,
and which objects and which memory are the same."""

import collections
import functools
import hashlib
import itertools
import operator
import pickle
import random
import types

import numpy as np
import tracefn

SIMPLE = (str, bytes, type(None), type(Ellipsis), range, slice)
ITERATORS = (type(iter([])), type(iter(())), type(iter(range(1))), type(iter({})), type(reversed([])))


class Snapshot:
    """`entries`: a description for each path, in the order in which they are met."""

    def __init__(self, roots, module):
        self.entries = {}
        self._module = module
        self._met = {}
        self._alive = []
        self._memory = []
        for name, value in roots.items():
            self._walk(name, value)
        self._alive.clear()  # a weak reference to an object that is gone is None in the steps to come

    def _walk(self, path, value):
        kind = type(value)
        if kind is int or kind is bool or issubclass(kind, SIMPLE):
            self.entries[path] = (kind.__name__, repr(value))
        elif kind is float:
            self.entries[path] = ("float", bits(value))
        elif kind is complex:
            self.entries[path] = ("complex", bits(value.real), bits(value.imag))
        elif issubclass(kind, np.generic):
            self.entries[path] = (kind.__name__, str(value.dtype), bits(value))
        elif issubclass(kind, np.dtype):
            self.entries[path] = ("dtype", str(value))
        elif kind is tuple:
            self._sequence(path, value)
        elif id(value) in self._met:
            self.entries[path] = ("the same as", self._met[id(value)])
        else:
            self._alive.append(value)
            self._met[id(value)] = path
            self._object(path, value)

    def _object(self, path, value):
        kind = type(value)  # never `isinstance`, which asks traced values that were left behind what they stand for
        if issubclass(kind, np.ndarray):
            self._array(path, value)
        elif issubclass(kind, type):
            self._class(path, value)
        elif issubclass(kind, CODE):
            self._function(path, value)
        elif issubclass(kind, dict):
            self._dict(path, value)
        elif issubclass(kind, list | tuple | collections.deque | collections.UserList):
            self._sequence(path, value)
        elif issubclass(kind, set | frozenset):
            self.entries[path] = (kind.__name__, sorted(map(_item, value)))
        elif issubclass(kind, BaseException):
            self.entries[path] = (kind.__name__, str(value))
        else:
            self._other(path, value)

    def _sequence(self, path, value):
        extra = (value.maxlen,) if isinstance(value, collections.deque) else ()
        self.entries[path] = (type(value).__name__, len(value), *extra)
        for at, item in enumerate(value):
            self._walk(f"{path}[{at}]", item)
        if hasattr(value, "__dict__"):
            self._attributes(path, value)

    def _array(self, path, value):
        content = bits(value) if value.dtype != object else "objects"
        self.entries[path] = ("array", str(value.dtype), value.shape, content)
        if not value.flags.writeable:
            self.entries[path] += ("read-only",)
        if value.dtype == object:
            for at, item in enumerate(value.flat):
                self._walk(f"{path}.flat[{at}]", item)
        if not value.size:
            return
        low, high = np.lib.array_utils.byte_bounds(value)
        for other, low2, high2 in self._memory:
            if low < high2 and low2 < high:
                self.entries[f"{path} lies in the memory of {other}"] = ("at", low - low2, value.strides)
                break
        self._memory.append((path, low, high))

    def _class(self, path, value):
        self.entries[path] = ("class", value.__qualname__)
        if self._is_own(value):
            for name, item in sorted(vars(value).items()):
                if not (name.startswith("__") or name == "_abc_impl" or isinstance(item, DESCRIPTORS)):
                    self._walk(f"{path}.{name}", item)

    def _function(self, path, value):
        plain = value.python_function if isinstance(value, tracefn.Function) else value
        plain = getattr(plain, "__func__", plain) if isinstance(plain, staticmethod | classmethod) else plain
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType):
            self.entries[path] = ("method", getattr(plain, "__name__", ""))
            self._walk(f"{path}.__self__", owner)
            return
        if isinstance(value, functools.partial):
            self.entries[path] = ("partial",)
            for name in ("func", "args", "keywords"):
                self._walk(f"{path}.{name}", getattr(value, name))
            return
        if not isinstance(plain, types.FunctionType) or not self._is_own(plain):
            self.entries[path] = ("function", getattr(plain, "__name__", type(plain).__name__))
            return
        self.entries[path] = ("function", value.__name__)
        for name, cell in zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True):
            try:
                held = cell.cell_contents
            except ValueError:
                held = "unbound"
            self._walk(f"{path}:{name}", held)
        for at, item in enumerate(plain.__defaults__ or ()):
            self._walk(f"{path}:default {at}", item)
        for name, item in sorted({**vars(plain), **vars(value)}.items()):
            if not name.startswith("__"):
                self._walk(f"{path}.{name}", item)

    def _dict(self, path, value):
        self.entries[path] = (type(value).__name__, len(value))
        if isinstance(value, collections.defaultdict):
            self._walk(f"{path}.default_factory", value.default_factory)
        for at, (key, item) in enumerate(value.items()):
            self._walk(f"{path} key {at}", key)
            self._walk(f"{path}[{key!r}]", item)
        if hasattr(value, "__dict__"):
            self._attributes(path, value)

    def _other(self, path, value):
        kind = type(value)
        self.entries[path] = (f"{kind.__name__} object",)
        if issubclass(kind, np.random.Generator):
            self._walk(f"{path}.state", repr(value.bit_generator.state))
        elif issubclass(kind, np.random.RandomState):
            self._walk(f"{path}.state", digest(value.get_state(legacy=False)))
        elif issubclass(kind, random.Random):
            self._walk(f"{path}.state", digest(value.getstate()))
        elif issubclass(kind, ITERATORS):
            self._walk(f"{path}.left", operator.length_hint(value))
        elif issubclass(kind, itertools.count):
            self._walk(f"{path}.next", repr(value))
        elif issubclass(kind, types.GeneratorType):
            self._walk(f"{path}.locals", dict(value.gi_frame.f_locals) if value.gi_frame else "ended")
        elif self._is_own(kind) or issubclass(kind, types.SimpleNamespace | collections.UserDict):
            self._attributes(path, value)

    def _is_own(self, value):
        """Whether it is a part of the program: of its module, or of its package."""
        return (value.__module__ or "").partition(".")[0] == self._module

    def _attributes(self, path, value):
        attributes = dict(getattr(value, "__dict__", ()))
        for base in type(value).__mro__:
            slots = vars(base).get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if not name.startswith("__") and hasattr(value, name):
                    attributes[name] = getattr(value, name)
        for name, item in sorted(attributes.items()):
            self._walk(f"{path}.{name}", item)


def _item(value):
    """What is told of something in a set: objects that do not say what they are have an address in their repr."""
    return type(value).__name__ if type(value).__repr__ is object.__repr__ else repr(value)


def digest(state):
    """A long state in short."""
    return hashlib.md5(pickle.dumps(state)).hexdigest()[:8]


CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, np.ufunc, functools.partial, tracefn.Function)
DESCRIPTORS = (property, staticmethod, classmethod, types.MemberDescriptorType, types.GetSetDescriptorType)


class Bits(bytes):
    """Bytes that are shown as what they stand for."""

    def __new__(cls, content, value):
        self = super().__new__(cls, content)
        self.shown = repr(value.tolist() if isinstance(value, np.ndarray) else value.item())
        return self

    def __repr__(self):
        return self.shown


def bits(value):
    """A float, or an array, that is equal to those of the same bits alone. NaNs are alike: of the sign of one that is a
    result of arithmetic IEEE 754 says nothing (6.3), and that of NumPy depends on the order in which a loop takes its
    operands."""
    value = np.array(value)
    for part in (value.real, value.imag) if value.dtype.kind == "c" else (value,) if value.dtype.kind == "f" else ():
        part[np.isnan(part)] = np.nan
    return Bits(value.tobytes(), value)


def difference(eager, traced):
    """The first path at which two snapshots differ, as (kind of difference, sentence); None where they do not."""
    for path, (one, other) in _pairs(eager.entries, traced.entries):
        if one == other:
            continue
        if one is None:
            return "more state than eager", f"{path}: eager has none, traced {_text(other)}"
        if other is None:
            return f"missing {one[0]}", f"{path}: eager {_text(one)}, traced has none"
        if one[0] != other[0]:
            return f"{one[0]} is {other[0]}", f"{path}: eager {_text(one)}, traced {_text(other)}"
        return f"{one[0]} differs", f"{path}: eager {_text(one)}, traced {_text(other)}"
    return None


def _pairs(one, other):
    for path in one:
        yield path, (one[path], other.get(path))
    for path in other.keys() - one.keys():
        yield path, (None, other[path])


def _text(entry):
    return " ".join(part if isinstance(part, str) else repr(part) for part in entry)[:200]
