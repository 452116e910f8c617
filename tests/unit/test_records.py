"""The package's own `dataclass` does what the standard library's does."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any, ClassVar

import pytest
from tracefn.records import dataclass

KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "frozen": {"frozen": True},
    "frozen slots": {"frozen": True, "slots": True},
    "slots": {"slots": True},
    "by identity": {"frozen": True, "eq": False},
    "hashed": {"slots": True, "unsafe_hash": True},
    "by name": {"frozen": True, "slots": True, "kw_only": True},
}


def pair(decorate: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """A dataclass with a field of each kind, and one that inherits from it."""

    class Base:
        """The base."""

        total: ClassVar[int] = 7
        x: int
        y: Any = None
        many: list[int] = dataclasses.field(default_factory=list)
        quiet: int = dataclasses.field(default=3, repr=False, compare=False)
        own: int = dataclasses.field(default=5, init=False)
        made: list[int] = dataclasses.field(default_factory=list, init=False)
        last: int = dataclasses.field(default=0, kw_only=True)
        twice: int = dataclasses.field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "twice", 2 * self.x)

    base = decorate(**options)(Base)

    class Derived(base):  # type: ignore[misc, valid-type]
        """The heir."""

        z: int = 1

        def __repr__(self) -> str:
            return f"z={self.z}"

    return base, decorate(**options)(Derived)


def outcome(call: Any) -> Any:
    """What a call gives, or the type of what it raises with its words."""
    try:
        return call()
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("kind", KINDS)
def test_does_what_the_standard_library_does(kind: str) -> None:
    """The same signature, values, text, equality, hash, refusals and copies, for a class and for one that inherits."""
    for own, other in zip(pair(dataclass, KINDS[kind]), pair(dataclasses.dataclass, KINDS[kind]), strict=True):
        assert str(inspect.signature(own)) == str(inspect.signature(other))
        assert own.__match_args__ == other.__match_args__
        assert repr(own.__dataclass_params__) == repr(other.__dataclass_params__)
        assert (own.__hash__ is None) == (other.__hash__ is None)
        assert getattr(own, "__slots__", None) == getattr(other, "__slots__", None)
        for cls in (own, other):
            cls.__qualname__ = cls.__name__ = "Same"
        seen = [behaviour(cls) for cls in (own, other)]
        assert seen[0] == seen[1]


def behaviour(cls: Any) -> list[Any]:
    """What can be seen of a dataclass."""
    one, same, other = cls(x=1, y=(2,)), cls(x=1, y=(2,), quiet=9), cls(x=1, y=3, last=4)
    return [
        dataclasses.asdict(one),
        repr(one),
        repr(other),
        (one == same, one == other, one != same, one == 1, one.many is not same.many),
        outcome(lambda: hash(one) == hash(same)) if cls.__hash__ is not object.__hash__ else None,
        outcome(lambda: cls()),
        outcome(lambda: setattr(one, "x", 5)),
        outcome(lambda: delattr(same, "x")),
        outcome(lambda: setattr(other, "unknown", 5)) if "__slots__" not in vars(cls) else None,
        dataclasses.asdict(dataclasses.replace(other, x=8)) if "own" not in cls.__match_args__ else None,
        dataclasses.asdict(copy.copy(other)),
        dataclasses.asdict(copy.deepcopy(other)),
    ]


@dataclass(frozen=True, slots=True)
class Pickled:
    """At the top of a module, where pickles find it."""

    x: int
    y: str = "y"


def test_is_pickled_and_matched() -> None:
    """A frozen dataclass with slots is equal after pickling, although its attributes cannot be set."""
    found = pickle.loads(pickle.dumps(Pickled(4)))
    assert found == Pickled(4) and hash(found) == hash(Pickled(4))
    match found:
        case Pickled(x, y):
            assert (x, y) == (4, "y")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.x = 5
