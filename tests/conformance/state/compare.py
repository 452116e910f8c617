"""Runs one program undecorated and decorated, and finds the first step at which they differ."""

import collections
import dataclasses
import functools
import linecache
import re
import tempfile
import warnings
from pathlib import Path

import tracefn
from conformance.state.execution import DECORATOR, PLAIN, load, steps
from conformance.state.programs import programs
from conformance.state.snapshot import difference


@dataclasses.dataclass
class Outcome:
    """What came of a program. `kind` is agrees, wrong, raised or refused; `what` names the kind of difference, and
    `difference` the step and what differs there. `fallbacks` are the reasons of calls that ran eagerly; `traces` has
    the number of traces of each traced function, `errors` what the steps raise in plain code."""

    kind: str
    what: str = ""
    difference: str = ""
    fallbacks: list = dataclasses.field(default_factory=list)
    traces: dict = dataclasses.field(default_factory=dict)
    errors: list = dataclasses.field(default_factory=list)

    @property
    def agrees(self):
        return self.kind == "agrees"


def compare(seed):
    """The outcome of a program of the generator."""
    return compare_source(programs(seed), f"state_{seed}")


def compare_source(source, name):
    """The outcome of a program as text: `STEPS` are its calls, lines that are run one after the other."""
    plain, theirs = load(source.replace(DECORATOR, PLAIN), name, f"<plain {name}>")
    if isinstance(theirs, Exception):
        return Outcome("agrees", "the program does not run")
    expected = list(steps(plain, theirs))
    with tracefn.events.record() as events, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        outcome = _decorated(source, name, expected)
    outcome.traces = dict(collections.Counter(e.function for e in events if e.type == "trace.finished" and e.ok))
    outcome.fallbacks = [_reason(e) for e in events if e.type == "fallback"]
    outcome.errors = [value[2] for _, (value, _) in expected if value[0] == "raised"]
    category = getattr(tracefn.errors, "FallbackWarning", None)
    if category is not None and not outcome.fallbacks:
        outcome.fallbacks = [str(w.message) for w in told if issubclass(w.category, category)]
    return outcome


def _decorated(source, name, expected):
    file = _directory() / f"{name}.py"
    file.write_text(source)
    linecache.checkcache(str(file))
    module, mine = load(source, name, str(file))
    if isinstance(mine, Exception):
        return Outcome("raised", f"at import: {type(mine).__name__}", f"at import: {mine!r}")
    for number, (step, got, (_, want)) in enumerate(zip(mine, steps(module, mine), expected, strict=True), 1):
        where = f"step {number}, `{step}`: "
        (value, state), (their_value, their_state) = got[1], want
        if value != their_value:
            kind, what = _outcomes_differ(their_value, value)
            return Outcome(kind, what, f"{where}eager {_told(their_value)}, traced {_told(value)}")
        if (found := difference(their_state, state)) is not None:
            result = found[1].startswith("r") and not found[1][1:2].isalnum()
            return Outcome("wrong", f"{'result' if result else 'state'}: {found[0]}", where + found[1])
    return Outcome("agrees")


@functools.cache
def _directory():
    return Path(tempfile.mkdtemp(prefix="state_programs_"))


def _outcomes_differ(theirs, mine):
    if mine[0] == "refused":
        return "refused", f"{mine[1]}: {pattern(mine[2])}"
    if mine[0] == "raised":
        return "raised", f"{mine[1]}: {pattern(mine[2])}"
    return "wrong", f"does not raise {theirs[1]}"


def _told(value):
    return value[0] if len(value) == 1 else f"{value[0]} {value[1]}: {value[2][:300]}"


def _reason(event):
    return getattr(event, "reason", "") or str(event)


def pattern(text):
    """A message without names and numbers, so that equal ones can be counted."""
    text = text.strip().partition("\n")[0]
    text = re.sub(r" at \S+ line \d+", "", text)
    text = re.sub(r"`[^`]*`|'[^']*'|\"[^\"]*\"", "…", text)
    return re.sub(r"\d+(\.\d+)?", "#", text)[:90]
