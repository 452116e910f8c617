"""The state that a loop carries from round to round while its body is traced."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable
from typing import Any

from ....errors import TracefnError
from ....ir.dims import Length
from ....ir.graph import Node
from ....ir.types import TensorType
from ...aliasing.views import WritesCarried, check_doubts
from ...aliasing.writes import places_of
from ...body import BodyTrace, NeverReturns
from ...context import Trace
from ...kinds import is_variable
from ...reads import all_in_trace
from ...state.place import Attribute, Contents, Held, Item, Place
from ...tensor import Tensor
from ...tree import LEAF, Tree, flatten, map_leaves, unflatten
from ..branches import is_own, may_show, store_places, written_arrays
from ..choices import is_array
from ..joins import carry_type, fitting, is_value, line_of_value, node_of, refuse, structure, value_type
from ..one_of import settle_fixed
from ..outside_containers import flatten_made, is_outside_container, may_change
from ..retype import retype
from ..types import settle_types
from ..undefined import Maybe, Undefined, as_maybe, unset_before
from ..unlike import settle_unlike
from .checks import check_kind, found_before, is_of_others, is_view, refuse_one_in_two, written_and_replaced
from .ends import let_go
from .first_round import round_of
from .results import LoopResults, State

MAX_ROUNDS = 8
"""How often a body is traced until the types of its state settle. Each round can only widen them."""


class Carry(LoopResults):
    """The leaves of a loop's state: arrays and numbers are carried, anything else must stay the same.

    `types` are those of the carried leaves; they widen while the body is traced. Places that the body changes join the
    state as they are met, and variables that only the body sets. An array that the body writes into without making it
    its own (`x += 1` of an argument) is not carried: the variable keeps the array, whose content is such a place. Of
    the names `augmented` that is known before.
    """

    def __init__(self, init: State, unlike: bool = False, augmented: Collection[str] = ()) -> None:
        self._init = dict(init)
        self._unlike = unlike  # a round may leave names with values of other types
        self._expected = [place for place in init if isinstance(place, Place)]  # places that a round is said to change
        self._last: list[Any] = []
        self._open_lengths: set[Length] = set()
        self._kept: set[Any] = set()
        self._shared: set[Any] = set()
        self._settled = False
        self._first_round, self._tells_types = None, False
        self._has_all = False  # but for types, the last round left the state that it found
        self._shares_more = False  # but for arrays that others may show, it left that
        self._lies, self._moved, self._assumed = {}, set(), set()
        self._replaced: set[Any] = set()  # names that hold a container from outside before the loop, and then others
        self._grown = {key: v for key in augmented if may_change(v := init.get(key))}
        self._given: dict[Any, Tensor] = {}  # leaves to which a round gives an array from around that it wrote into
        self.types: list[TensorType] = []
        self._take_apart()
        self._keep([n for n, (key, _) in enumerate(self._carried) if key in augmented and is_of_others(self._first[n])])

    def _take_apart(self) -> None:
        """The leaves of the state; known types stay, but for a variable that has got another structure."""
        flat = {key: self._flat(key, value) for key, value in self._init.items()}
        before, self._trees = getattr(self, "_trees", {}), {key: tree for key, (_, tree) in flat.items()}
        leaves = zip(getattr(self, "_carried", ()), self.types, strict=True)
        known = {leaf: found for leaf, found in leaves if before[leaf[0]] == self._trees.get(leaf[0])}
        self._leaves = [(key, path, value) for key, (leaves, _) in flat.items() for path, value in leaves]
        carried = [(key, path, value) for key, path, value in self._leaves if self._is_carried(key, path, value)]
        self._carried = [(key, path) for key, path, _ in carried]
        self._first = [value for _, _, value in carried]
        self.types = [known.get((key, path), value_type(value)) for key, path, value in carried]

    def _flat(self, key: Any, value: Any) -> tuple[list[tuple[str, Any]], Tree]:
        """Its leaves and their structure. A container from outside, or that rounds change, is one leaf, unless they
        replace it."""
        if key in self._replaced:
            return flatten(value, str(key))
        if value is self._grown.get(key, self):
            return [(str(key), value)], LEAF
        return flatten_made(value, str(key))

    def _is_carried(self, key: Any, path: str, value: Any) -> bool:
        return is_value(value) and (key, path) not in self._kept

    def trace_body(
        self,
        trace: Trace,
        run: Callable[[BodyTrace], State],
        check: Callable[[], None] | None = None,
        judge: Callable[[list[Node]], None] | None = None,
    ) -> BodyTrace:
        """The body, traced again while the types of the state still change: a number that becomes an array, a length
        that differs from round to round. `run` calls the body's function and gives the state that it leaves, `check`
        is called when it has been traced. `judge` is given the nodes each time, and may raise."""
        for _ in range(MAX_ROUNDS):
            body = BodyTrace(trace, "body")
            body.repeats = True
            self._settled = False
            try:
                is_traced, self._settled = self._is_traced(body, run), False
                if judge is not None:
                    judge(body.nodes)
                if check is not None and (is_traced or self._shares_more):  # a next round would own no more
                    check()
                if is_traced:
                    self._settled = True
                    return body
            except WritesCarried as error:
                if not self._keeps(error.tensor):
                    raise
            except TracefnError as error:
                error.places = self._places_of_arrays()  # type: ignore[attr-defined]
                raise
            finally:
                body.ended = not self._settled
        return refuse("the types of the loop's state do not settle", ", ".join(map(repr, self.types)))

    def _is_traced(self, body: BodyTrace, run: Callable[[BodyTrace], State]) -> bool:
        """Traces the body once. True if it leaves a state of the types that it found, or can be given those."""
        root = body.root
        related = root.outside.related
        around, root.sees_types = root.sees_types, False
        try:
            state = self._with_values(run(body), body)
        except NeverReturns:  # every round raises: its results are never used
            state = dict(self._entered)
        finally:
            sees_types = root.sees_types
            root.sees_types |= around
        let_go(body, state)
        changes = body.journal.take_back()
        if root.outside.related != related:  # it may have read an array before it wrote into it by another name
            self._init = {key: value for key, value in self._init.items() if not is_view(key)}
            self._expected = [place for place in self._expected if place in self._init]
            self._take_apart()
            return False
        body.ended = False
        written = written_arrays(changes)
        state = {key: self._as_written(key, value, written) for key, value in state.items()}
        state |= {place: after for place, (_, after) in changes.items()}
        before = {place: was for place, (was, _) in changes.items() if place not in self._init}
        if self._drops_unchanged(state) or self._grows(before):
            return False
        refuse_one_in_two(state, self._entered)
        if self.is_read_in(body):
            self._take_apart()
            return False
        firsts, found, left, nodes = self._first, self.types, dict(state), tuple(body.nodes)
        self._settled = self._is_settled_by(state, before, body)
        if not self._settled and self._is_first_round(firsts, found):  # else no other round is compared with it
            self._first_round = round_of(left, nodes)
        while not self._settled and not sees_types and self._lacks_types(found):
            changed = {i._node: t for i, t, was in zip(self._inputs, self.types, found, strict=True) if t != was}
            if not retype(body.nodes, changed):
                break
            found = self.types
            self._settled = self._has_types(body)
        if self._settled and self._first_round_differs(left, body):
            self._tells_types = True
            self._settled = self._is_settled_by(state, before, body)
            if self._settled:
                refuse("only the first round of a loop finds a Python number", repr(self.types))
        return self._settled

    def is_read_in(self, body: BodyTrace) -> bool:
        """True if a body reads, under another name, an array that rounds write into."""
        found = [first for first in self._written_firsts() if first._node in body.lifted]
        for first in found:
            first._aliased = True
        return bool(found)

    def _written_firsts(self) -> list[Tensor]:
        """The function's own arrays that rounds write into, the first round and loops in it included."""
        leaves = zip(self._first, self._inputs, self._found, strict=True)
        return [
            first
            for first, given, found in leaves
            if type(first) is Tensor
            and first._node.type.has_memory
            and (given._node is not found or given._doubts)
            and is_own(first)
        ]

    def _drops_unchanged(self, state: State) -> bool:
        """Carries no longer places that a round was said to change, and does not. True if there is one."""
        unchanged = [p for p in self._expected if p not in state or state[p]._node is self._entered[p]._node]
        self._expected = []
        for place in unchanged:
            del self._init[place]
        if unchanged:
            self._take_apart()
        return bool(unchanged)

    def _grows(self, before: State) -> bool:
        """Has names keep the containers that the round has changed. True if there is one that was taken apart."""
        changed = {id(place.owner) for place in before}
        entered = {k: v for k, v in self._entered.items() if may_change(v) and k not in self._grown}
        found = {key: self._init[key] for key, value in entered.items() if id(value) in changed}
        self._grown |= found
        if found:
            self._take_apart()
        return bool(found)

    def _places_of_arrays(self) -> list[Place]:
        """The attributes and items, as far as they are known, that rounds give arrays."""
        return [key for key, _, value in self._leaves if isinstance(key, Attribute | Item) and is_array(value)]

    def _keeps(self, tensor: Tensor) -> bool:
        """Has a variable keep the array that `tensor` stands for in the body. False if it stands for none."""
        found = [number for number, inner in enumerate(self._inputs) if inner is tensor]
        self._keep(found)
        return bool(found)

    def _keep(self, numbers: list[int]) -> None:
        """Has the leaves with these numbers keep their arrays: what changes are the places of these."""
        if numbers:
            self._kept |= {self._carried[n] for n in numbers}
            changed = places_of([self._first[n] for n in numbers])
            self._expected += [place for place in changed if place not in self._init]
            self._init |= {place: value for place, value in changed.items() if place not in self._init}
            self._take_apart()

    def _as_written(self, key: Any, value: Any, written: dict[int, Tensor]) -> Any:
        """A value with the body's writes into its arrays, but for those that variables keep."""
        if not any(id(leaf) in written for _, leaf in flatten(value)[0]):
            return value
        kept = [was for k, path, was in self._leaves if k == key and (k, path) in self._kept]

        def now(path: str, leaf: Any) -> Any:
            if type(leaf) is not Tensor or id(leaf) not in written or any(leaf is k for k in kept):
                return leaf
            self._given[key, f"{key}{path}"] = leaf
            return written[id(leaf)]

        return map_leaves(now, value)

    def _with_values(self, state: State, body: BodyTrace) -> State:
        """The state after a round, with the values of Variables that it gives to names that had something else."""
        try:
            with body.active():
                found = {k: v if v is self._init.get(k) else all_in_trace(v) for k, v in state.items()}
                for value in found.values():
                    for _, leaf in flatten(value)[0]:
                        if type(leaf) is Tensor:
                            check_doubts(leaf)
        except (Exception, WritesCarried):
            body.journal.take_back()
            raise
        body.ended = False
        return found

    def enter(self, body: BodyTrace) -> State:
        """The state as the body finds it: new inputs of the body. Places hold it already."""
        inputs = []
        for leaf, found, first in zip(self._carried, self.types, self._first, strict=True):
            tensor = body.input(leaf[1], found)
            tensor._owned = self._is_own(first, body.parent) and leaf not in self._shared
            may_show(tensor, [first])
            body.first[tensor._node] = first
            inputs.append(tensor)
        self._inputs = body.carried = inputs
        self._found = [tensor._node for tensor in inputs]
        body.lies_as = functools.partial(self._lies_as, self._found)
        self._entered = self.filled(inputs)
        store_places(body, self._entered)
        return {key: value for key, value in self._entered.items() if not isinstance(key, Place)}

    @staticmethod
    def _is_own(first: Any, trace: Trace) -> bool:
        """True for an array that is seen to be one variable's alone: an array of a trace further out may be held by
        another name there, which would not see what rounds write."""
        return is_own(first) and (type(first) is not Tensor or not first._node.type.has_memory or first._home is trace)

    def enter_test(self, test: BodyTrace) -> State:
        """The state that the condition of a loop reads, after the body was traced."""
        of_body = self._inputs, self._found, self._entered
        state = self.enter(test)
        self._inputs, self._found, self._entered = of_body
        return state

    def _is_settled_by(self, state: State, before: State, body: BodyTrace) -> bool:
        """Takes the state that a round leaves. True if it has the types that the round found.

        `before` are the places that the round changed and that were not carried, as they were before it.
        """
        self._has_all = self._shares_more = False
        if (lost := next((key for key in self._init if key not in state), None)) is not None:
            refuse(f"the first round of a loop changes `{lost}`", "later ones change another object by this name")
        discovered = {k: found_before(k, was, state[k]) for k, was in before.items()}
        for key, was in self._init.items():
            if type(was) is Undefined and type(state[key]) is not Undefined:
                discovered[key] = unset_before(key, state[key])
            elif key not in discovered:
                now = as_maybe(str(key), state[key], was.value) if type(was) is Maybe else state[key]
                settled, state[key] = settle_fixed(body, [was, now])
                if not isinstance(key, Held):
                    traces = [body.parent, body]
                    settled, state[key] = settle_types([settled, state[key]], traces, not self._tells_types)
                    if self._unlike and not isinstance(key, Contents):
                        unlike = settle_unlike(body, [settled, state[key]])
                        settled, state[key] = settle_types(unlike, traces, not self._tells_types)
                if settled is not was:
                    discovered[key] = settled
        if discovered:
            self.types = [self._strong(leaf, t, state) for leaf, t in zip(self._carried, self.types, strict=True)]
            self._init |= discovered
            self._take_apart()
            return False
        after: list[Any] = []
        for key in self._init:
            is_one = is_outside_container(was := self._init[key]) or key in self._grown
            if is_one and state[key] is not was and key not in self._replaced:
                self._replaced.add(key)
                self._take_apart()
                return False
            leaves, tree = self._flat(key, state[key])
            if tree != self._trees[key]:
                what = f"a round of the loop changes the structure of `{key}`"
                refuse(what, f"{structure(self._trees[key])} → {structure(tree)}")
            after += [value for _, value in leaves]
        rebound = {
            key for (key, _, was), now in zip(self._leaves, after, strict=True) if is_variable(was) and was is not now
        }
        if rebound:  # a name that a round rebinds stands for the Variable's content
            self._init |= {key: all_in_trace(self._init[key]) for key in rebound}
            self._take_apart()
            return False
        for leaf, now in zip(self._leaves, after, strict=True):
            self._check(leaf, now)
        self._last = [
            now for (key, path, was), now in zip(self._leaves, after, strict=True) if self._is_carried(key, path, was)
        ]
        return self._has_types(body)

    def _check(self, leaf: tuple[Any, str, Any], now: Any) -> None:
        """Raises for a value that a round may not leave in the place of a leaf."""
        key, path, was = leaf
        if (key, path) in self._kept and now is not was:
            others = (*self._inputs, *[value for _, _, value in self._leaves])
            raise written_and_replaced(path, self._not_own(now) or path, any(now is other for other in others))
        check_kind(path, was, now)

    def _has_types(self, body: BodyTrace) -> bool:
        """True if the values after a round have the types of those before it. Takes the types that are for both."""
        found = [
            carry_type(path, t, value_type(v), self._open_lengths, (line_of_value(first), line_of_value(v)))
            for (_, path), t, v, first in zip(self._carried, self.types, self._last, self._first, strict=True)
        ]
        shared = self._shared | {
            leaf
            for leaf, first, last in zip(self._carried, self._first, self._last, strict=True)
            if is_own(first) and (leaf in self._given or not self._is_alone(last, body))
        }
        has_types, self._has_all = found == self.types, shared == self._shared
        self._shares_more = has_types and not self._has_all
        if has_types and self._has_all:
            self._has_all = self._lie_as_before()
        self.types, self._shared = found, shared
        return has_types and self._has_all

    def _not_own(self, value: Any) -> str | None:
        """The variable that a value stands for in the body, if its array before the loop is not its own."""
        leaves = zip(self._carried, self._first, self._inputs, strict=True)
        return next((path for (_, path), first, found in leaves if found is value and not is_own(first)), None)

    def initial(self, trace: Trace) -> list[Node]:
        """The nodes of the state before the first round."""
        return [node_of(v, trace) for v in self.first(trace)]

    def first(self, trace: Trace) -> list[Any]:
        """The carried leaves before the first round, with numbers as their variables' types."""
        return self._as_types(self._first, trace)

    def outputs(self, body: BodyTrace) -> list[Node]:
        """The nodes of the state that the body leaves."""
        return [node_of(v, body) for v in self._as_types(self._last, body)]

    def _as_types(self, values: list[Any], trace: Trace) -> list[Any]:
        """Values of the carried leaves, with numbers as the types of their variables."""
        return [fitting(path, v, t, trace) for (_, path), v, t in zip(self._carried, values, self.types, strict=True)]

    def filled(self, values: Iterable[Any]) -> State:
        """A state with these values for the leaves that are carried, the others as they were."""
        rest = iter(values)
        leaves: dict[Any, list[Any]] = {key: [] for key in self._init}
        for key, path, value in self._leaves:
            leaves[key].append(next(rest) if self._is_carried(key, path, value) else value)
        return {key: unflatten(tree, leaves[key], like=self._init[key]) for key, tree in self._trees.items()}
