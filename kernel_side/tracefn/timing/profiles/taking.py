"""`profile(f, *args)`: run a call many times with clocks between its steps, as a graph and as plain Python."""

from __future__ import annotations

import math
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple, TypeVar

from tracefn import events
from tracefn.codegen import Program
from tracefn.codegen.numpy_program import ProgramWriter
from tracefn.errors import UnsupportedFunctionError, message
from tracefn.events.units import shortened
from tracefn.function import ConcreteFunction, Function
from tracefn.ir.drawn.json_form import short_literal
from tracefn.ir.graph import Node
from tracefn.ir.place import Source
from tracefn.timing.eagerly import eagerly
from tracefn.timing.measuring import call_again, noting_made
from tracefn.timing.profiles.clocks import Clock, Clocks, Memory, memory_is_traced
from tracefn.timing.profiles.eager_lines import EagerLines
from tracefn.timing.profiles.kinds import kind_of
from tracefn.timing.profiles.matching import computed_by, ids_of_steps
from tracefn.timing.profiles.profile import Line, Profile, Step
from tracefn.timing.repeated import Repeated, repeated
from tracefn.timing.sampling import Timed, measure, no_garbage_collection, quartiles

BUDGET_NS = 500_000_000
FEWEST_RUNS, MOST_RUNS = 5, 100
WARM_UPS = 2

SAMPLE_NS = 20_000
"""Calls that are shorter are timed several at once."""

MOST_OPS = 100
"""Characters of the list of ops in a kernel."""

Key = TypeVar("Key")


def profile(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Profile:
    """Where the time and the memory of `f(*args, **kwargs)` go: by step of its program, and by line of its source.

    The program runs 5 to 100 times with a clock around each step; times are medians, less the clock's own time.
    The Python function runs as often, with a clock between its lines. One more run tells the memory that NumPy and
    Python take, step by step. In the times by line, that of a kernel is shared evenly among its operations.
    As for `tracefn.timing.compare`, arguments are copied, state is put back, calls are not counted, and native code
    that is on its way is waited for. Takes about a second, more where a single call is slow.

    Raises ResultsDifferError if eager and graph do not give the same, and UnsupportedFunctionError if the call runs
    eagerly. Errors of `f` itself come out as they are.

    >>> import numpy as np, tracefn
    >>> @tracefn.function(jit="off")
    ... def smooth(x, w):
    ...     y = np.cumsum(x, axis=0)
    ...     return np.tanh(y @ w)
    >>> found = tracefn.profile(smooth, np.ones((50, 20)), np.ones((20, 50)))
    >>> [(step.text, step.kind) for step in found.steps[:2]]
    [('v0 = np.cumsum(x, axis=0)', 'numpy'), ('v1 = v0 @ w', 'linalg')]
    >>> found.peak_memory >= 50 * 50 * 8
    True
    """
    return profiled(f, args, kwargs)


def profile_trace(f: Function | str, trace: int | None = None) -> Profile:
    """`profile` with the arguments of the call that made a trace of `f`: trace number `trace`, or the newest one.

    The arguments where these are gone, and the errors, are as for `tracefn.timing.measure`.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: np.sort(x) + 1, jit="off")
    >>> _ = f(np.arange(4.0))
    >>> len(tracefn.timing.profile_trace(f).steps)
    2
    """
    function, args, kwargs, made = call_again(f, trace)
    with noting_made(made):
        return profiled(function, args, kwargs, made)


def profiled(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], made: tuple[str, ...] = ()
) -> Profile:
    """`profile(f, *args, **kwargs)`, where the arguments at the paths `made` are others of the same kind."""
    with repeated(f, args, kwargs) as call:
        measure([call.graph])  # often enough for native code to be built, where it would be
        call.settled_tier()
        program, nodes = _program(call.concrete)
        clocks, lines = Clocks(program, _clock(call)), EagerLines()
        with call.concrete._execution.running(clocks.program):
            turns = _turns(call, clocks, lines)
        memory = _memory(call, program)
    eager, graph = (quartiles(each) for each in zip(*[(turn.eager_ns, turn.graph_ns) for turn in turns], strict=True))
    lines_ns = _scaled(_medians([turn.lines for turn in turns]), eager.median)
    steps = _steps(call.concrete, program, nodes, _step_times(turns, graph.median), clocks.rounds, memory)
    found = Profile(
        name=call.function.name,
        function=call.function.function_id,
        signature=call.concrete.signature_id,
        signature_text=call.concrete.signature.text,
        tier=call.tier,
        eager=eager,
        graph=graph,
        runs=len(turns),
        steps=tuple(steps),
        lines=tuple(_lines(steps, nodes, lines_ns)),
        made=made,
    )
    events.emit(found.event())
    return found


def _program(concrete: ConcreteFunction) -> tuple[Program, Mapping[int, Node]]:
    """The program that runs a trace now, and the nodes of its lines."""
    native = concrete._execution.native
    if native is not None:
        return native.program, native.nodes
    writer = ProgramWriter(concrete.graph)
    writer.source()
    return concrete._built.program, writer.nodes


def _clock(call: Repeated) -> Clock:
    """A clock that waits for the device, where the call runs on one."""
    if call.concrete.device == "cpu":
        return time.perf_counter_ns

    def clock() -> int:
        call.finish()
        return time.perf_counter_ns()

    return clock


class _Turn(NamedTuple):
    """The times of one call as a graph, and as plain Python; those of the steps, and of the lines. All in ns."""

    graph_ns: float
    eager_ns: float
    steps: dict[int, float]
    lines: dict[Source, float]


