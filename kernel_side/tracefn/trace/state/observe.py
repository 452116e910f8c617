"""Records reads of outside values while they happen: the code alone does not show properties, `getattr` and objects in
containers."""

from __future__ import annotations

import enum
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Container
from typing import Any

import numpy as np

from ...ir.types import is_traceable, random_kind
from ..code.bound import is_bound
from ..code.plain import holds
from ..kinds import is_variable
from .captures import Captures
from .compared import is_container, is_named_tuple
from .kept_calls import record_kept_call
from .lengths import Lengths
from .methods import record_answer, record_inherited, record_method, record_of_class
from .paths import ArrayCapture, Path, ValueCapture, is_literal
from .recording import is_library_module, record, record_container, record_descriptor, record_library
from .resolve import settle_special

KEYED = frozenset({dict, defaultdict, OrderedDict, Counter})
"""Types of dicts that hold a key, or do not, as the guards ask it."""


class Observer:
    """Takes the reads of attributes and items by rewritten code. `tensor(value)` stands for an array, a number or a
    random generator from outside, `number(path, value)` for a number that is an input, and `learn()` tells the trace of
    the arrays that were found. `symbolic` are the ids of containers that hold the items of each call.

    `is_changed(owner, key)` says whether the trace itself has written there.
    """

    def __init__(
        self,
        captures: Captures,
        tensor: Callable[[Any], Any],
        is_changed: Callable[[Any, str, Any], bool],
        learn: Callable[[], None],
        number: Callable[[Path, Any], Any],
        symbolic: Container[int],
    ) -> None:
        self._captures = captures
        self._tensor = tensor
        self._is_changed = is_changed
        self._learn = learn
        self._number = number
        self._symbolic = symbolic
        self._read_whole: set[int] = set()
        self._read_items: set[int] = set()
        self._filled: dict[int, Any] = {}  # tuples with the numbers of each call, and those that they stand for
        self._unused = dict(captures.values)  # guards of the names in the code, of which hooks have seen no use
        self._owners: dict[int, Any] = {}  # containers whose parts the code reads or changes next
        self.symbolic: set[int] = set()
        self.check: Callable[[Any], None] = lambda owner: None  # raises for an owner that is not known any more
        self.moved: Container[Any] = ()  # the keys of attributes that are not known any more
        self.refuse_moved: Callable[[str], None] = lambda name: None
        self.given: Callable[[Any], None] = lambda owner: None  # told of containers that are read unseen
        self.waits: Callable[[Any], bool] = lambda value: False  # a container whose changes wait: reads are steps

    def read(self, owner: Any, kind: str, key: Any, value: Any) -> Any:
        """Notes that `owner.key` or `owner[key]` was read. Returns the value for the code."""
        self.check(owner)
        self._owners.pop(id(owner), None)
        if self.moved and kind == "attr" and (id(owner), key) in self.moved:
            self.refuse_moved(f"{type(owner).__name__}.{key}")
        if id(owner) in self._filled and self._is_input(owner, kind, key, value):
            return value
        captures = self._captures
        if isinstance(owner, type | types.ModuleType):
            captures.meet(Path(("object", owner, owner.__name__)), owner)
        path = captures.path_of(owner)
        if path is None and kind == "attr" and (cls := _class_with(owner, key)) is not None:
            return self.read(cls, kind, key, value)
        if type(owner) is super and (found := record_inherited(captures, owner, key, value)) is not None:
            return self.read(found, kind, key, value)
        if path is None:
            if kind == "attr" and isinstance(value, types.MethodType) and type(owner) is not super:
                self._read_made(type(owner), key)
            return self._from_argument(value)
        if is_library_module(owner) or is_variable(owner):
            if isinstance(owner, types.ModuleType) and not self._is_changed(owner, kind, key):
                record_library(captures, owner, key)
            return value
        is_kept = kind != "attr" or _is_kept(owner, key)
        if is_bound(value) and not is_kept:  # bound anew at each read
            record_kept_call(
                captures, path.into(owner, kind, key), value, lambda way, held: record(captures, way, held, [])
            )
            self._found()
            return value
        if isinstance(value, types.MethodType) and not is_kept:
            if value.__self__ is owner or isinstance(value.__self__, type):
                record_method(captures, path, key, value)
            return value
        if type(value) is types.MethodWrapperType and value.__self__ is owner:  # bound anew at each read
            self.read_method(type(owner), key, getattr(type(owner), key))
            return value
        if isinstance(value, types.BuiltinFunctionType) and (
            isinstance(owner, types.ModuleType) or value.__self__ is owner
        ):
            return value
        place = key % len(owner) if kind == "item" and type(key) is int and isinstance(owner, list | deque) else key
        holder = _holder(owner, kind, key)
        if self._is_changed(holder, kind, place):
            return self._tensor(value) if type(value) is np.ndarray and captures.knows(value) else value
        if self.waits(value):
            return self.read_owner(owner, kind, key, value)
        captures.found_at.setdefault(id(value), (holder, kind, key))
        return self._reached(path.into(owner, kind, key), value, (id(owner), key) in captures.covered)

    def _is_input(self, filled: Any, kind: str, key: Any, value: Any) -> bool:
        """True for an item or field of such a tuple that is not that of the tuple for which it stands."""
        before = self._filled[id(filled)][1]
        if kind == "attr":
            return key in getattr(before, "_fields", ()) and value is not getattr(before, key)
        return value is not before[key]

    def _read_made(self, cls: type, name: str) -> None:
        """Notes that a method was read of an object that the trace has made."""
        if (found := getattr(cls, name, None)) is not None:
            self.read_method(cls, name, found)

    def _found(self) -> None:
        """Called when more state outside was recorded."""
        settle_special(self._captures)
        self._learn()

    def read_method(self, cls: type, name: str, value: Any) -> None:
        """Notes that a special method or a property of a class was used."""
        if not self._is_changed(cls, "attr", name):
            record_of_class(self._captures.identities, cls, name, value)

    def read_descriptor(self, cls: type, name: str, descriptor: Any) -> None:
        """Notes that a descriptor of the user's was asked: it may be replaced, and its content may change."""
        if not self._is_changed(cls, "attr", name):
            record_descriptor(self._captures, cls, name, descriptor)

    def read_answer(self, what: str, value: Any, cls: type, answer: bool) -> None:
        """Notes the answer of a class's metaclass about an object ('instance') or of another class ('subclass')."""
        record_answer(self._captures, what, value, cls, answer)

    def lengths(self) -> Lengths:
        """The lengths of containers that are numbers."""
        captures, number = self._captures, self._number
        return Lengths(captures, number, lambda path, value: self._reached(path, value, False), self._is_used)

    def _is_used(self, owner: Any) -> None:
        """Notes that the code has read a part of a container that it was to read or change."""
        self._owners.pop(id(owner), None)

    def read_owner(self, owner: Any, kind: str, key: Any, value: Any) -> Any:
        """The same, where the code reads or changes parts of the value next, and says so then."""
        path = self._captures.path_of(owner)
        if path is None and self._captures.knows(value):
            return value
        is_changed = self._is_changed(_holder(owner, kind, key), kind, key)
        if path is None or not is_container(value) or isinstance(value, tuple) or is_changed:
            return value if self.waits(value) else self.read(owner, kind, key, value)
        inner = path.into(owner, kind, key)
        if (id(owner), key) in self._captures.covered or not _is_simple(inner.steps[-1][1]):
            return value if self.waits(value) else self.read(owner, kind, key, value)
        self.check(owner)
        self._owners.pop(id(owner), None)
        self._captures.found_at.setdefault(id(value), (owner, kind, key))
        self._captures.types.setdefault(inner.key(), ValueCapture(inner, type(value), "type"))
        self._captures.meet(inner, value)
        self._owners[id(value)] = value
        return value

    def read_rest(self, is_written: Callable[[Any], bool]) -> None:
        """Guards, as a whole, the containers that the code has reached without a recorded read or write of a part."""
        for owner in list(self._owners.values()):
            if not is_written(owner):
                self.read_whole(owner)

    def _from_argument(self, value: Any) -> Any:
        """A container in an argument that is keyed by identity: its content is read."""
        path = self._captures.path_of(value)
        if path is not None and path.root[0] == "argument" and not path.steps and is_container(value):
            self.read_items(value)
        return value

    def varies(self, owner: Any, key: Any) -> None:
        """Notes that the code changes the number in this item: it is read at each call."""
        path, numbers = self._captures.path_of(owner), self._captures.numbers
        if path is not None and numbers is not None and _is_simple(key):
            place = path.into(owner, "item", key)
            numbers.changing |= {place.text}
            known = self._captures.values.get(place.key())
            is_unused = known is self._unused.get(place.key())
            if known is not None and is_unused and numbers.takes(place, known.value):
                self._captures.unread[place.key()] = self._captures.values.pop(place.key())

    def read_at(self, path: Path, value: Any) -> Any:
        """The same for the value of a variable."""
        captures, key = self._captures, path.key()
        return self._reached(path, value, key in captures.values or key in captures.identities)

    def read_original(self, owner: Any, key: Any, value: Any) -> Any:
        """The same for an item of a container that the trace has changed since."""
        path = self._captures.path_of(owner)
        if path is None:
            return value
        return self._reached(path.into(owner, "item", key), value, (id(owner), key) in self._captures.covered)

    def _reached(self, path: Path, value: Any, is_covered: bool) -> Any:
        captures = self._captures
        if type(value) is np.ndarray and is_traceable(value.dtype):
            if path.key() not in captures.arrays:
                captures.add_array(ArrayCapture(path, value, False))
                self._found()
            self.symbolic.add(id(value))
            return self._tensor(value)
        if random_kind(value) is not None:
            if not is_covered and all(p.text != path.text for p in captures.generators.paths_to(value)):
                captures.generators.found(path, value)
            return self._tensor(value)
        if captures.numbers is not None and captures.numbers.takes(path, value):
            captures.read_by_calls.add(captures.place_key(path))
            return self._number(path, value)
        if is_named_tuple(value) and (not is_covered or path.key() not in captures.identities):
            named: Any = value
            captures.types.setdefault(path.key(), ValueCapture(path, type(value), "type"))
            fields = [self._reached(path.then("attr", f), v, False) for f, v in zip(named._fields, named, strict=True)]
            made = tuple.__new__(type(named), fields)
            captures.meet(path, made)
            self._filled[id(made)] = made, value
            return made
        if not is_covered:
            record(captures, path, value, [])
            self._found()
        self._unused.pop(path.key(), None)
        captures.meet(path, value)
        if type(value) is tuple and captures.numbers is not None and (made := self._fill(path, value)) is not value:
            captures.meet(path, made)
            self._filled[id(made)] = made, value
            return made
        return value

    def _fill(self, path: Path, value: tuple[Any, ...]) -> tuple[Any, ...]:
        """A tuple with the numbers that each call reads: code that uses it as a whole, as an index or key, gets
        these, and not those of the traced call."""
        numbers = self._captures.numbers
        assert numbers is not None
        parts: list[Any] = []
        for number, part in enumerate(value):
            inner = path.then("item", number)
            if numbers.takes(inner, part):
                parts.append(self._reached(inner, part, True))
            else:
                parts.append(self._fill(inner, part) if type(part) is tuple else part)
        return value if all(a is b for a, b in zip(parts, value, strict=True)) else tuple(parts)

    def read_whole(self, owner: Any) -> None:
        """Notes that code which is not rewritten reads all that is in a container: its numbers are guarded."""
        self.given(owner)
        if id(owner) in self._symbolic:
            return
        numbers, self._captures.numbers = self._captures.numbers, None
        try:
            self._read_container(owner, self._read_whole)
        finally:
            self._captures.numbers = numbers

    def read_items(self, owner: Any) -> None:
        """Notes that code goes over all that is in a container, item by item."""
        self.check(owner)
        if id(owner) not in self._read_whole:
            self._read_container(owner, self._read_items)

    def _read_container(self, owner: Any, done: set[int]) -> None:
        self.check(owner)
        self._owners.pop(id(owner), None)
        path = self._captures.path_of(owner)
        if path is not None and id(owner) not in done and id(owner) not in self._filled:
            done.add(id(owner))
            record_container(self._captures, path, owner)
            self._found()

    def read_length(self, owner: Any) -> None:
        """Notes that code depends on how many items a container has."""
        self.check(owner)
        self._owners.pop(id(owner), None)
        captures = self._captures
        path = captures.path_of(owner)
        if path is not None and (path.key(), "length") not in captures.values and id(owner) not in self._read_whole:
            captures.values[(path.key(), "length")] = ValueCapture(path, len(captures.original(owner)), "length")

    def read_size(self, owner: Any) -> None:
        """The same for a container that the trace may have changed: then the keys that a dict had before decide."""
        before, path = self._captures.original(owner), self._captures.path_of(owner)
        if before is owner or not isinstance(owner, dict):
            self.read_length(owner)
        elif not all(map(is_literal, keys := tuple(before))):
            self.read_whole(owner)
        elif path is not None:
            self.check(owner)
            self._owners.pop(id(owner), None)
            self._captures.types.setdefault(path.key(), ValueCapture(path, type(owner), "type"))
            self._captures.values.setdefault((path.key(), "keys"), ValueCapture(path, keys, "keys"))

    def read_key(self, owner: Any, key: Any, is_there: bool) -> bool:
        """Notes that code asks a dict, which the trace has not changed, for a key. False where that alone cannot
        be guarded."""
        if type(owner) not in KEYED or not is_literal(key):
            return False
        self.check(owner)
        self._owners.pop(id(owner), None)
        if (path := self._captures.path_of(owner)) is None:
            return True
        self._captures.types.setdefault(path.key(), ValueCapture(path, type(owner), "type"))
        what = "with" if is_there else "without"
        self._captures.values[(path.key(), what, key)] = ValueCapture(path, (key,), what)
        return True

    def lacks(self, owner: Any, kind: str, key: Any) -> None:
        """Notes that code depends on an attribute or item not being there."""
        self.check(owner)
        self._owners.pop(id(owner), None)
        if kind == "attr" and (id(owner), key) in self.moved:
            self.refuse_moved(f"{type(owner).__name__}.{key}")
        captures = self._captures
        if isinstance(owner, type | types.ModuleType):
            captures.meet(Path(("object", owner, owner.__name__)), owner)
        path = captures.path_of(owner)
        if path is None or self._is_changed(owner, kind, key):
            return
        if kind == "item":
            self.read_whole(owner)
        elif not is_library_module(owner):
            is_computed = hasattr(owner, "__dict__") and not isinstance(owner, type) and _computes(type(owner), key)
            captures.values[(path.key(), "lacks", key)] = ValueCapture(path, key, "unset" if is_computed else "lacks")
            if is_computed and not any(key in vars(cls) for cls in type(owner).__mro__):  # `__getattr__` is asked
                of_class = path.then("attr", "__class__")
                captures.values[(of_class.key(), "lacks", key)] = ValueCapture(of_class, key, "lacks")

    def asks_for(self, owner: Any, name: str) -> None:
        """Notes that code asks whether an object itself holds an attribute."""
        path = self._captures.path_of(owner)
        if path is not None and not self._is_changed(owner, "attr", name):
            held, what = path.then("attr", "__dict__"), "with" if holds(owner, name) else "without"
            self._captures.values[(held.key(), what, name)] = ValueCapture(held, (name,), what)

    def read_names(self, owner: Any) -> None:
        """Notes that code goes over the attributes that an object itself holds."""
        path = self._captures.path_of(owner)
        if path is not None and hasattr(owner, "__dict__"):
            held = path.then("attr", "__dict__")
            names = self._captures.original_names(owner)
            self._captures.values[(held.key(), "keys")] = ValueCapture(held, names, "keys")


