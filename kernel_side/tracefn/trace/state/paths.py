"""Paths to values outside, and the records of reads: arrays to read, values and identities to guard."""

from __future__ import annotations

import dataclasses
import keyword
import math
from collections import deque
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ...records import dataclass
from ..code.made_of import MadeOf
from ..code.source import source_of
from ..keys import key_text
from .compared import reference, refers_to
from .reads import Step


def found(container: Any, key: Any) -> Any:
    """An item of a dict, `...` if it is missing; a defaultdict does not create it."""
    return dict.get(container, key, ...) if isinstance(container, dict) else ...


def is_filled(cell: Any) -> bool:
    """True for a variable of an outer function that is set."""
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _runs_code(cls: type[dict[Any, Any]]) -> bool:
    """True for a class whose `d[key]` may do more than look a key up."""
    return hasattr(cls, "__missing__") or cls.__getitem__ is not dict.__getitem__ and cls.get is dict.get


NumbersKey = str | tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Path:
    """A way from a root to a value: `global params['w']`, `self.W`.

    `root` is ('global', the globals dict, name), ('closure', the cell, name), ('argument', None, path of the argument),
    ('object', the object, its name), or ('held', a weak reference to the object, its name). A last step ('len', None)
    leads to the length of a list or deque, and ('numbers', key) to an array of its numbers: see `numbers_in`.
    """

    root: tuple[str, Any, str]
    steps: tuple[Step, ...] = ()
    _text: str = dataclasses.field(default="", compare=False, repr=False)

    def then(self, kind: str, key: Any) -> Path:
        return Path(self.root, (*self.steps, (kind, key)))

    def follow(self, root: Any) -> Any:
        """The value that the steps lead to, from the value of the root. Raises Python's error where one is gone."""
        value = root
        for step, key in self.steps:
            value = _followed(value, step, key)
        return value

    def load(self) -> Any:
        """The value that the path leads to now, for a root that is no argument."""
        kind, owner, name = self.root
        if kind == "global":
            return self.follow(owner[name])
        return self.follow(owner.cell_contents if kind == "closure" else owner() if kind == "held" else owner)

    @property
    def is_variable(self) -> bool:
        """True for a plain global or closure variable."""
        return not self.steps and self.root[0] in ("global", "closure")

    @property
    def length(self) -> Path:
        """The path to the length of the container at this path."""
        return self.then("len", None)

    @property
    def container_of_numbers(self) -> Path | None:
        """The path to the container of which this one leads to the numbers. None for any other."""
        is_of_numbers = self.steps and self.steps[-1][0] == "numbers"
        return Path(self.root, self.steps[:-1]) if is_of_numbers else None

    def into(self, owner: Any, kind: str, key: Any) -> Path:
        """The path to an attribute or item of the value at this path."""
        runs_code = kind == "item" and isinstance(owner, dict) and _runs_code(type(owner))
        if kind == "item" and isinstance(owner, list) and type(owner).__getitem__ is not list.__getitem__:
            return self.then("held" if type(owner).copy is list.copy else kind, key)
        return self.then("get" if runs_code else kind, key)

    @property
    def steps_text(self) -> str:
        """The steps as messages name them: `.lr`, `['w'][0]`."""
        shown = [step for step in self.steps if step[0] != "numbers"]
        return "".join(f".{k}" if kind == "attr" else f"[{key_text(k)}]" for kind, k in shown)

    def source(self, root: str, constant: Callable[[Any], str]) -> str:
        """The steps from the value of this Python expression as another one, which gives `...` for a key that a dict
        would make. `constant` names objects."""
        for kind, key in self.steps:
            if kind == "numbers":
                root = f"{constant(numbers_in)}({root}, {key!r})"
                continue
            text = key if kind in ("attr", "len") else repr(key) if is_literal(key) else constant(key)
            root += _STEPS["dict" if kind == "attr" and not is_name(key) else kind].format(text)
        return root

    @property
    def text(self) -> str:
        """The path as messages name it."""
        if not self._text and self.steps and self.steps[-1][0] == "len":
            object.__setattr__(self, "_text", f"len({Path(self.root, self.steps[:-1]).text})")
        if not self._text:
            prefix = f"{self.root[0]} " if self.root[0] in ("global", "closure") else ""
            object.__setattr__(self, "_text", f"{prefix}{self.root[2]}{self.steps_text}")
        return self._text

    @property
    def pattern(self) -> Hashable:
        """The path without the keys of items: those in one container are alike."""
        return (self.root[0], self.root[2], *[(kind, None if kind in _KEYED else key) for kind, key in self.steps])

    @property
    def is_in_container(self) -> bool:
        """True if there are items on the way."""
        return any(kind in _KEYED for kind, _ in self.steps)

    @property
    def is_numbered(self) -> bool:
        """True if all keys on the way are ints, as positions in lists are."""
        return all(type(key) is int for kind, key in self.steps if kind in _KEYED)

    def key(self) -> Any:
        return (self.root[0], id(self.root[1]), self.root[2], self.steps)


@dataclass(frozen=True, slots=True)
class ArrayCapture:
    """An array. `described` where only its shape, dtype and the like are read, and never its elements."""

    path: Path
    array: Any
    described: bool = False