def _turns(call: Repeated, clocks: Clocks, lines: EagerLines) -> list[_Turn]:
    """Many turns, after two to warm up. A disturbance of the machine disturbs all measurements alike."""
    with no_garbage_collection():
        once = 0
        for _ in range(WARM_UPS):
            begin = time.perf_counter_ns()
            _turn(call, clocks, lines)
            once = time.perf_counter_ns() - begin
        count = min(MOST_RUNS, max(FEWEST_RUNS, BUDGET_NS // once))
        return [_turn(call, clocks, lines) for _ in range(count)]


def _turn(call: Repeated, clocks: Clocks, lines: EagerLines) -> _Turn:
    return _Turn(_call_ns(call.graph), _call_ns(call.eager), _clocked(call, clocks), _eager_lines(call, lines))


def _call_ns(timed: Timed) -> float:
    """The time of one call: of several, where they are short and need no arguments of their own."""
    ns = timed.sample(1, timed.prepare())
    if ns > SAMPLE_NS or not timed.reuse:
        return ns
    calls = math.ceil(SAMPLE_NS / max(ns, 1))
    return timed.sample(calls, timed.prepare()) / calls


def _medians(runs: Sequence[Mapping[Key, float]]) -> dict[Key, float]:
    keys = dict.fromkeys(key for run in runs for key in run)
    return {key: median([run.get(key, 0.0) for run in runs]) for key in keys}


def _step_times(turns: Sequence[_Turn], call_ns: float) -> dict[int, float]:
    """The times of the steps: medians, together as long as in a usual turn. What disturbs a machine disturbs few steps
    of a turn, so that no median has it, but each call of many steps has. Without it in the steps, the rest of the
    call's time would be taken for Python."""
    medians = _medians([turn.steps for turn in turns])
    usual = median([sum(turn.steps.values()) for turn in turns])
    factor = max(1.0, min(usual, call_ns) / max(sum(medians.values()), 1.0))
    return {line: ns * factor for line, ns in medians.items()}


def _scaled(times: Mapping[Key, float], most: float) -> dict[Key, float]:
    """Times that are together no more than `most`: Python that is followed line by line runs slower."""
    factor = min(1.0, most / max(sum(times.values()), 1.0))
    return {key: ns * factor for key, ns in times.items()}


def _clocked(call: Repeated, clocks: Clocks) -> dict[int, float]:
    """One run of the program: the time of each of its lines, in ns."""
    clocks.reset()
    _run_program(call)
    return {line: max(0.0, ns - clocks.rounds[line] * clocks.overhead) for line, ns in clocks.spent.items()}


def _run_program(call: Repeated) -> None:
    args, kwargs = call.prepare()
    wrapped = call.function._wrapped
    try:
        call.concrete(*wrapped.args, *args, **{**wrapped.kwargs, **kwargs})
    except Exception as error:
        what = f"the program of `{call.function.name}` raises {type(error).__name__} in this call"
        raise UnsupportedFunctionError(message(f"{what}, which Python then makes again: it has no profile")) from error


def _memory(call: Repeated, program: Program) -> Memory:
    """One run of the program that looks at its memory."""
    memory = Memory(program)
    with memory_is_traced(), call.concrete._execution.running(memory.program):
        _run_program(call)
    return memory


def _eager_lines(call: Repeated, lines: EagerLines) -> dict[Source, float]:
    args, kwargs = call.prepare()
    with eagerly():
        return lines.run(call.function.python_function, *args, **kwargs)


def _steps(
    concrete: ConcreteFunction,
    program: Program,
    nodes: Mapping[int, Node],
    times: Mapping[int, float],
    rounds: Mapping[int, int],
    memory: Memory,
) -> list[Step]:
    """The steps in the order of the program; lines that did not run are none."""
    source = program.source.splitlines()
    ran = [line for line in sorted(times) if rounds[line] and line in nodes]
    found = []
    for line, ids in zip(ran, ids_of_steps(concrete.graph, [nodes[n] for n in ran]), strict=True):
        node, statement = nodes[line], source[line - 1].strip().partition("; del ")[0]
        kind = kind_of(node, statement)
        statement = _CALLED.sub(lambda found: _named(found[0], program), statement)
        ops = ", ".join(n.op.name for n in computed_by(node))
        found.append(
            Step(
                line=line,
                text=statement if kind != "kernel" else f"kernel: {shortened(ops, MOST_OPS)}",
                kind=kind,
                ns=times[line],
                rounds=rounds[line],
                nodes=ids,
                places=tuple(dict.fromkeys(n.source for n in computed_by(node) if n.source is not None)),
                memory=memory.after.get(line, 0),
                peak=memory.peak.get(line, 0),
            )
        )
    return found


_CALLED = re.compile(r"\bk\d+(?=\()")
"""The names that programs have for the user's functions, where they are called."""


def _named(constant: str, program: Program) -> str:
    return short_literal(program.constants[constant]) if constant in program.constants else constant


def _lines(steps: Iterable[Step], nodes: Mapping[int, Node], eager: Mapping[Source, float]) -> list[Line]:
    """The lines of the user's code, file by file."""
    graph: defaultdict[Source, float] = defaultdict(float)
    for step in steps:
        places = [n.source for n in computed_by(nodes[step.line])]
        for place in places:
            if place is not None:
                graph[place] += step.ns / len(places)
    files = list(dict.fromkeys(place.file for place in (*eager, *graph)))
    ordered = sorted({*eager, *graph}, key=lambda place: (files.index(place.file), place.line))
    return [Line(place, graph.get(place, 0.0), eager.get(place, 0.0)) for place in ordered]
