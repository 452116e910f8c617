"""Makes one trace: runs the Python function on Tensors, optimises the graph, writes the program."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from ...codegen import Program, have_one_program, numpy_program, program_like
from ...errors import ControlFlowError, UnsupportedFunctionError, UnsupportedResultError, message
from ...events import PassCount
from ...ir.graph import Graph, Node
from ...ir.place import Source
from ...passes import drop_results, optimize, optimize_like
from ...records import dataclass
from ...runtime.calls.memory_guards import MemoryGuard
from ...runtime.calls.writes import Assignment
from ...runtime.store import StoreSource
from ...trace.aliasing.views import WritesCarried
from ...trace.autograph import why_not_converted
from ...trace.body import NeverReturns, refuse_advanced, take_back_bodies
from ...trace.foreign import (
    RefusedInTry,
    add_checkpoint,
    put_apart,
    undone_on_failure,
    value_now,
    warnings_become_steps,
)
from ...trace.origin import where
from ...trace.recording.recorder import Recorder
from ...trace.signature import CallSignature, ObjectSpec, Parameters
from ...trace.state.captures import Captures
from ...trace.state.compared import same_value
from ...trace.state.numbers import Numbers
from ...trace.state.paths import ValueCapture
from ...trace.state.random_state import RandomState
from ...trace.state.recording import record_argument
from ...trace.state.resolve import resolve, settle_special
from ...trace.trace_parts.budget import Budget
from ...trace.trace_parts.list_kinds import ListKinds
from ...trace.trace_parts.variable_states import Creation
from ...trace.tree import LEAF, Tree
from ..fallback.retry import Retry, retry_of
from ..guards import Now, broken_check
from ..made.built import Built
from ..made.creation import Created, settle_created
from ..made.generators import distinct_generators, generator_guards, generator_paths, label
from ..made.variables import aliases, open_shapes, variable_paths, with_fresh
from ..wrapped import calls_library
from .alias_inputs import views_of_one, with_views_of_one
from .arguments import inner_arguments, leaves_of, objects_of, stand_ins, symbols_of
from .changes import holds_tensor, take_assignments
from .containers import Container, containers_of, given_tuples, tuples_of
from .journals import is_written, refuse_unread
from .observation import copies_of, observer_of
from .outside_arrays import content_guards, find_owners, memory_guards, record_updates, settle_arrays
from .partial import partial_graph
from .phases import Clock
from .results import Results
from .writes import Writes


@dataclass(eq=False)
class Request:
    """A trace to make.

    `arguments` are the bound arguments of the call that is traced, with `TensorSpec`s in place of arrays where there is
    none. `signature` may leave open lengths that the arguments have. `clock` notes the end of phases. Control flow is
    `rewritten` by AutoGraph, or left as it is. `creation` says whether Variables may be made. `earlier` is a trace
    whose program may do for this one, too. A trace that is given `undo` must leave nothing: it prints nothing, and the
    list gets functions that take back all its changes outside. A trace that raises leaves nothing either: the Python
    function runs instead. `numbers` says which numbers from outside are read at each call; the others are guarded.
    `seen` is given the trace's reads outside, also where it fails. `failed` then gets the graph so far, and the node
    that raised.
    Where the caller `falls_back` to the Python function, steps may raise inside of a `try`, and the trace may record no
    more than its `budget`. `list_kinds` learns how the graph can keep lists, where the trace fails for these. In a
    trace `of_one_call` the values of that call decide branches and loops.
    """

    function: Callable[..., Any]
    name: str
    program_name: str
    parameters: Parameters
    arguments: dict[str, Any]
    signature: CallSignature
    clock: Clock
    rewritten: bool
    creation: Creation
    earlier: Built | None = None
    undo: list[Callable[[], None]] | None = None
    numbers: Numbers | None = None
    falls_back: bool = False
    of_one_call: bool = False
    seen: list[Captures] | None = None
    failed: Callable[[Graph, Node | None], None] = lambda graph, node: None
    budget: Budget = dataclasses.field(default_factory=Budget)
    list_kinds: ListKinds = dataclasses.field(default_factory=ListKinds)


@dataclass(eq=False)
class _Recorded:
    """The outcome of the Python function's run: the results, and the writes of each call."""

    outputs: list[Node]
    result: Tree
    result_leaves: list[tuple[str, Any]]
    assignments: list[Assignment]
    same: Any
    retry: Retry | None
    store: StoreSource | None
    stored: frozenset[str]
    grown: frozenset[Any]
    apart: Any
    not_converted: tuple[tuple[Any, str], ...]

    def places(self) -> tuple[str, ...]:
        """Where each output stands in the result, first; empty for one that is written elsewhere."""
        found: dict[int, str] = {}
        for path, (kind, value) in zip(self.result.paths("result"), self.result_leaves, strict=True):
            if kind == "output":
                found.setdefault(value, path)
        return tuple([found.get(i, "") for i in range(len(self.outputs))])


