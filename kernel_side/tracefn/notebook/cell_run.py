"""One run of a `%%tracefn` cell: the functions that it wraps, the events meanwhile, and the summary at its end."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from tracefn.errors import ResultsDifferError, UnsupportedFunctionError
from tracefn.events import BUS, Event, RetraceExplained, live_counters, record
from tracefn.explain import advise
from tracefn.function import Function
from tracefn.function.traced import FUNCTIONS
from tracefn.notebook.call_capture import CapturedCall, capture_calls
from tracefn.notebook.cell_tracker import CellTracker
from tracefn.notebook.options import Options, parse_options
from tracefn.notebook.summary import Summary, TimingLine, summarize
from tracefn.timing import compare

LeftAlone = tuple[tuple[str, str], ...]


class Recording:
    """Records traces and calls between `start` and `finish`, with the arguments where it is to be timed."""

    def __init__(self, time_calls: bool) -> None:
        self._time_calls = time_calls
        self._stack = ExitStack()
        self._events: list[Event] = []
        self._captured: list[CapturedCall] = []
        self._calls_before: dict[str, int] = {}

    def start(self) -> None:
        """Begin to record."""
        self._calls_before = {counter.signature: counter.count for counter in live_counters()}
        self._events = self._stack.enter_context(record())
        if self._time_calls:
            self._captured = self._stack.enter_context(capture_calls())

    def finish(self, succeeded: bool = True) -> Summary:
        """End, and return the summary. Timing is left out where the code failed."""
        self._stack.close()
        timings = [_timing(call) for call in self._captured] if succeeded else []
        summary = summarize(self._events, self._calls_before, BUS.ledger.snapshot().events, timings)
        return summary.with_notes(_fixes(self._events) if succeeded else ())


class TracefnCells:
    """Runs the `%%tracefn` cells of one shell. The code that a cell is turned into calls `begin` and `wrap`."""

    def __init__(self, shell: Any, tracker: CellTracker) -> None:
        self._shell = shell
        self._tracker = tracker
        self._options = Options()

    def begin(self, line: str, functions: tuple[str, ...] = (), left_alone: LeftAlone = ()) -> None:
        """The first statement of a cell: `functions` can be wrapped, `left_alone` names others with the reason.

        Raises IPython's UsageError, which is shown as one line, for options that cannot be.
        """
        from IPython.core.error import UsageError

        try:
            options = parse_options(line)
            _check_names(options, functions, left_alone)
        except ValueError as error:
            raise UsageError(str(error)) from None
        self._options = options
        if self._tracker.running:
            recording = Recording(options.time)
            recording.start()
            self._tracker.when_done(lambda result: self._end(recording, options, left_alone, result))

    def wrap(self, python_function: Any) -> Any:
        """Make a function of the cell a traced one, unless the options say otherwise."""
        name = python_function.__name__
        if self._options.no_wrap or (self._options.only and name not in self._options.only):
            return python_function
        return Function(python_function)

    def _end(self, recording: Recording, options: Options, left_alone: LeftAlone, result: Any) -> None:
        summary = recording.finish(succeeded=bool(result is not None and result.success))
        if not options.quiet:
            from IPython.display import display

            notes = [] if options.no_wrap or options.only else self._notes(left_alone)
            display(summary.with_notes(notes))

    def _notes(self, left_alone: LeftAlone) -> list[str]:
        return [
            f"{name} was left alone: {reason}."
            for name, reason in left_alone
            if not isinstance(self._shell.user_ns.get(name), Function)
        ]


def _fixes(events: Sequence[Event]) -> list[str]:
    """The changes that would have avoided the retraces of a cell, function by function."""
    retraced = dict.fromkeys(e.function for e in events if isinstance(e, RetraceExplained))
    functions = [function for name in retraced if (function := FUNCTIONS.living(name or "")) is not None]
    fixes = [(function.name, advise(function)) for function in functions]
    return [f"Fewer traces of {name}: {fix.sentence}." for name, fix in fixes if fix is not None]


def _check_names(options: Options, functions: tuple[str, ...], left_alone: LeftAlone) -> None:
    for name in options.only:
        if name in dict(left_alone):
            raise ValueError(f"%%tracefn: --only {name}: it is left alone because {dict(left_alone)[name]}.")
        if name not in functions:
            known = f"it defines {', '.join(functions)}" if functions else "it defines none"
            raise ValueError(f"%%tracefn: --only {name}: the cell has no such function at its top level; {known}.")


def _timing(call: CapturedCall) -> TimingLine:
    try:
        comparison = compare(call.function, *call.args, **call.kwargs)
    except ResultsDifferError as error:
        return TimingLine(call.function.function_id, call.function.name, f"not timed: {error}")
    except UnsupportedFunctionError as error:
        text = str(error).partition("\n")[0]
        return TimingLine(call.function.function_id, call.function.name, f"not timed: {text}")
    except Exception as error:
        return TimingLine(call.function.function_id, call.function.name, f"not timed: {type(error).__name__}: {error}")
    return TimingLine(call.function.function_id, call.function.name, comparison.headline())
