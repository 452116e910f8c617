"""Replays the logged calls of a function on their keys alone: which of them would share a trace under a policy."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

from ..function.history.call_log import CallLog, Form, Rows
from ..records import dataclass
from .policies import CAPTURED, Policy


@dataclass(frozen=True, eq=False)
class Replay:
    """The outcome of the calls. For each logged call, in order: `traces` has the number of the trace that it made,
    `costs` its cost in ns, `groups` the number of the key that it has under the policy.

    `count` is the number of traces that there would be, `saved_ns` the cost of those that would not.
    """

    traces: Any
    costs: Any
    groups: Any
    count: int
    saved_ns: int

    def shared(self) -> list[list[int]]:
        """The numbers of the traces that would be one, for each key that several calls have."""
        order = np.argsort(self.groups, kind="stable")
        starts = np.flatnonzero(np.diff(self.groups[order])) + 1
        return [self.traces[part].tolist() for part in np.split(order, starts) if len(part) > 1]


def replay(log: CallLog, policy: Policy, max_traces: int | None) -> Replay:
    """Replays a log that is not empty."""
    parts = [_keys(form, rows, policy) for form, rows in log.forms.items()]
    positions, traces, costs, keys = (np.concatenate([p[i] for p in parts]) for i in range(4))
    order = np.argsort(positions, kind="stable")
    traces, costs = traces[order], costs[order]
    distinct, groups = np.unique(keys[order], return_inverse=True)
    enough = max_traces is None or len(distinct) <= max_traces
    made = _first_of_each(groups) if enough else _misses(groups, max_traces or 1)
    return Replay(traces, costs, groups, int(made.sum()), int(costs[~made].sum()))


def _keys(form: Form, rows: Rows, policy: Policy) -> tuple[Any, Any, Any, Any]:
    """Positions, traces and costs of the calls of a form, and a number for each that is equal for equal keys."""
    keys = np.full(len(rows), hash(policy.form(form)) & _MASK, np.uint64)
    surroundings = rows.surroundings_but_numbers if CAPTURED in policy.about else rows.surroundings
    keys = _mixed(keys, np.asarray(surroundings, np.int64))
    for number, column in enumerate(form.columns):
        values = policy.number(column, np.asarray(rows.column(number), np.int64))
        if values is not None:
            keys = _mixed(keys, values)
    return np.asarray(rows.positions), np.asarray(rows.traces), np.asarray(rows.costs), keys


_MASK = 2**64 - 1


def _mixed(keys: Any, values: Any) -> Any:
    """64-bit hashes of (key, value) pairs. Finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    mixed = keys * np.uint64(0x9E3779B97F4A7C15) + values.astype(np.uint64)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _first_of_each(groups: Any) -> Any:
    """True for the first call of each key."""
    made = np.zeros(len(groups), bool)
    made[np.unique(groups, return_index=True)[1]] = True
    return made


def _misses(groups: Any, max_traces: int) -> Any:
    """True for the calls that need a trace where only the `max_traces` that were used last are kept."""
    kept: OrderedDict[int, None] = OrderedDict()
    made = np.zeros(len(groups), bool)
    for position, group in enumerate(groups.tolist()):
        if group in kept:
            kept.move_to_end(group)
            continue
        made[position] = True
        kept[group] = None
        if len(kept) > max_traces:
            kept.popitem(last=False)
    return made