def build(request: Request) -> Built:
    """Traces a function for a signature."""
    return _Tracing(request).build()


class _Tracing:
    """One trace while it is made: `_run` calls the Python function, `_take` takes its results and writes, and `_finish`
    optimises the graph, makes the program and gathers the guards."""

    def __init__(self, request: Request) -> None:
        self._request = request
        signature, rewritten = request.signature, request.rewritten
        self._values = leaves_of(request.arguments)
        self._symbols, self._types, hints = symbols_of(signature, self._values)
        self._outside = objects_of(request.arguments)
        before = resolve(request.function, self._outside, numbers=request.numbers if rewritten else None)
        if request.seen is not None:
            request.seen[:] = [before]
        for path, value, spec in zip(signature.paths, self._values, signature.leaves, strict=True):
            if isinstance(spec, ObjectSpec) or type(value) is set:
                record_argument(before, path, value)
        settle_special(before)
        self._before = before
        self._trace = Recorder(request.name, hints, before.known_arrays())
        self._trace.take_guards = before.take_guards
        self._trace.may_fall_back = request.falls_back
        self._trace.budget = request.budget
        self._trace.list_kinds = request.list_kinds
        request.list_kinds.begins()
        self._trace.leaves_nothing = request.undo is not None
        self._trace.value_now = value_now if request.of_one_call else None
        self._trace.scopes.traced = getattr(request.function, "__code__", None)
        at = {id(v): p for p, v in zip(signature.paths, self._values, strict=True)}
        self._trace.variables.begin(request.creation, at)
        self._trace.name_generator = functools.partial(label, before)
        find_owners(self._trace, before, signature.paths, self._values)
        self._trace.place_of = lambda iterator: before.found_at.get(id(iterator))
        self._undo: list[Callable[[], None]] = [] if request.undo is None else request.undo

    def build(self) -> Built:
        with undone_on_failure(self._trace), self._trace.active():
            try:
                recorded = self._recorded()
            except BaseException as error:
                with contextlib.suppress(Exception):  # the error that is under way says more
                    self._request.failed(*partial_graph(self._trace, error))
                raise
        with undone_on_failure(self._trace):
            built = self._finish(recorded)
        for show in self._trace.printed:
            show()
        self._trace.let_go()
        self._request.clock.ends("program")
        return built

    def _recorded(self) -> _Recorded:
        request, trace, before = self._request, self._trace, self._before
        leaves = stand_ins(trace, request.signature, self._values, self._types)
        self._inputs = tuple(trace.nodes)
        inner = inner_arguments(request.signature, request.arguments, leaves)
        keywords = next((p.name for p in request.parameters.parameters if p.kind is p.VAR_KEYWORD), None)
        held = containers_of(inner, keywords)
        rest = next((p.name for p in request.parameters.parameters if p.kind is p.VAR_POSITIONAL), None)
        self._tuples = tuples_of(inner, rest)
        trace.tuples = given_tuples(inner, request.arguments)
        trace.is_of_library = calls_library(request.function)
        trace.callers = frozenset([id(h.container) for h in held if h.is_callers])
        self._random_state = RandomState(request.name, before, zip(request.signature.paths, self._values, strict=True))
        self._copies = copies_of(trace, before, request.rewritten)
        self._first = before.values_met()
        self._observer = observer_of(trace, before, self._copies, request.rewritten)
        returned = self._run(inner)
        try:
            return self._take(returned, held, leaves)
        except BaseException:
            self._take_back()
            raise

    def _run(self, inner: dict[str, Any]) -> Any:
        """The result of the Python function."""
        request, trace = self._request, self._trace
        try:
            with warnings_become_steps():
                return _called(request.parameters, self._copies.function(request.function), inner)
        except NeverReturns:
            return None
        except (Exception, RefusedInTry):
            self._take_back()
            raise
        except BaseException:
            take_back_bodies(trace)
            trace.journal.take_back(holds_tensor if request.undo is None else _always)
            raise
        finally:
            for undo_move in reversed(trace.moves):
                undo_move()
            if not request.rewritten:
                self._copies.write_back()

    def _take(self, returned: Any, held: list[Container], leaves: list[Any]) -> _Recorded:
        """Takes the results of the function, and all that it wrote."""
        request, trace, before = self._request, self._trace, self._before
        refuse_unread(trace, before)
        if trace.advanced:
            refuse_advanced(trace.advanced[0])
        self._observer.read_rest(functools.partial(is_written, trace))
        self._random_state.check()
        trace.error_handling.note_what_stays(trace)
        results = Results(trace, request.name, self._values, leaves)
        if (code := getattr(request.function, "__code__", None)) is not None:
            results.where = where(Source(code.co_filename, code.co_firstlineno))
        for array, updated in record_updates(trace):
            array._node = updated._node  # the results share memory with the array itself
        writes = Writes(trace, request.name, before, self._copies, results)
        gives_result = writes.take(held, self._tuples, self._undo, returned)
        try:
            result, result_leaves = results.of(returned, "result", "returns")
        except (UnsupportedResultError, ValueError):  # it may contain itself
            if not gives_result:
                raise
            result, result_leaves = LEAF, [("stored", None)]
        del returned
        put_apart(trace)
        add_checkpoint(trace)
        stores = bool(writes.source.writes or writes.source.result)
        retry = retry_of(trace, stores or bool(trace.caught) or trace.drops_changes, request.falls_back)
        if request.list_kinds.is_told_late:
            raise ControlFlowError(message("a container is asked for an item before it has one", results.where))
        if trace.caught and (retry is None or not retry.always or not request.falls_back):
            raise trace.caught[0]
        return _Recorded(
            outputs=results.outputs,
            result=result,
            result_leaves=result_leaves,
            assignments=take_assignments(trace, self._values, results.outputs),
            same=views_of_one(trace),
            retry=retry,
            store=writes.source if stores else None,
            stored=frozenset(writes.paths) if stores else frozenset(),
            grown=frozenset(writes.grown),
            apart=writes.apart,
            not_converted=tuple((f, why_not_converted(f.__code__)) for f in self._copies.not_converted),
        )

    def _finish(self, recorded: _Recorded) -> Built:
        """Optimises the graph, makes the program, and gathers the guards."""
        request, trace, before, signature = self._request, self._trace, self._before, self._request.signature
        graph = Graph(request.name, tuple(trace.nodes), self._inputs, tuple(recorded.outputs), recorded.places())
        graph = with_views_of_one(graph, *recorded.same)
        graph, captures = settle_arrays(drop_results(graph) if trace.leaves_more else graph, trace, before)
        read = trace.variables.read_variables
        captures |= variable_paths(read, signature.paths, self._values) | generator_paths(trace, before)
        used = trace.variables.outside
        created = settle_created(trace, request.name, recorded.assignments, recorded.result_leaves, self._undo)
        viewing = {id(array.array) for array, _ in trace.outside.roots()}
        request.clock.ends("trace")
        if self._first and not created:
            _refuse_unseen(request.name, self._first, resolve(request.function, self._outside))
        if trace.unseen.happened:
            before.take_unseen()
        has_hooks = request.rewritten and not recorded.not_converted
        guarded, identities = self._guards(recorded, created)
        optimized, passes, program = self._optimized(graph)
        return Built(
            traced=graph,
            graph=optimized,
            passes=passes,
            program=program,
            module=_module_of(request.function),
            result=recorded.result,
            result_leaves=tuple(recorded.result_leaves),
            store=recorded.store,
            stored=recorded.stored,
            retry=recorded.retry,
            assignments=with_fresh(recorded.assignments, optimized),
            aliases=aliases(self._values, used, [i.target for i in identities]),
            memory=(
                *memory_guards(trace.outside, self._inputs, [i for i, t in enumerate(self._types) if t], captures),
                *[MemoryGuard("same", first, other) for first, other in before.twice()],
                *[MemoryGuard("one", first, other) for first, other in before.one_object.values()],
                *[MemoryGuard("two", first, other) for first, other in (*recorded.apart, *before.two_objects.values())],
                *distinct_generators(trace, before),
            ),
            created=created,
            captures=tuple(captures[n.args[0]] for n in program.captures),
            values=(*guarded, *_types_of_numbers(before, program)),
            identities=(*identities, *generator_guards(trace, before)),
            libraries=(*before.libraries.values(),),
            contents=(
                *content_guards(before, program, trace, self._observer.symbolic | viewing, has_hooks),
                *open_shapes(read, captures, program),
            ),
            effects=tuple(trace.effects.values()),
            staging=trace.staging.lines(),
            line_ns=trace.staging.spent,
            not_converted=recorded.not_converted,
            dim_guards=tuple(dict.fromkeys(trace.dim_guards)),
            symbols=self._symbols,
            phases=request.clock.phases,
            replayed=tuple(trace.replayed),
            gives_derivatives=trace.gives_derivatives,
            watches_arrays=trace.watches_arrays,
            for_its_objects=trace.knows_addresses or bool(trace.printed),
        )

    def _guards(self, recorded: _Recorded, created: Created) -> tuple[list[Any], list[Any]]:
        """The guards of values and of identities."""
        before = self._before
        guarded, identities = before.guards(recorded.stored, recorded.grown), list(before.identities.values())
        if created:  # values that the trace has stored are there to stay
            found = Now(self._request.signature, self._values)
            guarded = [guard for guard in guarded if broken_check(found, guard) is None]
            identities = [guard for guard in identities if broken_check(found, guard) is None]
        return guarded, identities

    def _optimized(self, graph: Graph) -> tuple[Graph, tuple[PassCount, ...], Program]:
        """The graph after the passes, and its program: that of an earlier trace where it does for this one."""
        request, earlier = self._request, self._request.earlier
        is_like = earlier is not None and earlier.graph is earlier.traced and have_one_program(graph, earlier.traced)
        optimized, passes = optimize_like(graph) if is_like else optimize(graph)
        request.clock.ends("passes")
        module = _module_of(request.function)
        if earlier is not None and (is_like and optimized is graph or have_one_program(optimized, earlier.graph)):
            return optimized, passes, program_like(earlier.program, optimized, request.program_name, module)
        return optimized, passes, numpy_program(optimized, request.program_name, module)

    def _take_back(self) -> None:
        """Takes back all that a trace changed that is given up."""
        take_back_bodies(self._trace)
        self._trace.journal.take_back()
        self._random_state.restore()


