"""Loops whose rounds give names other arrays: a number says for each of them which array it stands for.

A name may stand for an array of before the loop in one round and for one that a round made in the next. Its content
is carried as always; the number says whose memory that is, so that writes reach all names that show it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ....errors import TracefnError
from ....records import dataclass
from ...active import current
from ...aliasing.views import WritesCarried
from ...context import Trace
from ...control.branches import choose, run_side, store_places
from ...control.choices import MAX_READ, along, choice, is_array, is_up_to_date
from ...control.one_of import OneOf
from ...control.targets import is_same_path
from ...control.undefined import Maybe
from ...control.unlike import settle_unlike
from ...state.place import Place
from ...tensor import Tensor
from ...tree import flatten, unflatten
from .holes import computed_in, filled, holes_in, is_followed, with_holes
from .variables import State, Variables

MAX_TRIES = 8
"""How often a loop is traced until it is known what its names may stand for."""


@dataclass(frozen=True)
class Reference:
    """A possible referent of a name, seen along a path of views: an array of before the loop (`name` is empty, `number`
    counts them), or the array that a name held at the end of a round. In the path a `Hole` stands for each index that
    rounds compute."""

    name: str
    number: int
    path: tuple[Any, ...] = ()


class _More(WritesCarried):
    """A round leaves a name with an array that it was not known to stand for."""

    def __init__(self) -> None:
        BaseException.__init__(self)
        self.tensor = None  # type: ignore[assignment]


def stage_by_reference(
    trace: Trace,
    variables: Variables,
    refusal: TracefnError,
    stage: Callable[[Variables, Callable[..., Any]], None],
    places: Sequence[Place] = (),
) -> None:
    """Stages a loop. `stage` is given its variables, and a wrapper of its body. Values that rounds put into `places`
    are followed as those of names are. Raises `refusal`, or another one, where that cannot be followed."""
    count = len(trace.nodes)
    references = _References(trace, variables, refusal, places)
    for _ in range(MAX_TRIES):
        try:
            references.loop(stage)
            return
        except _More:
            trace.forget_from(count)
            references.restore()
        except BaseException:
            trace.forget_from(count)
            references.restore()
            raise
    raise refusal


class _References:
    """The arrays among the leaves of the names' values are followed, each by its path. `_arrays` are those of before
    the loop, `_may_be` has for each leaf its possible referents at the start of a round: their numbers in `_known`.
    `_which` are the numbers under way, `_indices` the indices in the holes of their paths, `_starts` the referents of
    the leaves at the start of the round that is traced, `_made` the arrays that they held at the end of the round
    before."""

    def __init__(self, trace: Trace, variables: Variables, refusal: TracefnError, places: Sequence[Place]) -> None:
        self._trace = trace
        self._variables = variables
        self._refusal = refusal
        self._places = {f"{place} (place {number})": place for number, place in enumerate(places)}
        self._arrays: list[Tensor] = []
        self._known: list[Reference] = []
        self._first: dict[str, int] = {}
        self._may_be: dict[str, list[int]] = {}
        self._which: dict[str, Any] = {}
        self._indices: dict[str, list[Any]] = {}
        self._starts: dict[str, Tensor] = {}
        self._made: dict[str, Tensor] = {}
        self._before = self._held()
        self._started = dict(self._before)
        self._followed: tuple[str, ...] = ()

    def _follow(self, path: str, first: Reference) -> None:
        self._first[path] = self._number(first)
        self._may_be[path] = [self._first[path]]
        self._indices[path] = []

    def _number(self, reference: Reference) -> int:
        if reference not in self._known:
            self._known.append(reference)
        return self._known.index(reference)

    def _array(self, value: Tensor) -> int:
        for number, array in enumerate(self._arrays):
            if array is value:
                return number
        self._arrays.append(value)
        return len(self._arrays) - 1

    def loop(self, stage: Callable[[Variables, Callable[..., Any]], None]) -> None:
        self._hold(self._before)
        leaves = self._leaves()
        for path, value in leaves.items():
            if path not in self._first and is_array(value):
                self._follow(path, Reference("", self._array(value)))
        self._followed = tuple(self._first)
        self._which = dict(self._first)
        self._indices = {path: [0] * self._holes_of(path) for path in self._followed}
        self._put({path: _content(self._trace, v) for path, v in leaves.items() if is_array(v)})
        names = (*self._variables.names, *[f"which array {path} is" for path in self._followed])
        names += tuple([f"index {n} of {path}" for path in self._followed for n in range(len(self._indices[path]))])
        stage(self._inner(names), self._round)
        self._start(self._trace)

    def _inner(self, names: tuple[str, ...]) -> Variables:
        inner = Variables(names, self._get, self._set, self._variables.written)
        inner.exact, inner.unlike = self._variables.exact, self._variables.unlike
        return inner

    def _leaves(self) -> dict[str, Any]:
        """The leaves of the names' values, by path."""
        return {path: leaf for name, value in self._held().items() for path, leaf in flatten(_set(value), name)[0]}

    def _put(self, leaves: dict[str, Any]) -> None:
        self._hold({name: _with_leaves(name, value, leaves) for name, value in self._held().items()})

    def _held(self) -> dict[str, Any]:
        """The values of the names and places."""
        held = dict(zip(self._variables.names, self._variables.get(), strict=True))
        return held | {name: place.load() for name, place in self._places.items()}

    def _hold(self, values: dict[str, Any]) -> None:
        self._variables.set(tuple([values[name] for name in self._variables.names]))
        store_places(_inner(), {p: values[n] for n, p in self._places.items() if p.load() is not values[n]})

    def restore(self) -> None:
        """Gives the names and places their values from the start."""
        self._hold(self._started)

    def _get(self) -> State:
        indices = [index for path in self._followed for index in self._indices[path]]
        return (*self._variables.get(), *[self._which[path] for path in self._followed], *indices)

    def _set(self, state: State) -> None:
        count = len(self._variables.names)
        self._variables.set(state[:count])
        self._which = dict(zip(self._followed, state[count:], strict=False))
        indices = iter(state[count + len(self._followed) :])
        self._indices = {path: [next(indices) for _ in self._indices[path]] for path in self._followed}

    def _holes_of(self, path: str) -> int:
        """The most holes in the path of a possible referent of a leaf."""
        return max([len(holes_in(self._known[number].path)) for number in self._may_be[path]])

    def _start(self, trace: Trace) -> None:
        """Gives the leaves, which hold carried values, the arrays that they stand for."""
        leaves = self._leaves()
        held = {path: leaves[path] for path in self._followed if type(leaves.get(path)) is Tensor}
        self._made = {path: _content(trace, value) for path, value in held.items()}
        for path, made in self._made.items():
            made._aliased = sum(any(self._known[n].name == path for n in found) for found in self._may_be.values()) > 1
        self._starts = {path: self._one(trace, path, self._may_be[path], value) for path, value in held.items()}
        self._put(self._starts)

    def _one(self, trace: Trace, path: str, numbers: list[int], held: Tensor, is_all: bool = True) -> Tensor:
        """The array of one of these numbers, and its content if these are all that it may have."""
        number, *others = numbers
        known = self._known[number]
        if known.name and known.name not in self._made:
            raise self._refusal
        seen_along = filled(known.path, self._indices[path])
        array = along(self._made[known.name] if known.name else self._arrays[known.number], seen_along)
        if not others:
            return array
        other = self._one(trace, path, others, held, False)
        is_first = self._which[path] == number
        if type(is_first) is bool:
            return array if is_first else other
        like = Tensor(held._node, held._trace, owned=False)
        found = choice(trace, "cond", is_first, (array, other), like)
        if found is like and is_all:
            is_up_to_date(found)
        return found

    def _round(self, body: Callable[..., None]) -> Callable[..., None]:
        """A round that follows the referents of the leaves."""

        def run(*index: Any) -> None:
            trace = current()
            assert trace is not None
            self._start(trace)
            body(*index)
            self._end(trace)

        return run

    def _end(self, trace: Trace) -> None:
        self._settle(trace)
        arrays = {path: value for path, value in self._leaves().items() if is_array(value)}
        new = arrays.keys() - set(self._followed)
        for path in sorted(new):
            self._follow(path, Reference(path, 0))
        if new:
            raise _More
        if any(path not in arrays for path in self._starts):
            raise self._refusal
        found = _Found(self, trace)
        which = found.which(arrays)
        if found.is_new:
            raise _More
        indices = {path: found.indices(path, len(known)) for path, known in self._indices.items() if path in arrays}
        self._put({path: _content(trace, value) for path, value in arrays.items()})
        self._which = self._which | which
        self._indices = self._indices | indices

    def _settle(self, trace: Trace) -> None:
        """Has the loop begin with values of several types where a round leaves a name with one of another type."""
        before = dict(self._before)
        for name, now in self._held().items():
            was = before[name]
            if type(now) is not OneOf and not (is_array(was) and is_array(now)):
                continue
            settled = settle_unlike(trace, [was, now])[0]
            counts = [len(v.values) if type(v) is OneOf else 0 for v in (settled, was)]
            if counts[0] != counts[1]:
                self._before[name] = settled
        if any(self._before[name] is not was for name, was in before.items()):
            raise _More if self._variables.unlike else self._refusal