@dataclass(frozen=True, slots=True)
class ValueCapture:
    """A Python value, guarded by type and value. For containers the value is the keys (dict) or the length.

    'lacks' holds for an object without the attribute `value`, 'unset' for one that does not hold it itself: asking for
    it would run the code of the user's that computes it. 'without' holds for the globals of a module without these
    names, which are those of Python's own functions, or of nothing, and for a dict without these keys; 'with' for one
    that has them. 'bound' holds for an object whose method `value` is
    bound to it. 'instance' and 'subclass' hold where `isinstance` or `issubclass` has the same answer: `value` is the
    class that was asked for, and its answer.
    """

    path: Path
    value: Any
    what: str = (
        # 'type', 'keys', 'members', 'length', 'lengths', 'content', 'items', 'lacks', 'unset', 'without', 'with',
        # 'bound', 'instance', 'subclass'
        "value"
    )

    def text_of(self, key: Any) -> str:
        """A key of 'with' or 'without' as messages name it."""
        return f"global {key}" if self.path.root[0] == "object" else self.path.then("item", key).text


@dataclass(frozen=True, slots=True)
class IdentityCapture:
    """A function, class or object, guarded by identity. Held weakly where possible.

    `source` is that of a function: another one made from it will do. `made_of` are its code and its defaults, which
    must be the same ones.
    """

    path: Path
    reference: Any
    source: Any = None
    made_of: MadeOf | None = None

    @classmethod
    def of_function(cls, path: Path, function: Any) -> IdentityCapture:
        """That of a Python function, traced or not."""
        return cls(path, reference(function), source_of(function), MadeOf.of(function))

    def holds(self, found: Any) -> bool:
        """True for the object itself, as it was."""
        return refers_to(self.reference, found) and (self.made_of is None or self.made_of.is_of(found))

    @property
    def target(self) -> Any:
        return self.reference()


def _followed(value: Any, kind: str, key: Any) -> Any:
    """Follows one step."""
    if kind == "attr":
        return getattr(value, key)
    if kind == "item" and isinstance(value, dict) and key not in value:
        raise KeyError(key)  # a defaultdict would create it
    if kind == "len":
        return length_of(value)
    if kind == "numbers":
        return numbers_in(value, key)
    if kind == "held":
        return held_at(value, key)
    return value[key] if kind == "item" else found(value, key)


def held_at(container: Any, key: Any) -> Any:
    """An item of a list, whichever methods its class has. `...` if it is missing."""
    try:
        return list.__getitem__(container, key)
    except (TypeError, IndexError):
        return ...


def length_of(container: Any) -> Any:
    """The length of a list or deque, `...` of anything else."""
    return len(container) if type(container) in (list, deque) else ...


def numbers_in(container: Any, key: NumbersKey) -> Any:
    """The numbers in a list or deque as an array, if there are any and all are of the type of this name; for a key
    `(part, width, name)` those that are this part of tuples of this width. `...` of anything else."""
    if type(container) not in (list, deque):
        return ...
    if type(key) is tuple:
        part, width, key = key
        if _width(container) != width:
            return ...
        container = [item[part] for item in container]
    if kind_of_numbers(container) != key:
        return ...
    found = np.array(list(container))
    return found if found.dtype == np.dtype(type(container[0])) else ...  # of long ints it is another


def numbers_keys(container: Any) -> list[NumbersKey]:
    """The keys of `numbers_in` for all that is in a container: one where it holds numbers of one type, one for each
    part of tuples of such numbers. None for other content."""
    if (kind := kind_of_numbers(container)) is not None:
        return [kind]
    width = _width(container)
    kinds = [kind_of_numbers([item[part] for item in container]) for part in range(width)]
    found = [(part, width, kind) for part, kind in enumerate(kinds) if kind is not None]
    return [*found] if len(found) == width else []


def _width(container: Any) -> int:
    """The length that all items of a container have, where these are tuples. 0 for others."""
    if set(map(type, container)) != {tuple}:
        return 0
    widths = set(map(len, container))
    return widths.pop() if len(widths) == 1 else 0


def kind_of_numbers(container: Any) -> str | None:
    """The name of the type that all items of a container have, where that is one of numbers: of Python's own or
    NumPy's. None for others."""
    kinds = set(map(type, container))
    found = kinds.pop() if len(kinds) == 1 else None
    return _NUMBERS.get(found) if not kinds else None


_NUMBERS: dict[Any, str] = {
    **{cls: cls.__name__ for cls in (bool, int, float, complex)},
    **{np.dtype(char).type: f"np.{np.dtype(char).name}" for char in "?bhilBHILefdFD"},
}
"""The types of the numbers that arrays hold as they are, with their names."""

_KEYED = ("item", "get", "held")

_STEPS = {
    "attr": ".{}",
    "dict": ".__dict__[{!r}]",
    "item": "[{}]",
    "held": ".copy()[{}]",
    "get": ".get({}, ...)",
    "len": ".__len__()",
}


def is_name(name: str) -> bool:
    """True for an attribute that Python source can name: `setattr(o, "0.w", x)` sets others."""
    return name.isidentifier() and not keyword.iskeyword(name)


def is_literal(key: Any) -> bool:
    """True for a key that Python source gives as it is."""
    if type(key) is tuple:
        return all(map(is_literal, key))
    return type(key) in (str, int, bool, bytes) or (type(key) is float and math.isfinite(key))
