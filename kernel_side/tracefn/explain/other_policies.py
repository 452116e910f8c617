"""The session under other policies: the number of traces, the time saved, and the changes needed."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ..events.units import count, duration
from ..function import Function
from ..function.history.call_log import CallLog
from ..function.history.traces import TraceRecord
from ..records import dataclass
from ..tables import as_html, as_text
from ..trace.signature import LeafSpec, ValueSpec
from .casts import cast_of, differing_literals
from .eager import EagerCalls, eager_calls
from .policies import BOTH, OUTSIDE, POLICIES, RELAXED, SCALARS, Policy
from .replay import Replay, replay
from .specs import obstacle
from .verdict import marks_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of the logged calls under one policy.

    `arguments` are the paths that it concerns: those that varied. `changes` names the guards and results that would
    change. Empty, the policy gives the same results. `casts` maps paths to the code to pass instead. `unverified` says
    why the function could not be traced so, to prove it: then only keys and graphs of the calls so far tell.
    """

    policy: str
    arguments: tuple[str, ...]
    traces: int
    saved_ns: int
    changes: tuple[str, ...] = ()
    casts: dict[str, str] = dataclasses.field(default_factory=dict)
    unverified: str = ""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A table of policies. `traces` is the number of logged calls, each of which needed a trace; `outcomes` those that
    would have made any difference, `calls` all calls of the function, `eager` those that ran eagerly: no policy helps
    them."""

    name: str
    traces: int
    calls: int
    cost_ns: int
    outcomes: tuple[Outcome, ...]
    eager: tuple[EagerCalls, ...] = ()

    def of(self, policy: str) -> Outcome | None:
        """The outcome of the policy with this name, None where it makes no difference."""
        return next((o for o in self.outcomes if o.policy == policy), None)

    def rows(self) -> list[tuple[str, ...]]:
        """The table, its head first."""
        found: list[tuple[str, ...]] = [("policy", "arguments", "traces", "saved", "would change")]
        found.append(("as is", "", str(self.traces), "", ""))
        for o in self.outcomes:
            changes = "; ".join(o.changes) or (
                f"nothing so far (not tried: {o.unverified})" if o.unverified else "nothing"
            )
            found.append((o.policy, ", ".join(o.arguments), str(o.traces), duration(o.saved_ns), changes))
        return found

    @property
    def title(self) -> str:
        return f"{self.name}: {count(self.traces, 'trace')} in {count(self.calls, 'call')}, {duration(self.cost_ns)}"

    def to_dict(self) -> dict[str, Any]:
        """The table as data for JSON; times in ns."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        lines = [f"  {line}" for line in as_text(self.rows())]
        return "\n".join([self.title, *lines, *self._eager_lines()])

    def _eager_lines(self) -> list[str]:
        return [f"runs eagerly ({e.signature}): {e.text}. {e.fix} {e.cost}".replace("  ", " ") for e in self.eager]

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape

        table = as_html(self.rows())
        eager = "".join(f"<div>{escape(line)}</div>" for line in self._eager_lines())
        return f'<div class="tracefn-output-what-if"><div>{escape(self.title)}</div>{table}{eager}</div>'


def what_if(function: Function, may_run: bool = True) -> WhatIf:
    """Replays the calls of a function that needed a trace, under each policy that would make a difference.

    Where that finds nothing that would change, the function is traced once more, as the policy would have it, unless
    it `may_run` nothing of the user's: then a policy that was not tried before says so.
    """
    outcomes = []
    with function._lock:
        table = replayed(function)
        for outcome in table.outcomes:
            refused = None if outcome.changes else obstacle(function, outcome, may_run)
            if refused is not None and refused.kind == "untried":
                outcome = dataclasses.replace(outcome, unverified=refused.text)
            elif refused is not None:
                outcome = dataclasses.replace(outcome, changes=(refused.text,))
            outcomes.append(outcome)
    return dataclasses.replace(table, outcomes=tuple(outcomes))


def replayed(function: Function) -> WhatIf:
    """The table as far as keys and graphs tell."""
    with function._lock:  # no other thread may add to the log meanwhile
        return _replayed(function)


def _replayed(function: Function) -> WhatIf:
    log, history = function._log, function._history
    records = {r.number: r for r in history.records}
    cost = sum(sum(rows.costs) for rows in log.forms.values())
    outcomes = []
    for policy in POLICIES if len(log) else ():
        arguments = varying(log, policy) if policy is not OUTSIDE else varying_outside(history.records)
        if arguments and (policy is not BOTH or (varying(log, SCALARS) and varying(log, RELAXED))):
            found = replay(log, policy, function.max_traces)
            if found.count < len(log):
                changes, casts = _changes(policy, found, records)
                if changes and (lists := lists_of_numbers(records.get(max(records)), arguments, policy)):
                    arguments, casts, changes = tuple(lists), lists, ()  # a trial tells
                outcomes.append(Outcome(policy.name, arguments, found.count, found.saved_ns, changes, casts))
    eager = eager_calls(function)
    calls = sum(r.calls for r in history.records) + sum(e.calls for e in eager)
    return WhatIf(function.name, len(log), calls, cost, tuple(outcomes), eager)


