"""Lengths of lists and deques that a function makes longer or shorter: numbers that each call reads."""

from __future__ import annotations

import dataclasses
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

from ...ir.dims import Dim, Length, length_value
from ...ir.graph import Node
from ...ir.template import Ref
from ...ir.types import Kind
from ...records import dataclass
from .captures import Captures
from .paths import NumbersKey, Path, ValueCapture, numbers_in, numbers_keys

LENGTH = Dim.symbol("n")
"""The length at the start of a call."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The assumptions of a trace about a length: the least and the most that it may be, and for other questions
    (a comparison of an expression of the length with 0) the answer."""

    least: int = 0
    most: int | None = None
    answers: tuple[tuple[str, Dim, bool], ...] = ()

    def with_answer(self, comparison: str, difference: Length, answer: bool) -> Bounds:
        """The same and one more answer, to `difference comparison 0`."""
        if not isinstance(difference, Dim):
            return self
        bound = _bound(comparison if answer else _NOT[comparison], difference)
        if bound is None:
            answers = dict.fromkeys([*self.answers, (comparison, difference, answer)])
            return dataclasses.replace(self, answers=tuple(answers))
        least, most = bound
        known = [m for m in (self.most, most) if m is not None]
        return dataclasses.replace(self, least=max(self.least, least), most=min(known, default=None))

    def holds(self, length: Any) -> bool:
        """True for a length of which all that is true."""
        if type(length) is not int or length < self.least or (self.most is not None and length > self.most):
            return False
        return all(COMPARISONS[c](d.value({"n": length}), 0) is answer for c, d, answer in self.answers)

    def source(self, length: str) -> str:
        """That as a Python expression."""
        most = "" if self.most is None else f" <= {self.most}"
        more = [f"({d.text({'n': length})} {c} 0) is {answer}" for c, d, answer in self.answers]
        return " and ".join([f"{self.least} <= {length}{most}", *more])

    def __repr__(self) -> str:
        shown = str(self.least) if self.least == self.most else f"{self.least}…{'' if self.most is None else self.most}"
        return ", ".join([shown, *[f"{d} {c} 0 is {answer}" for c, d, answer in self.answers]])


def _bound(comparison: str, difference: Dim) -> tuple[int, int | None] | None:
    """The least and the most length for which `difference comparison 0` holds. None where this is no such range."""
    shift = difference - LENGTH
    if not isinstance(shift, int):
        turned = -difference - LENGTH
        return _bound(_TURNED[comparison], -difference) if isinstance(turned, int) else None  # type: ignore[arg-type]
    match comparison:
        case ">":
            return 1 - shift, None
        case ">=":
            return -shift, None
        case "<":
            return 0, -shift - 1
        case "<=":
            return 0, -shift
        case "==":
            return -shift, -shift
    return (1, None) if shift == 0 else None


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_NOT = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TURNED = {"==": "==", "!=": "!=", "<": ">", ">": "<", ">=": "<=", "<=": ">="}
_QUESTIONS = {f"operator.{f.__name__}": symbol for symbol, f in COMPARISONS.items()}
_ARITHMETIC: dict[str, Callable[..., Any]] = {
    f"operator.{f.__name__}": f
    for f in (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg)
}


