"""The writes of a trace: they are undone, and a generated function makes them at each call with its values."""

from __future__ import annotations

import inspect
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ...errors import InPlaceWriteError, message
from ...ir.op import CAPTURE
from ...trace.autograph.augmented import ORDERING, SYMBOLS
from ...trace.control.one_of import OneOf
from ...trace.control.undefined import Maybe, Undefined
from ...trace.control.unsettled import is_undecided, unsettled
from ...trace.origin import where
from ...trace.state.compared import CONTAINERS, in_order
from ...trace.state.journal import Operation
from ...trace.state.paths import Path, is_name
from ...trace.state.place import MISSING, Attribute, Contents, Held, Item, Outer, Place, fill, own_kind, own_method
from ...trace.tensor import Tensor
from ...trace.tree import fields_of, parts, step
from ...trace.values.symbolic_int import SymbolicInt
from ...trace.variables.variable import Variable
from ..made.held_outside import held_outside
from .changes import _IMMUTABLE, _add_containers, _holds_the_same, _move, _undo, holds_created
from .containers import Container, added
from .remade import holds_one_twice, is_remade
from .values import Values

_MAPPINGS = (dict, OrderedDict, defaultdict, Counter)


class Writes(Values):
    """Collects the writes of a call."""

    def take(
        self, held: list[Container], tuples: dict[int, Any], undo: list[Callable[[], None]], returned: Any
    ) -> bool:
        """Takes the changes of the trace back, and writes the lines that make them. True where these give the result as
        well, because it holds, or is, an object that is outside or is stored there.

        `held` are the containers that stand for those among the arguments while tracing, `tuples` the places of tuples.
        Functions that take back the storing of a Variable made in the trace join `undo`.
        """
        trace = self._trace
        inside = {id(h.container) for h in held}
        self._given = tuples | {id(h.container): h.place for h in held if h.is_callers}
        changes = {
            place: change
            for place, change in trace.journal.changes().items()
            if not isinstance(place, Held) and id(place.owner) not in inside
        }
        unchanged = {place for place, change in changes.items() if self._is_unchanged(place, *change)}
        kept = {place for place, (_, after) in changes.items() if holds_created(trace, after)}
        new = [p for p in changes if p not in kept and p not in unchanged and not self._is_outside(p)]
        unknown = [p for p in new if not isinstance(p, Outer)]  # a variable of a call ends with it
        lines: list[tuple[Place, Any, Any]] = []
        for place, change in changes.items():
            if place in kept:
                undo.append(_undo(place, change[0], self._copies))
                _move(place, change[1], self._copies)
            elif place not in new:
                lines.append((place, *change))
        self._note_apart([place.owner for place, *_ in lines])
        arguments = [line for h in held if h.is_callers for line in self._argument(h)]
        described = [arguments, *[self._describe(*line) for line in lines if line[0] not in unchanged]]
        self._note_arguments_apart(held, [place.owner for place, *_ in lines])
        gives_result = self._is_outside_or_made(returned, 0) or is_remade(trace, returned) or holds_one_twice(returned)
        if gives_result:
            self.source.result = self._value(returned, "result", None)
        trace.journal.put_back({place: before for place, before, _ in lines})
        for write in described:
            self.source.writes += write
        within: set[int] = set()
        for value in [returned] if unknown else []:
            _add_containers(value, within)
        unknown = [p for p in unknown if id(p.owner) not in self._made and id(p.owner) not in within]
        if (held_by_others := held_outside(trace.journal, unknown, changes)) is not None:
            self._refuse_unknown(held_by_others)
        return gives_result

    def _note_apart(self, changed: Sequence[Any]) -> None:
        """Notes which containers are others than those that are `changed`: their content is taken for unchanged."""
        owners = {id(owner): owner for owner in changed if isinstance(owner, CONTAINERS)}
        for owner in owners.values():
            path = self._captures.path_of(owner)
            for other, way in self._captures.known.values() if path is not None else ():
                is_pair = type(other) is type(owner) and (id(other) not in owners or id(other) > id(owner))
                if path is not None and is_pair and other is not owner:
                    self.apart.append((path, way))

    def _note_arguments_apart(self, held: Sequence[Container], changed: Sequence[Any]) -> None:
        """Notes which containers among the arguments are others than those outside: one of the two is changed."""
        owners = {id(owner) for owner in changed}
        for container in held:
            is_changed = container.place in self.source.changed
            for other, way in self._captures.known.values() if container.is_callers else ():
                if type(other) is type(container.container) and (is_changed or id(other) in owners):
                    self.source.apart.append((container.place, way))

    def _is_outside_or_made(self, value: Any, depth: int) -> bool:
        """True for a container or object that is outside or stored there, and for those that hold one."""
        if id(value) in self._made or id(value) in self._given:
            return True
        if type(value) is Tensor:
            written = self._trace.outside.written(value)
            if written is None:
                return value._one_type is not None
            return id(written.array) in self._captures.known_ids()
        if isinstance(value, np.ndarray | Variable | types.ModuleType | types.FunctionType | type):
            return False
        if self._captures.knows(value) and not isinstance(value, _IMMUTABLE):
            path = self._captures.path_of(value)
            return path is not None and (path.root[0] != "argument" or bool(path.steps))
        if depth > 8:
            return False
        if type(value) is OneOf:
            options = [value.option(number) for number in value.all_numbers()]
            return any(self._is_outside_or_made(v, depth + 1) for v in options)
        if issubclass(type(value), dict):
            return any(self._is_outside_or_made(v, depth + 1) for v in dict.values(value))
        if issubclass(type(value), list | tuple | deque):
            held = () if getattr(value, "is_staged", False) else value
        else:
            held = found.children if (found := parts(value)) is not None else ()
        return any(self._is_outside_or_made(v, depth + 1) for v in held)

    def _is_unchanged(self, place: Place, before: Any, after: Any) -> bool:
        """True where a call needs to do nothing: its value was compared at the start, or is read from there."""
        if type(after) is Undefined:
            return True
        if isinstance(place, Contents):
            if id(place.owner) in self._trace.keyed or id(place.owner) in self._trace.symbolic:
                return False  # its old content is not known, or is read at each call
            if self._trace.journal.operations.get(place) is not None or type(before) is not type(after):
                return False
            is_same = _holds_the_same(before, after)
            if is_same:
                self._trace.read_whole(place.owner)
            return is_same
        if type(after) is Tensor and (written := self._trace.outside.written(after)) is not None:
            return written.array is before and self._is_read(place)
        is_held = place.step is not None and before is not MISSING  # attributes of the class are not the object's
        if type(after) is Tensor and is_held and after._node.op is CAPTURE:
            path = self._captures.path_of(place.owner)
            if path is not None and place.step is not None:
                return bool(after._node.args[0] == self._captures.label(path.into(place.owner, *place.step)))
        return False

    def _is_read(self, place: Place) -> bool:
        """True for a place whose array the trace has read: each call finds that there."""
        if isinstance(place, Outer):
            path = Path(("closure", self._copies.original_cell(place.owner), place.name))
        elif place.step is None:
            return False
        elif (module := self._copies.original_globals(place.owner)) is not place.owner:
            path = Path(("global", module, place.step[1]))
        elif (owner := self._captures.path_of(place.owner)) is not None:
            path = owner.into(place.owner, *place.step)
        else:
            return False
        return path.key() in self._captures.arrays

    def _is_outside(self, place: Place) -> bool:
        owner = place.owner
        if isinstance(place, Outer):
            return self._copies.is_outside_cell(self._copies.original_cell(owner))
        if isinstance(owner, type | types.ModuleType):
            return True
        if self._copies.original_globals(owner) is not owner:
            return True
        return self._captures.knows(owner)

    def _describe(self, place: Place, before: Any, after: Any) -> list[str]:
        """The lines that make one change."""
        if type(after) is Undefined:
            return []
        if isinstance(place, Contents):
            return self._contents(place, before, after)
        if after is MISSING:
            return [self._deletion(place)]
        test, after = (after.is_set, after.value) if type(after) is Maybe else (True, after)
        if test is False:
            return [] if before is MISSING else [self._deletion(place)]
        value = self._value(after, place.name, place)
        if test is True:
            self._note_set(place, value)
        set_ = self._where(test, f"{self._assignment(place, value)}  # {place.name}")
        if place.key in self._trace.journal.set_again:
            return [self._deletion(place), set_]
        if test is True or before is MISSING:
            return [set_]
        return [set_, f"if not {self._output(test)}:", f"    {self._deletion(place)}"]  # a branch may have deleted it

    def _assignment(self, place: Place, value: str) -> str:
        """The line that gives a place a value."""
        if not isinstance(place, Attribute):
            return f"{self._target(place)} = {value}"
        self.paths.add(self._path_text(place))
        return self._set(place.owner, self._owner(place.owner), place.attribute, value)

    def _note_set(self, place: Place, value: str) -> None:
        owner = place.owner
        if isinstance(place, Outer):
            cell = self._copies.original_cell(owner)
            self.source.sets(Path(("object", cell, place.name)), "attr", "cell_contents", value)
            return
        assert place.step is not None
        kind, key = place.step
        if isinstance(key, SymbolicInt):
            return
        original = self._copies.original_globals(owner) if kind == "item" else owner
        path = None if original is not owner else self._captures.path_of(owner)
        self.source.sets(Path(("object", original, place.name)) if path is None else path, kind, key, value)

    def _target(self, place: Place) -> str:
        """An item or outer variable as the target of an assignment."""
        owner = place.owner
        self.paths.add(self._path_text(place))
        if isinstance(place, Outer):
            return f"{self.source.constant(self._copies.original_cell(owner))}.cell_contents"
        assert isinstance(place, Item)
        original = self._copies.original_globals(owner)
        container = self.source.constant(original) if original is not owner else self._owner(owner)
        return f"{container}[{self._key(place.item)}]"

    def _path_text(self, place: Place) -> str:
        """The path of a place as guards name it."""
        path = self._captures.path_of(place.owner)
        if path is None or isinstance(place, Outer):
            return place.name
        return path.text if place.step is None else path.then(*place.step).text

    def _deletion(self, place: Place) -> str:
        if isinstance(place, Item):
            target = self._target(place)
            return f"if {self._key(place.item)} in {target[: target.rindex('[')]}: del {target}"
        if not isinstance(place, Attribute):
            return f"del {self._target(place)}"
        self.paths.add(self._path_text(place))
        cls, owner, name = type(place.owner), self._owner(place.owner), place.attribute
        is_slot = inspect.ismemberdescriptor(inspect.getattr_static(cls, name, None))
        held = f"hasattr({owner}, {name!r})" if is_slot else f"{name!r} in {owner}.__dict__"
        deleter = self.source.constant(own_method(cls, "__delattr__"))
        return f"if {held}: {deleter}({owner}, {name!r})"  # the call may have set it, too

    def _contents(self, place: Contents, before: Any, after: Any) -> list[str]:
        """The lines that change the content of a container."""
        container = self._owner(place.owner)
        self.paths.add(self._path_text(place))
        operations = self._trace.journal.operations.get(place)
        if operations is not None:
            self.grown.add(self._path_text(place))
            return [self._operation(container, place, operation) for operation in operations]
        if id(place.owner) in self._trace.keyed:
            self._refuse_unknown(place)
        self._trace.read_whole(place.owner)
        if is_undecided(after):
            if getattr(after, "maxlen", None) is not None and unsettled(after) is None:
                self._refuse(next(v for v in after if type(v) is Maybe), place.name, place)  # it may have dropped items
            emptied = self._call(container, place.owner, "clear")
            return [emptied, *self._filled(container, after, type(after), place.name, place)]
        if isinstance(after, dict):
            items = self._items(after, place)
            if isinstance(after, OrderedDict):
                update = f"{self.source.constant(fill)}({container}, {items})"
            else:
                update = self._call(container, place.owner, "update", items)
            return [self._call(container, place.owner, "clear"), update]
        values = [self._value(v, place.name, place) for v in after]
        shown = f"[{', '.join(values)}]"
        if isinstance(after, list):
            if type(place.owner) is list:
                return [f"{container}[:] = {shown}  # {place.name}"]
            return [self._call(container, place.owner, "__setitem__", "slice(None)", shown)]
        put = self._call(container, place.owner, "update" if isinstance(after, set) else "extend", shown)
        return [self._call(container, place.owner, "clear"), f"{put}  # {place.name}"]

    def _call(self, container: str, owner: Any, method: str, *args: str) -> str:
        """A call of a method of Python's own: a class of the user's may have another, which the code has not called."""
        kind = own_kind(owner)
        if type(owner) is kind:
            return f"{container}.{method}({', '.join(args)})"
        return f"{self.source.constant(getattr(kind, method))}({', '.join((container, *args))})"

    def _argument(self, held: Container) -> list[str]:
        """The lines that give a container of the arguments the content of the trace's own.

        Raises `InPlaceWriteError` for a change that has no such form.
        """
        now = fields_of(held.container) if held.before.kind == "dataclass" else parts(held.container)
        more = {} if now is None else added(held, now)
        if now is not None and held.is_as_before(now) and not more:
            return []
        if now is None or now.kind == "custom" or (now.kind == "dataclass" and now.keys != held.before.keys):
            raise InPlaceWriteError(
                message(
                    f"`{self._name}` changed the structure of its argument `{held.name}`", fix="Return a changed copy."
                )
            )
        container = self.source.argument(held.place)
        self.source.changed.append(held.place)
        if now.kind in ("list", "dict") and unsettled(held.container) is not None:
            kind = type(held.container)
            return [f"{container}.clear()", *self._filled(container, held.container, kind, held.name, None)]
        kept = dict(zip(held.before.keys, held.before.children, strict=True))
        is_new = now.keys[: len(kept)] != held.before.keys or (now.kind == "list" and len(now.keys) != len(kept))
        is_new = is_new or any(type(v) is Maybe for v in now.children[: len(kept)])  # an item from before may be gone
        values, tests = {}, {}
        for key, value in zip(now.keys, now.children, strict=True):
            if type(value) is Maybe:
                tests[key], value = value.is_set, value.value
            if key not in kept or kept[key] is not value:
                values[key] = self._value(value, held.name + step(now.kind, key), None)
            elif is_new:
                values[key] = self.source.item(container, self._key(key))
        if now.kind == "dataclass":
            for key, value in more.items():
                if type(value) is Maybe:
                    tests[key], value = value.is_set, value.value
                values[key] = self._value(value, f"{held.name}.{key}", None)
            lines = [(key, self._set(held.container, container, key, value)) for key, value in values.items()]
            return [self._where(tests.get(key, True), line) for key, line in lines]
        if not is_new:
            lines = [(key, f"{container}[{self._key(key)}] = {value}") for key, value in values.items()]
            return [self._where(tests.get(key, True), line) for key, line in lines]
        if tests:
            put = "append({1})" if now.kind == "list" else "__setitem__({0}, {1})"
            lines = [(k, f"{container}.{put.format(self._key(k), value)}") for k, value in values.items()]
            return [f"{container}.clear()", *[self._where(tests.get(key, True), line) for key, line in lines]]
        if now.kind == "list":
            return [f"{container}[:] = [{', '.join(values.values())}]"]
        items = ", ".join(f"({self._key(key)}, {value})" for key, value in values.items())
        return [f"{container}.clear()", self._call(container, held.container, "update", f"[{items}]")]

    def _set(self, like: Any, owner: str, name: str, value: str) -> str:
        """The line that sets an attribute. A `__setattr__` of the class has run in the trace, or was passed by."""
        setter = own_method(type(like), "__setattr__")
        if setter is type(like).__setattr__ and is_name(name):
            return f"{owner}.{name} = {value}"
        return f"{self.source.constant(setter)}({owner}, {name!r}, {value})"

    def _operation(self, container: str, place: Contents, operation: Operation) -> str:
        test = next((a.is_set for a in operation.args if type(a) is Maybe), True)
        args = [a.value if type(a) is Maybe else a for a in operation.args]
        values = [self._value(a, place.name, place) for a in args]
        if operation.method in SYMBOLS:
            key, value = values
            return self._where(test, f"{container}[{key}] {SYMBOLS[operation.method]}= {value}  # {place.name}")
        call = f"{container}.{operation.method}({', '.join(values)})"
        if operation.method in ORDERING:
            call = f"{self.source.constant(ORDERING[operation.method])}({', '.join([container, *values])})"
        return self._where(test, f"{call}  # {place.name}")

    def _items(self, mapping: Any, place: Place | None) -> str:
        pairs = [f"({self._key(k)}, {self._value(v, str(place), place)})" for k, v in in_order(mapping)]
        return f"[{', '.join(pairs)}]"

    def _refuse_unknown(self, place: Place) -> NoReturn:
        raise InPlaceWriteError(
            message(
                f"`{self._name}` changes `{place.name}`, and how a later call finds that object is not known",
                where(self._trace.journal.sources.get(place)),
                "Reach it by a name, an attribute or an argument.",
            )
        )


__all__ = ["Path", "Writes"]