def _set(value: Any) -> Any:
    """The value of a variable where it is set."""
    return value.value if type(value) is Maybe else value


def _with_leaves(name: str, value: Any, leaves: dict[str, Any]) -> Any:
    """A value with other leaves at some paths."""
    if type(value) is Maybe:
        return Maybe(value.name, _with_leaves(name, value.value, leaves), value.is_set)
    found, tree = flatten(value, name)
    if not any(path in leaves for path, _ in found):
        return value
    return unflatten(tree, [leaves.get(path, leaf) for path, leaf in found], like=value)


class _Found:
    """The arrays of the names at the end of a round. An array that the round made belongs to its first name: in the
    next round it is the array that this name held."""

    def __init__(self, references: _References, trace: Trace) -> None:
        self._of = references
        self._trace = trace
        self._objects: list[Any] = []
        self._given: dict[str, tuple[Any, list[int]]] = {}
        self.is_new = False

    def which(self, values: dict[str, Tensor]) -> dict[str, Any]:
        """The numbers of the names' referents, Python ints where they are always the same."""
        for name, value in values.items():
            found: dict[int, tuple[Any, ...]] = {}
            self._given[name] = self._object(value, (), found), list(found)
        return {
            name: self._choice(given, functools.partial(self._settled, name), numbers)
            for name, (given, numbers) in self._given.items()
        }

    def indices(self, name: str, count: int) -> list[Any]:
        """The numbers in the holes of the path of a name's referent; those that it does not have are 0."""
        given, numbers = self._given[name]
        of_number = {n: [*computed_in(self._objects[n][2]), *[0] * count] for n in numbers}
        return [self._choice(given, lambda n, k=k: of_number[n][k], numbers) for k in range(count)]  # type: ignore[misc]

    def _object(self, value: Tensor, path: tuple[Any, ...], found: dict[int, tuple[Any, ...]]) -> Any:
        """The number of an array of this round and of before the loop, as `_objects` has them. `found` gets the paths
        along which it is seen."""
        of = self._of
        for name, start in of._starts.items():
            if start is value and value._choice is not None:
                numbers = of._may_be[name]
                known = functools.partial(self._known, of._indices[name], path, found)
                return self._choice(of._which[name], known, numbers)
        made = next((n for n, array in of._made.items() if array is value), None)
        if made is not None:
            return self._note(("made", made), path, found)
        if any(array is value for array in of._arrays) or not self._is_of_round(value):
            return self._note(("array", of._array(value)), path, found)
        if value._base is not None:
            return self._object(value._base, (*value._path, *path), found)
        if value._choice is not None:
            options, trace = value._choice, _inner()
            if options.ways > MAX_READ:
                raise of._refusal
            sides = [
                run_side(trace, name, functools.partial(self._in_side, option, path, found))
                for name, option in zip(options.names, options.options, strict=True)
            ]
            return choose(trace, options.op_name, options.selector, sides)["which"]
        return self._note(("new", value), path, found)

    def _in_side(self, option: Tensor, path: tuple[Any, ...], found: dict[int, tuple[Any, ...]]) -> dict[Any, Any]:
        return {"which": self._object(option, path, found)}

    def _is_of_round(self, value: Tensor) -> bool:
        return value._home is self._trace

    def _known(self, indices: list[Any], path: tuple[Any, ...], found: dict[int, tuple[Any, ...]], number: int) -> Any:
        known = self._of._known[number]
        what = ("made", known.name) if known.name else ("array", known.number)
        return self._note(what, (*filled(known.path, indices), *path), found)

    def _note(self, what: Any, path: tuple[Any, ...], found: dict[int, tuple[Any, ...]]) -> int:
        if not is_followed(path):
            raise self._of._refusal
        key = (*what, path)
        number = next((i for i, other in enumerate(self._objects) if is_same_path(key, other)), -1)
        if number < 0:
            number = len(self._objects)
            self._objects.append(key)
        found[number] = key
        return number

    def _settled(self, name: str, number: int) -> Any:
        """The number that an array has in the next round."""
        kind, which, path = self._objects[number]
        if kind == "array":
            return self._next(name, Reference("", which, with_holes(path)))
        owners: list[tuple[str, Any, list[int]]] = []
        for other, (given, numbers) in self._given.items():
            same = [n for n in numbers if is_same_path(self._objects[n][:2], (kind, which)) and not self._objects[n][2]]
            if same:
                owners.append((other, given, same))
            if same and (other == name and not path or len(same) == len(numbers)):
                break
        else:
            raise self._of._refusal  # only views show it, or it is not certain that one name holds it
        result: Any = self._next(name, Reference(owners.pop()[0], 0, with_holes(path)))
        for other, given, same in reversed(owners):
            mine = self._next(name, Reference(other, 0, with_holes(path)))
            for n in same:
                result = _either(given == n, mine, result)
        return result

    def _next(self, name: str, reference: Reference) -> int:
        number = self._of._number(reference)
        if number not in self._of._may_be[name]:
            self._of._may_be[name].append(number)
            self.is_new = True
        return number

    def _choice(self, which: Any, function: Callable[[int], Any], numbers: Sequence[int]) -> Any:
        """The result of a function for a traced or known number."""
        if type(which) is int:
            return function(which)
        number, *others = numbers
        if not others:
            return function(number)
        chosen, other = function(number), self._choice(which, function, others)
        return _either(which == number, chosen, other)


def _inner() -> Trace:
    trace = current()
    assert trace is not None
    return trace


def _either(test: Any, chosen: Any, other: Any) -> Any:
    """One of two numbers."""
    if type(chosen) is int and type(other) is int and chosen == other:
        return chosen
    trace = _inner()
    sides = [run_side(trace, n, lambda v=v: {"which": v}) for n, v in (("if_true", chosen), ("if_false", other))]  # type: ignore[misc]
    return choose(trace, "cond", test, sides)["which"]


def _content(trace: Trace, value: Tensor) -> Tensor:
    """The content of an array, as an array that stands for nothing else."""
    return Tensor(trace.node_of(value), trace, owned=True)