class Lengths:
    """The lengths that are numbers in one trace. `number(path, value)` makes an input of the graph, and
    `reached(path, value)` tells of a value that the code reads, `used(container)` that it has asked for a part."""

    def __init__(
        self,
        captures: Captures,
        number: Callable[[Path, Any], Any],
        reached: Callable[[Path, Any], Any],
        used: Callable[[Any], None],
    ) -> None:
        self._captures = captures
        self._number = number
        self._reached = reached
        self._used = used
        self._nodes: dict[Node, Any] = {}

    def varies(self, owner: Any) -> bool:
        """True for a container from outside whose length is a number."""
        captures = self._captures
        path, numbers = captures.path_of(owner), captures.numbers
        if path is None or numbers is None or type(owner) not in (list, deque):
            return False
        if (path.key(), "length") in captures.values:
            return False  # it has not changed
        grows = id(owner) in captures.growing or numbers.grows(path) or captures.is_changed(owner, "item", 0)
        return grows and path.length.text not in numbers.fixed

    def guarded(self, owner: Any) -> int:
        """The length at the start of a call, which a guard compares."""
        path, count = self._captures.path_of(owner), self.now(owner)
        assert path is not None
        self._captures.values.setdefault((path.key(), "length"), ValueCapture(path, count, "length"))
        return count

    def now(self, owner: Any) -> int:
        """The length at the start of the call that is traced."""
        return len(self._captures.original(owner))

    def tensor(self, owner: Any) -> Any:
        """The length as a number in the graph."""
        path = self._path(owner)
        if self._captures.numbers is not None:
            self._captures.numbers.changing |= {path.length.text}
        found = self._number(path.length, self.now(owner))
        self._nodes[found._node] = owner
        return found

    def suppose(self, owner: Any, comparison: str, left: Length, right: Length = 0) -> bool:
        """The answer to a question about the length `n`; the trace holds for calls with the same one alone."""
        answer = COMPARISONS[comparison](*[length_value(v, {"n": self.now(owner)}) for v in (left, right)])
        path, values = self._path(owner), self._captures.values
        known = values.get((path.key(), "lengths"))
        before = Bounds() if known is None else known.value
        bounds = before.with_answer(comparison, left - right, answer)
        if bounds is not before:
            values[path.key(), "lengths"] = ValueCapture(path, bounds, "lengths")
        return answer

    def numbers(self, owner: Any) -> dict[NumbersKey, Any]:
        """The numbers in the container at the start of each call, as an array of any length but 0; of tuples of numbers
        one for each of their parts. None where it holds others, or nothing."""
        before = self._captures.original(owner)
        keys = numbers_keys(before)
        found = [numbers_in(before, key) for key in keys]
        if not found or any(column is ... for column in found):
            return {}
        path, columns = self._path(owner), {}
        for key, column in zip(keys, found, strict=True):
            known = self._captures.arrays.get((inner := path.then("numbers", key)).key())
            columns[key] = self._reached(inner, column if known is None else known.array)
        return columns

    def item(self, owner: Any, key: int, value: Any) -> Any:
        """The item that is at this place at the start of each call, from the end for a negative key."""
        captures = self._captures
        path = self._path(owner).into(owner, "item", key)
        if captures.numbers is not None:
            captures.numbers.changing |= {path.text}
            captures.numbers.lengths.add(path.text)
        captures.found_at.setdefault(id(value), (owner, "item", key))
        captures.taken.add(path.text)
        return self._reached(path, value)

    def decided(self, trace: Any, value: Any) -> Any:
        """A Python bool for a traced condition that lengths alone decide; any other as it is."""
        if not self._nodes:
            return value
        node, comparison, right = value._node, "!=", 0
        if node.op.name == "not":
            node, comparison = node.inputs[0], "=="
        if node.op.name in _QUESTIONS:
            comparison = _QUESTIONS[node.op.name]
            node, right = [self._argument(node, a) for a in node.args]
        (owner, left), (other, right) = self._dim(trace, node), self._dim(trace, right)
        owners = [o for o in (owner, other) if o is not None]
        if left is None or right is None or not owners or any(o is not owners[0] for o in owners):
            return value
        return self.suppose(owners[0], comparison, left, right)

    def known(self, trace: Any, value: Any) -> Any:
        """The number of this call for an expression of a length, which is guarded; any other value as it is."""
        owner, dim = self.dim(trace, value)
        if owner is None:
            return value
        now = self.now(owner)
        self.suppose(owner, "==", LENGTH, now)
        return length_value(dim, {"n": now})

    def dim(self, trace: Any, value: Any) -> tuple[Any, Any]:
        """A container and an expression of its length, for a number that is one. (None, None) for any other."""
        return self._dim(trace, value._node) if self._nodes else (None, None)

    def _dim(self, trace: Any, node: Any) -> tuple[Any, Any]:
        if type(node) is int:
            return None, node
        if not isinstance(node, Node) or node.type.kind is not Kind.PYTHON or node.type.dtype.kind != "i":
            return None, None
        if (owner := self._nodes.get(node)) is not None:
            return owner, LENGTH
        if node.op.name == "input":
            outer = next((o for o, inner in getattr(trace, "lifted", {}).items() if inner is node), None)
            return self._dim(trace.parent, outer)
        if (function := _ARITHMETIC.get(node.op.name)) is None:
            return None, None
        found = [self._dim(trace, self._argument(node, a)) for a in node.args]
        owners = [owner for owner, _ in found if owner is not None]
        values = [value for _, value in found]
        is_division = function in (operator.floordiv, operator.mod)
        if None in values or not owners or any(o is not owners[0] for o in owners):
            return None, None
        if is_division and (type(values[1]) is not int or values[1] <= 0):
            return None, None
        return owners[0], function(*values)

    @staticmethod
    def _argument(node: Node, argument: Any) -> Any:
        return node.inputs[argument.index] if type(argument) is Ref else argument

    def _path(self, owner: Any) -> Path:
        path, numbers = self._captures.path_of(owner), self._captures.numbers
        assert path is not None and numbers is not None
        self._used(owner)
        numbers.lengths.add(path.length.text)
        key, captures = path.key(), self._captures
        captures.types.setdefault(key, ValueCapture(path, type(owner), "type"))
        if type(owner) is deque:
            captures.values[key, "maxlen"] = ValueCapture(path.then("attr", "maxlen"), owner.maxlen)
        return path


__all__ = ["LENGTH", "Bounds", "Lengths"]