def varying(log: CallLog, policy: Policy) -> tuple[str, ...]:
    """The paths of the leaves that differ in the kind of column that a policy is about."""
    found: dict[str, None] = {}
    for form, rows in log.forms.items():
        for number, column in enumerate(form.columns):
            if column.kind in policy.about and len(set(rows.column(number))) > 1:
                found[form.paths[column.leaf]] = None
    return tuple(found)


def varying_outside(records: Sequence[TraceRecord]) -> tuple[str, ...]:
    """The paths of the captured Python numbers that were others at other traces."""
    found: dict[str, set[str]] = {}
    for record in records:
        for path, value in record.numbers.items():
            found.setdefault(path, set()).add(repr(value))
    return tuple([path for path, values in found.items() if len(values) > 1])


def _changes(policy: Policy, found: Replay, records: dict[int, TraceRecord]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The changes of guards and results under a policy; and the casts that keep results as they are."""
    changes = [policy.change] if policy.change else []
    casts: dict[str, str] = {}
    for numbers in found.shared():
        shared = [records[n] for n in numbers if n in records]
        other = _other_graph(policy, shared)
        if other is not None and policy is SCALARS and (counts := _counts(shared)):
            casts |= counts  # how often a loop runs, perhaps: a trial tells
            continue
        if other is not None:
            changes.append(f"#{other[0]} and #{other[1]} have different graphs, so that one cannot serve both calls")
            break
        if "int" in policy.about or policy is OUTSIDE:
            refused = _find_casts(shared, casts, policy is OUTSIDE)
            if refused is not None:
                changes.append(refused)
                break
    return tuple(changes), casts


def _other_graph(policy: Policy, shared: Sequence[TraceRecord]) -> tuple[int, int] | None:
    """Two of the traces that the policy needs to be equal and are not."""
    for record in shared[1:]:
        mark = policy.must_agree
        if getattr(marks_of(record), mark) != getattr(marks_of(shared[0]), mark):
            return shared[0].number, record.number
    return None


def _find_casts(shared: Sequence[TraceRecord], casts: dict[str, str], outside: bool) -> str | None:
    """Adds the casts of the Python numbers in which these traces differ: arguments, or numbers from `outside`. Says why
    where there is none."""
    kept = [r for r in shared if r.concrete is not None]
    if len(kept) < 2:
        return None
    old, new = kept[0], kept[-1]
    assert old.concrete is not None and new.concrete is not None
    if outside:
        both = [(path, (old.numbers[path], value)) for path, value in new.numbers.items() if path in old.numbers]
        varied = {path: values for path, values in both if not _same(values[:1], values[1:])}
    else:
        pairs = zip(new.call.paths, old.call.leaves, new.call.leaves, strict=True)
        varied = {path: values for path, was, now in pairs if was != now and (values := _numbers(was, now)) is not None}
    literals = differing_literals(old.concrete, new.concrete)
    alone = len(varied) == 1 and marks_of(old).numbers == marks_of(new).numbers
    for path, values in varied.items():
        if path not in casts:
            used = [(node, place, _same(tuple(both), values)) for node, place, *both in literals]
            places = [(node, place) for node, place, same in used if alone or same]
            name, derived = path.rpartition(" ")[2] if outside else path, alone and not all(s for *_, s in used)
            code = cast_of(name, values[1], places, only_arrays=outside, is_derived=derived)
            if code is None and not outside and type(values[1]) is int:
                code = f"np.int64({name})"  # the rounds of a loop in the graph, perhaps: a trial tells
            if code is None:
                return f"results would change with {path} as an array"
            casts[path] = code
    return None


def _counts(shared: Sequence[TraceRecord]) -> dict[str, str]:
    """Casts of the ints in which traces of different graphs differ; none where they differ in something else."""
    old, new = shared[0].call, shared[-1].call
    found = {}
    for path, was, now in zip(new.paths, old.leaves, new.leaves, strict=True) if old.trees == new.trees else ():
        if was != now:
            values = _numbers(was, now)
            if values is None or {type(v) for v in values} != {int}:
                return {}
            found[path] = f"np.int64({path})"
    return found


def lists_of_numbers(record: TraceRecord | None, paths: Sequence[str], policy: Policy) -> dict[str, str]:
    """The casts of the arguments that are lists of numbers, where these paths are all among their elements."""
    if record is None or policy is not SCALARS:
        return {}
    found = {}
    position = 0
    for name, tree in record.call.trees:
        inner = record.call.paths[position : position + tree.count()]
        leaves = record.call.leaves[position : position + tree.count()]
        position += tree.count()
        is_flat = tree.kind in ("list", "tuple") and all(child.is_leaf for child in tree.children)
        if is_flat and leaves and all(isinstance(s, ValueSpec) and type(s.value) in (int, float) for s in leaves):
            if set(inner) & set(paths):
                found[name] = f"np.asarray({name})"
                paths = [p for p in paths if p not in inner]
    return {} if paths else found


def _numbers(was: LeafSpec, now: LeafSpec) -> tuple[Any, Any] | None:
    """The two values, where both leaves are Python numbers."""
    if not isinstance(was, ValueSpec) or not isinstance(now, ValueSpec):
        return None
    return (was.value, now.value) if {type(was.value), type(now.value)} <= {int, float} else None


def _same(found: tuple[Any, ...], values: tuple[Any, ...]) -> bool:
    return [(type(v), repr(v)) for v in found] == [(type(v), repr(v)) for v in values]
