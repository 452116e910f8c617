"""Symbolic dimensions: integers that are known only when a traced function is called.

A `Dim` is a polynomial with integer coefficients over symbols (`n`) and opaque terms (`n // 2`, `max(0, n - 2)`).
Symbols stand for lengths, so they are never negative. Arithmetic that comes out constant gives a plain int, so code
written for ints works on both. Equality is equality of the polynomials: `definitely_equal` and `definitely_different`
say whether that is certain; the other cases must be settled by a guard or by NumPy itself at run time.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

Length: TypeAlias = "int | Dim"
Atom: TypeAlias = "str | tuple[str, tuple[Length, ...]]"
Monomial = tuple[Atom, ...]


def _broadcast(*lengths: int) -> int:
    """The length that NumPy's broadcasting gives, assuming that the lengths fit."""
    return next((n for n in lengths if n != 1), 1)


_FUNCTIONS: dict[str, Callable[..., int]] = {
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "max": max,
    "min": min,
    "broadcast": _broadcast,
}


_FRESH = "k"


class _Numbers(threading.local):
    """The number of the last length that only values decide. Each thread and each trace counts for itself: graphs of
    one function are equal, whatever else is traced."""

    last = 0


NUMBERS = _Numbers()


class Dim:
    """An integer expression over symbolic lengths. Immutable and hashable.

    >>> n = Dim.symbol("n")
    >>> 2 * n + n
    3*n
    >>> (n + 1) - n
    1
    >>> (2 * n).value({"n": 5})
    10
    """

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms
        self._hash = hash(terms)

    @staticmethod
    def symbol(name: str) -> Dim:
        return Dim((((name,), 1),))

    @staticmethod
    def fresh() -> Dim:
        """A length that only values decide, as of `np.nonzero(x)`."""
        NUMBERS.last += 1
        return Dim.symbol(f"{_FRESH}{NUMBERS.last}")

    @property
    def depends_on_values(self) -> bool:
        """True if a length that only values decide is part of the expression."""
        return any(name.startswith(_FRESH) and name[1:].isdigit() for name in self.symbols())

    @staticmethod
    def apply(function: str, *args: Length) -> Length:
        """An opaque function of lengths: floordiv, mod, max, min or broadcast."""
        if not any(isinstance(a, Dim) for a in args):
            return _FUNCTIONS[function](*args)
        return Dim(((((function, args),), 1),))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self.terms == other.terms

    def __add__(self, other: Length) -> Length:
        return _add(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: Length) -> Length:
        return _add(self, other, -1)

    def __rsub__(self, other: Length) -> Length:
        return _add(-1 * self, other, 1)

    def __neg__(self) -> Length:
        return -1 * self

    def __mul__(self, other: Length) -> Length:
        if not isinstance(other, int | Dim):
            return NotImplemented
        total: dict[Monomial, int] = {}
        for left, c in self.terms:
            for right, d in _terms(other):
                key = tuple(sorted(left + right, key=repr))
                total[key] = total.get(key, 0) + c * d
        return _from_terms(total)

    __rmul__ = __mul__

    def __floordiv__(self, other: Length) -> Length:
        quotient = self._exact_quotient(other)
        return quotient if quotient is not None else Dim.apply("floordiv", self, other)

    def __rfloordiv__(self, other: Length) -> Length:
        return Dim.apply("floordiv", other, self)

    def __mod__(self, other: Length) -> Length:
        return 0 if self._exact_quotient(other) is not None else Dim.apply("mod", self, other)

    def __rmod__(self, other: Length) -> Length:
        return Dim.apply("mod", other, self)

    def _exact_quotient(self, other: Length) -> Length | None:
        """self / other where that is a polynomial again, else None."""
        divisor = _terms(other)
        if len(divisor) != 1:
            return 1 if self == other else None
        atoms, c = divisor[0]
        if c == 0:
            return None
        total: dict[Monomial, int] = {}
        for monomial, coefficient in self.terms:
            rest = list(monomial)
            for atom in atoms:
                if atom not in rest:
                    return None
                rest.remove(atom)
            if coefficient % c:
                return None
            total[tuple(rest)] = coefficient // c
        return _from_terms(total)

    def symbols(self) -> set[str]:
        """The names of all symbols in the expression."""
        found: set[str] = set()
        for monomial, _ in self.terms:
            for atom in monomial:
                if isinstance(atom, str):
                    found.add(atom)
                else:
                    found.update(*(a.symbols() for a in atom[1] if isinstance(a, Dim)))
        return found

    def value(self, symbols: Mapping[str, int]) -> int:
        """The integer that the expression has when its symbols have these lengths."""
        total = 0
        for monomial, coefficient in self.terms:
            product = coefficient
            for atom in monomial:
                if isinstance(atom, str):
                    product *= symbols[atom]
                else:
                    product *= _FUNCTIONS[atom[0]](*(length_value(a, symbols) for a in atom[1]))
            total += product
        return total

    def given(self, known: Mapping[str, Length]) -> Length:
        """The expression with lengths in the place of the symbols that are `known`.

        >>> n = Dim.symbol("n")
        >>> (2 * n + Dim.symbol("m")).given({"n": 3})
        m + 6
        """
        total: Length = 0
        for monomial, coefficient in self.terms:
            product: Length = coefficient
            for atom in monomial:
                if isinstance(atom, str):
                    product = product * known.get(atom, Dim.symbol(atom))
                else:
                    product = product * Dim.apply(atom[0], *[length_given(a, known) for a in atom[1]])
            total = total + product
        return total

    def least(self) -> int | None:
        """A lower bound, given that no symbol is negative; None where none is known."""
        total = 0
        for monomial, coefficient in self.terms:
            if not monomial:
                total += coefficient
            elif coefficient < 0 or not all(_never_negative(a) for a in monomial):
                return None
        return total

    def text(self, names: Mapping[str, str] | None = None) -> str:
        """The expression as Python source, with other names for its symbols where `names` gives them."""
        names = names or {}
        out = ""
        for monomial, coefficient in self.terms:
            factors = [names.get(a, a) if isinstance(a, str) else _apply_text(a, names) for a in monomial]
            if abs(coefficient) != 1 or not factors:
                factors.insert(0, str(abs(coefficient)))
            sign = "-" if coefficient < 0 else "+"
            out += f" {sign} {'*'.join(factors)}" if out else ("-" if coefficient < 0 else "") + "*".join(factors)
        return out

    def __repr__(self) -> str:
        return self.text()


