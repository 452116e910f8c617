"""Variables made on the first call of a traced function: they must outlive it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import message
from ...ir.place import Source
from ...records import dataclass
from ...runtime.calls.writes import Assignment
from ...trace.context import Trace
from ...trace.origin import where
from ...trace.state.journal import Journal
from ...trace.variables.variable import Variable


@dataclass(frozen=True, eq=False)
class Created:
    """The variables that a trace made, where, and how to take back that they were stored."""

    variables: tuple[Variable, ...] = ()
    sources: tuple[Source | None, ...] = ()
    undo: Callable[[], None] = lambda: None

    def __bool__(self) -> bool:
        return bool(self.variables)

    @property
    def are_initialised(self) -> bool:
        """True where no initial value waits for a call."""
        return all(v._value is not None for v in self.variables)


NOTHING = Created()


def settle_created(
    trace: Trace, name: str, assignments: list[Assignment], results: list[tuple[str, Any]], undo: Sequence[Any]
) -> Created:
    """The variables made in a trace that has ended. Raises ValueError where one of them is gone by now.

    Lets go of all variables in the meantime, so that those remain which the user's code holds; `assignments` and
    `results` have them again afterwards.
    """

    def take_back() -> None:
        for step in undo:
            step()

    sources = trace.variables.created_at
    if not sources:
        trace.journal = Journal()
        trace.variables.release()
        return NOTHING
    numbers = {id(v): i for i, (v, _) in enumerate(trace.variables.created_values())}
    waiting = [(i, numbers[id(a.variable)]) for i, a in enumerate(assignments) if id(a.variable) in numbers]
    returned = [(i, numbers[id(v)]) for i, (kind, v) in enumerate(results) if kind == "value" and id(v) in numbers]
    for i, _ in waiting:
        assignments[i] = dataclasses.replace(assignments[i], variable=None)
    for i, _ in returned:
        results[i] = ("value", None)
    made, trace.journal = trace.journal.made, Journal()
    references = trace.variables.release()
    made.collect()  # the rest of the trace may hold them in cycles
    variables = [reference() for reference in references]
    gone = next((s for s, v in zip(sources, variables, strict=True) if v is None), None)
    if any(v is None for v in variables):
        take_back()
        raise ValueError(
            message(
                f"tracefn.function: `{name}` creates a Variable at {where(gone)} on its first call, and nothing holds "
                f"it afterwards: the next call would create it at {where(gone)} again, and variables may be created on "
                "the first call only",
                where(gone),
                "Create it outside, or once: `if self.v is None: self.v = tracefn.Variable(...)`.",
            )
        )
    for i, number in waiting:
        assignments[i] = dataclasses.replace(assignments[i], variable=variables[number])
    for i, number in returned:
        results[i] = ("value", variables[number])
    return Created(tuple(v for v in variables if v is not None), sources, take_back)
