"""The reads that a trace rests on besides its arguments, compared with the values of now."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import UnsupportedArgumentError
from ..events import Cause
from ..ir.dims import length_value
from ..ir.types import Kind, python_type
from ..runtime.calls.checks import Check, Fits, IsTarget, Lengths, alias_checks, length_checks
from ..runtime.calls.memory_guards import MemoryGuard
from ..runtime.calls.target import Target
from ..trace.code.made_of import HasCode
from ..trace.code.plain import stored
from ..trace.signature import CallSignature, TensorSpec
from ..trace.signature.call import leaf_spec
from ..trace.state.compared import content_of, is_container, same_items, same_value
from ..trace.state.content import ContentGuard
from ..trace.state.paths import IdentityCapture, Path, ValueCapture, length_of
from ..trace.values.symbolic_int import compare
from ..trace.variables.variable import Variable

GONE = object()
"""The value at a path where nothing is any more."""


class Broken:
    """A guard that does not hold. Its `cause` says so in words, which are made when they are read."""

    __slots__ = ("_cause", "_say")

    def __init__(self, say: Callable[..., Cause], *arguments: Any) -> None:
        self._say: Any = say, arguments
        self._cause: Cause | None = None

    @property
    def is_of_gone(self) -> bool:
        """True for a read of an object that does not exist any more."""
        guard = None if self._say is None else next(iter(self._say[1]), None)
        path = getattr(guard, "path", guard)
        return isinstance(path, Path) and path.root[0] == "held" and path.root[1]() is None

    @property
    def cause(self) -> Cause:
        if self._cause is None:
            say, arguments = self._say
            self._cause, self._say = say(*arguments), None
        return self._cause


_SUMMARIES: dict[str, Callable[[Any], Any]] = {
    "value": lambda value: value,
    "length": len,
    "keys": tuple,
    "content": content_of,
    "type": type,
    "members": len,
}


class Now:
    """The state outside at this moment, for a call with these leaves. Guards that traces share are compared once.

    `arguments` are those of the call, by parameter, where it is to be run.
    """

    def __init__(self, signature: CallSignature, leaves: Sequence[Any], arguments: Any = None) -> None:
        self.leaves = leaves
        self.arguments = arguments
        self.by_path = dict(zip(signature.paths, leaves, strict=True))
        self._known: dict[int, Any] = {}

    def load(self, path: Path) -> Any:
        """The value that a path leads to."""
        try:
            return path.follow(self.by_path[path.root[2]]) if path.root[0] == "argument" else path.load()
        except (LookupError, AttributeError, ValueError, TypeError):
            return GONE

    def broken(self, guards: tuple[Any, ...]) -> list[tuple[Any, Broken]]:
        """Those of the guards that do not hold. The same tuple, and the same guard, is asked once."""
        known = self._known.get(id(guards))
        if known is None:
            found = [(guard, self._asked(guard)) for guard in guards]
            known = self._known[id(guards)] = [(guard, broken) for guard, broken in found if broken is not None]
        return known

    def broken_arrays(self, captures: tuple[Any, ...], specs: tuple[Any, ...]) -> list[Broken]:
        """The same for captured arrays and their specs, both of which traces share or neither."""
        known = self._known.get(id(captures))
        if known is None:
            pairs = [Fits(c, s) for c, s in zip(captures, specs, strict=True) if isinstance(c, Path)]
            found = [broken_check(self, check) for check in pairs]
            known = self._known[id(captures)] = [broken for broken in found if broken is not None]
        return known

    def _asked(self, guard: Any) -> Broken | None:
        if id(guard) not in self._known:
            self._known[id(guard)] = broken_check(self, guard)
        return self._known[id(guard)]


def broken_check(now: Now, check: Check, target: Target | None = None) -> Broken | None:
    """Walks to the subject of a check, and compares. None where it holds. `target` has the paths of numbered leaves."""
    return WALKS[type(check)](now, check, target)


def broken_outside(target: Target, now: Now, takes: Callable[[IdentityCapture, Any], bool]) -> Iterator[Broken]:
    """The guards of state outside the arguments that do not hold. `takes` says if another function will do."""
    yield from now.broken_arrays(target.captures, target.capture_specs)
    for _, broken in now.broken(target.values):
        yield broken
    for identity, broken in now.broken(target.identities):
        if not takes(identity, now.load(identity.path)):
            yield broken
    for _, broken in now.broken(target.libraries):
        yield broken
    for alias in alias_checks(target):
        if (found := broken_check(now, alias, target)) is not None:
            yield found
    for _, broken in now.broken(target.contents):
        yield broken
    if target.own is not None and (found := broken_check(now, target.own)) is not None:
        yield found
    for memory in target.memory:
        if (found := broken_check(now, memory, target)) is not None:
            yield found


def broken_lengths(target: Target, now: Now) -> Iterator[Broken]:
    """The first question about an open length of the call that has another answer now."""
    for check in length_checks(target):
        if (broken := broken_check(now, check, target)) is not None:
            yield broken


def _array(now: Now, check: Any, target: Target | None) -> Broken | None:
    path, spec = check.subject, check.spec
    if path.root[0] == "argument" and isinstance(now.by_path.get(path.root[2]), Variable):
        return None  # the content of a Variable that is an argument: its spec is in the key
    value = now.load(path)
    if (container := path.container_of_numbers) is not None:
        return None if value is not GONE and value is not ... else Broken(_numbers_cause, path, now.load(container))
    if isinstance(spec, TensorSpec) and spec.kind is Kind.PYTHON:
        if type(value) is python_type(spec.dtype):
            return None
        return Broken(_at, path, path.text, spec.text, "gone" if value is GONE else type(value).__name__)
    try:
        found = None if value is GONE else leaf_spec(path.text, value)
    except UnsupportedArgumentError:  # an array of Python objects, say
        return Broken(_at, path, path.text, spec.text, type(value).__name__)
    if found is not None and spec.accepts(found):
        return None
    return Broken(_at, path, path.text, spec.text, "gone" if found is None else found.text)


def _value(now: Now, guard: ValueCapture, target: Target | None) -> Broken | None:
    found = now.load(guard.path)
    if guard.what == "lacks":
        return None if not hasattr(found, guard.value) else Broken(_value_cause, guard, found)
    if guard.what == "unset":
        held = stored(found, "__dict__", ())
        return None if guard.value not in held else Broken(_value_cause, guard, found)
    if guard.what == "bound":
        held = now.load(guard.path.then("attr", guard.value).then("attr", "__self__"))
        return None if held is found else Broken(_identity_cause, guard.path.then("attr", guard.value))
    if guard.what in ("instance", "subclass"):
        cls, answer = guard.value
        asked = isinstance if guard.what == "instance" else issubclass
        return None if found is not GONE and asked(found, cls) is answer else Broken(_class_cause, guard)
    if guard.what in ("without", "with"):
        is_to_be = guard.what == "with"
        is_there = isinstance(found, dict)
        keys = [key for key in guard.value if (key in found) is not is_to_be] if is_there else guard.value
        before, after = ("set", "not set") if is_to_be else ("not set", "set")
        return Broken(_at, guard, guard.text_of(keys[0]), before, after) if keys else None
    if guard.what == "lengths":
        return None if guard.value.holds(length_of(found)) else Broken(_value_cause, guard, found)
    if guard.what == "items":
        holds = found is not GONE and is_container(found) and same_items(found, guard.value)
        return None if holds else Broken(_value_cause, guard, found)
    try:
        value = _SUMMARIES[guard.what](found) if found is not GONE else found
    except TypeError:  # it has no length any more
        value = found
    return None if same_value(value, guard.value) else Broken(_value_cause, guard, value)


def _value_cause(guard: ValueCapture, value: Any) -> Cause:
    text = guard.path.text + ("" if guard.what == "value" else f" {guard.what}")
    if guard.what in ("lacks", "unset"):
        return _captured(f"{guard.path.text}.{guard.value}", "not set", "set")
    if guard.what == "items":
        return _captured(text, "earlier items", "other items")
    if guard.what == "lengths" and type(length_of(value)) is int:
        return _captured(guard.path.length.text, repr(guard.value), str(length_of(value)))
    return _captured(text, repr(guard.value), "gone" if value is GONE else repr(value))


def _at(at: Path | ValueCapture, text: str, before: str, after: str) -> Cause:
    """The cause for what is read at a path or by a guard, which tells whether its object is gone."""
    return _captured(text, before, after)


def _numbers_cause(path: Path, container: Any) -> Cause:
    holds = type(container) in (list, deque)
    found = "gone" if container is GONE else "other items" if not holds or container else "no items"
    return _captured(path.text, f"items of type {path.steps[-1][1]}", found)


def _class_cause(guard: ValueCapture) -> Cause:
    cls, answer = guard.value
    is_one, is_none = f"is a {cls.__name__}", f"is no {cls.__name__}"
    return _captured(guard.path.text, *((is_one, is_none) if answer else (is_none, is_one)))


def _identity(now: Now, identity: IdentityCapture, target: Target | None) -> Broken | None:
    return None if identity.holds(now.load(identity.path)) else Broken(_identity_cause, identity.path)


def _identity_cause(path: Path) -> Cause:
    text = f"{path.text}: another object (function or class redefined, or rebound)"
    return Cause(path.text, "captured", "earlier object", "another object", text)


def _code(now: Now, check: HasCode, target: Target | None) -> Broken | None:
    return None if check.holds else Broken(_code_cause, check.function.__name__)


def _code_cause(name: str) -> Cause:
    return Cause(name, "captured", "earlier code", "other code", f"{name}: its `__code__` was replaced")


def _content(now: Now, content: ContentGuard, target: Target | None) -> Broken | None:
    return None if content.holds(now.load(content.path)) else Broken(_content_cause, content.path, content.what)


def _alias(now: Now, check: IsTarget, target: Target) -> Broken | None:
    path = target.signature.paths[check.subject]
    if (now.by_path.get(path) is check.reference()) is check.same:
        return None
    return Broken(_alias_cause, path, check.same)


def _memory(now: Now, memory: MemoryGuard, target: Target) -> Broken | None:
    paths = target.signature.paths
    if memory.holds(lambda p: now.by_path.get(paths[p]) if isinstance(p, int) else now.load(p)):
        return None
    return Broken(_memory_cause, memory, paths)


def _lengths(now: Now, check: Lengths, target: Target) -> Broken | None:
    symbols = {symbol: now.leaves[leaf].shape[axis] for symbol, leaf, axis in check.symbols}
    for comparison, left, right, outcome in check.comparisons:
        if compare(comparison, length_value(left, symbols), length_value(right, symbols)) is not outcome:
            return Broken(_length_cause, target, comparison, left, right, outcome)  # later ones may rest on this
    return None


WALKS: Mapping[type, Callable[..., Broken | None]] = {
    Fits: _array,
    IsTarget: _alias,
    Lengths: _lengths,
    ValueCapture: _value,
    IdentityCapture: _identity,
    HasCode: _code,
    ContentGuard: _content,
    MemoryGuard: _memory,
}
"""The walks over state outside the arguments. The arguments' own structure and specs are their signature's."""


def _content_cause(path: Path, what: str) -> Cause:
    text = f"{path.text}: its {what} changed (it was read while tracing)"
    return Cause(path.text, "captured", f"earlier {what}", "another", text)


def _captured(path: str, before: str, now: str) -> Cause:
    return Cause(path, "captured", before, now, f"{path}: {before} → {now}")


def _alias_cause(path: str, same: bool) -> Cause:
    text = f"{path}: the function {'had' if same else 'has'} this Variable from elsewhere, too"
    return Cause(path, "alias", "earlier variable", "another variable", text)


def _memory_cause(memory: Any, paths: tuple[str, ...]) -> Cause:
    left, right = (
        paths[p] if isinstance(p, int) else p.text if p is not None else "" for p in (memory.left, memory.right)
    )
    return Cause(left, "memory", "earlier memory", "other memory", memory.text(left, right))


def _length_cause(target: Target, comparison: str, left: Any, right: Any, outcome: bool) -> Cause:
    names = {s: f"{target.signature.paths[i]}.shape[{axis}]" for s, (i, axis) in target.symbols.items()}
    condition = " ".join(v.text(names) if hasattr(v, "text") else str(v) for v in (left, comparison, right))
    text = f"the trace holds only where `{condition}` is {outcome}"
    return Cause(next(iter(names.values()), ""), "guard", str(outcome), str(not outcome), text)


def sharing(target: Target, earlier: Target) -> Target:
    """The same, with the guards of an earlier trace in the place of equal ones: less memory, and fewer to compare."""
    if not (target.captures or target.values or target.identities or target.libraries or target.contents):
        return target
    arrays = target.captures, target.capture_specs
    if _same_arrays(target, earlier):
        arrays = earlier.captures, earlier.capture_specs
    return dataclasses.replace(
        target,
        captures=arrays[0],
        capture_specs=arrays[1],
        values=_shared(target.values, earlier.values, _same_value),
        identities=_shared(target.identities, earlier.identities, _same_identity),
        libraries=_shared(target.libraries, earlier.libraries, _same_identity),
        contents=_shared(target.contents, earlier.contents, ContentGuard.is_like),
    )


def _shared(guards: tuple[Any, ...], earlier: tuple[Any, ...], equal: Callable[[Any, Any], bool]) -> tuple[Any, ...]:
    known = {(g.path.key(), getattr(g, "what", "")): g for g in earlier}
    found = []
    for guard in guards:
        other = known.get((guard.path.key(), getattr(guard, "what", "")))
        found.append(other if other is not None and equal(guard, other) else guard)
    same = len(found) == len(earlier) and all(a is b for a, b in zip(found, earlier, strict=True))
    return earlier if same else tuple(found)


def _same_arrays(target: Target, earlier: Target) -> bool:
    if len(target.captures) != len(earlier.captures) or target.capture_specs != earlier.capture_specs:
        return False
    pairs = zip(target.captures, earlier.captures, strict=True)
    return all(a.key() == b.key() if type(a) is type(b) is Path else a is b for a, b in pairs)


def _same_value(guard: ValueCapture, earlier: ValueCapture) -> bool:
    return same_value(guard.value, earlier.value)


def _same_identity(guard: IdentityCapture, earlier: IdentityCapture) -> bool:
    same = guard.target is earlier.target and guard.target is not None and guard.source == earlier.source
    return same and (guard.made_of is None or guard.made_of.is_of(earlier.target))