def _apply_text(atom: tuple[str, tuple[Length, ...]], names: Mapping[str, str]) -> str:
    function, args = atom
    texts = [a.text(names) if isinstance(a, Dim) else str(a) for a in args]
    if function in ("floordiv", "mod"):
        left, right = (t if t.isalnum() else f"({t})" for t in texts)
        return f"({left} {'//' if function == 'floordiv' else '%'} {right})"
    if function == "broadcast":
        return f"np.broadcast_shapes({', '.join(f'({t},)' for t in texts)})[0]"
    return f"{function}({', '.join(texts)})"


def _never_negative(atom: Atom) -> bool:
    if isinstance(atom, str) or atom[0] == "broadcast":
        return True
    bounds = [a if isinstance(a, int) else a.least() for a in atom[1]]
    if atom[0] == "max":
        return any(b is not None and b >= 0 for b in bounds)
    return all(b is not None and b >= 0 for b in bounds)


def _terms(value: Length) -> tuple[tuple[Monomial, int], ...]:
    if isinstance(value, Dim):
        return value.terms
    return (((), int(value)),) if value else ()


def _from_terms(terms: Mapping[Monomial, int]) -> Length:
    kept = {m: c for m, c in terms.items() if c}
    if not kept or set(kept) == {()}:
        return kept.get((), 0)
    return Dim(tuple(sorted(kept.items(), key=lambda item: (-len(item[0]), repr(item[0])))))


def _add(left: Length, right: Length, sign: int) -> Length:
    if not isinstance(right, int | Dim):
        return NotImplemented
    total = dict(_terms(left))
    for monomial, coefficient in _terms(right):
        total[monomial] = total.get(monomial, 0) + sign * coefficient
    return _from_terms(total)


class GuessedLengths(dict[str, int]):
    """Lengths of symbols; a guess for unknown ones."""

    def __init__(self, known: Mapping[str, int], guess: int = 2) -> None:
        super().__init__(known)
        self.guess = getattr(known, "guess", guess)

    def __missing__(self, symbol: str) -> int:
        return self.guess


def length_value(length: Length, symbols: Mapping[str, int]) -> int:
    """A length as an int, given the lengths of its symbols."""
    return length.value(symbols) if isinstance(length, Dim) else length


def length_given(length: Length, known: Mapping[str, Length]) -> Length:
    """A length with others in the place of the symbols that are `known`."""
    return length.given(known) if isinstance(length, Dim) else length


def product(lengths: Iterable[Length]) -> Length:
    """The product of lengths: the size of a shape.

    >>> product((2, Dim.symbol("n"), 3))
    6*n
    """
    total: Length = 1
    for length in lengths:
        total = total * length
    return total


def definitely_equal(left: Length, right: Length) -> bool:
    """True if the two are equal for every length of every symbol."""
    return left == right


def definitely_different(left: Length, right: Length) -> bool:
    """True if the two are equal for no length of any symbol."""
    if not isinstance(left, Dim) and not isinstance(right, Dim):
        return left != right
    for difference in (left - right, right - left):
        least = difference if isinstance(difference, int) else difference.least()
        if least is not None and least > 0:
            return True
    return False


def maximum(left: Length, right: Length) -> Length:
    """max(left, right), simplified where one is certainly the larger."""
    for a, b in ((left, right), (right, left)):
        difference = a - b
        least = difference if isinstance(difference, int) else difference.least()
        if least is not None and least >= 0:
            return a
    return Dim.apply("max", left, right)


def minimum(left: Length, right: Length) -> Length:
    """min(left, right), simplified where one is certainly the smaller."""
    larger = maximum(left, right)
    if larger == left:
        return right
    if larger == right:
        return left
    return Dim.apply("min", left, right)


def broadcast(left: Length, right: Length) -> Length:
    """The length of one axis after broadcasting.

    Raises ValueError where the two certainly do not fit. An unknown length against a known one other than 1 can only be
    that one; of two unknown ones NumPy decides at run time.
    """
    if left == right or right == 1:
        return left
    if left == 1:
        return right
    if isinstance(left, Dim) and isinstance(right, Dim):
        return Dim.apply("broadcast", left, right)
    if isinstance(left, Dim):
        return right
    if isinstance(right, Dim):
        return left
    raise ValueError(f"lengths {left} and {right} do not broadcast")