def _called(parameters: Parameters, function: Callable[..., Any], arguments: Any) -> Any:
    try:
        return parameters.call(function, arguments)
    except WritesCarried as error:  # no loop around has the array as a variable
        raise error.refusal() from error


def _module_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The globals of a function, with the place where Python's warnings remember which of its lines have warned."""
    if module := getattr(function, "__globals__", {}):
        module.setdefault("__warningregistry__", {})
    return module


def _always(value: Any) -> bool:
    return True


def _types_of_numbers(captures: Captures, program: Program) -> list[ValueCapture]:
    """Guards of the numbers that are no input of the program: the code may have asked for their type."""
    used = {n.args[0] for n in program.captures}
    unused = [(path, captures.numbers_met[label]) for label, path in captures.number_paths.items() if label not in used]
    return [ValueCapture(path, type(value), "type") for path, value in unused]


def _refuse_unseen(name: str, first: dict[Any, Any], now: Captures) -> None:
    """Raises for changes outside by code that is not rewritten while it was traced."""
    for key, before in first.items():
        after = now.values.get(key)
        if after is not None and not same_value(before.value, after.value):
            raise UnsupportedFunctionError(
                message(
                    f"`{name}` changes `{before.path.text}` in code that is not rewritten",
                    fix="Change it in a function whose source can be read.",
                )
            )