def _is_kept(owner: Any, name: str) -> bool:
    """True for an attribute that an object holds itself."""
    if holds(owner, name):
        return True
    found = next((vars(cls)[name] for cls in type(owner).__mro__ if name in vars(cls)), None)
    return type(found) is types.MemberDescriptorType


def _computes(cls: type, name: str) -> bool:
    """True for a class with code that gives an attribute which an object does not hold."""
    found = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    if type(found) is types.MemberDescriptorType:
        return False
    return hasattr(cls, "__getattr__") or hasattr(type(found), "__get__")


def _class_with(owner: Any, name: str) -> type | None:
    """The class from which an object has an attribute that is not its own."""
    if isinstance(owner, type | types.ModuleType) or holds(owner, name):
        return None
    found = next((cls for cls in type(owner).__mro__ if name in vars(cls)), None)
    return None if found is None or hasattr(type(vars(found)[name]), "__get__") else found


def _holder(owner: Any, kind: str, key: Any) -> Any:
    """The object itself, or the class from which it has an attribute: the place that code changes."""
    holder = _class_with(owner, key) if kind == "attr" else None
    return owner if holder is None else holder


def _is_simple(key: Any) -> bool:
    return isinstance(key, str | int | float | bool | tuple | bytes | enum.Enum | np.generic)
