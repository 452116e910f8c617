"""Makes one trace: runs the Python function on Tensors, optimises the graph, writes the program."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...codegen import Program, have_one_program, locate, numpy_program, program_like
from ...errors import TracefnError, UnsupportedFunctionError, UnsupportedResultError, message
from ...events import PassCount
from ...ir.dims import Dim
from ...ir.graph import Graph, Source
from ...ir.infer import may_raise
from ...ir.types import Kind, TensorType, random_kind, random_type
from ...passes import drop_results, optimize, optimize_like
from ...runtime.dispatch import Target
from ...runtime.memory_guards import MemoryGuard
from ...runtime.store import StoreSource
from ...runtime.writes import Assignment
from ...trace.aliasing.views import WritesCarried
from ...trace.autograph import HELPERS, converted_code, refuse_unseen, why_not_converted
from ...trace.autograph.containers.changes import refuse_moved, refuse_unknown
from ...trace.autograph.containers.foreseen import is_foreseen
from ...trace.autograph.hooks import operators
from ...trace.body import NeverReturns
from ...trace.context import SideEffect, Trace
from ...trace.control.raising import raise_in_graph, record_updates
from ...trace.foreign import Foreign, add_checkpoint, is_foreign_value, is_of_step, put_apart, undone_on_failure
from ...trace.origin import where
from ...trace.signature import CallSignature, ForeignSpec, GeneratorSpec, ObjectSpec, Parameters, TensorSpec
from ...trace.staging_log import Staged
from ...trace.state.captures import Captures
from ...trace.state.compared import same_value
from ...trace.state.content import ContentGuard
from ...trace.state.numbers import Numbers
from ...trace.state.observe import HOOKED, Observer
from ...trace.state.paths import Path, ValueCapture
from ...trace.state.place import Item, Outer, Place
from ...trace.state.random_state import RandomState
from ...trace.state.resolve import record_argument, resolve, settle_special
from ...trace.state.substitute import FunctionCopies
from ...trace.tensor import Tensor
from ...trace.tree import LEAF, Tree, flatten, unflatten
from ...trace.variables.states import Creation
from ...trace.variables.variable import Variable
from ..fallback.retry import Retry, retry_of
from ..guards import Now, broken_identity, broken_value
from .alias_inputs import views_of_one, with_views_of_one
from .containers import containers_of
from .creation import Created, settle_created
from .generators import distinct_generators, generator_guards, generator_paths, label
from .journals import has_changed, is_changed, is_written, original, refuse_unread
from .outside_arrays import captured, content_guards, memory_guards, settle_arrays
from .phases import Clock
from .results import Results
from .variables import aliases, calls_python, open_shapes, variable_paths, with_fresh
from .writes import Writes, holds_tensor, take_assignments


@dataclasses.dataclass(eq=False)
class Built:
    """What one trace gives."""

    traced: Graph
    graph: Graph
    passes: tuple[PassCount, ...]
    program: Program
    module: dict[str, Any]
    result: Tree
    result_leaves: tuple[tuple[str, Any], ...]
    captures: tuple[Any, ...]
    values: tuple[Any, ...]
    identities: tuple[Any, ...]
    contents: tuple[ContentGuard, ...]
    store: StoreSource | None
    stored: frozenset[str]
    retry: Retry | None
    assignments: tuple[Assignment, ...]
    aliases: tuple[tuple[int, Any, bool], ...]
    memory: tuple[MemoryGuard, ...]
    created: Created
    effects: tuple[SideEffect, ...]
    staging: tuple[Staged, ...]
    line_ns: dict[Source, int]
    not_converted: tuple[tuple[Any, str], ...]
    dim_guards: tuple[Any, ...]
    symbols: dict[str, tuple[int, int]]
    phases: dict[str, int]

    def target(
        self, signature: CallSignature, run: Callable[..., Any], counter: Any, again: Callable[..., Any] | None
    ) -> Target:
        """What the dispatch functions of this trace need. `again` takes calls whose program raises."""
        return Target(
            signature=signature,
            run=run,
            counter=counter,
            captures=self.captures,
            capture_specs=tuple(_spec(n.type) for n in self.program.captures),
            values=self.values,
            identities=self.identities,
            contents=self.contents,
            dim_guards=self.dim_guards,
            symbols=self.symbols,
            result=self.result,
            result_leaves=self.result_leaves,
            outputs=len(self.graph.outputs),
            store=None if self.store is None else self.store.function(),
            store_text="" if self.store is None else self.store.source,
            only_sets=None if self.store is None else self.store.only_sets,
            gives_result=self.store is not None and bool(self.store.result),
            again=None if self.retry is None else again,
            again_is_free=self.retry is None or self.retry.is_free,
            store_arguments=() if self.store is None else tuple(self.store.arguments),
            changed=frozenset() if self.store is None else frozenset(self.store.changed),
            assignments=self.assignments,
            aliases=self.aliases,
            memory=self.memory,
            calls_python=calls_python(self.graph),
            locate=functools.partial(locate, self.program),
        )


def _spec(value_type: TensorType) -> TensorSpec | GeneratorSpec:
    if value_type.kind.is_random:
        return GeneratorSpec(value_type.kind, None)
    return TensorSpec(value_type.shape, value_type.dtype, kind=value_type.kind)  # type: ignore[arg-type]


def build(
    function: Callable[..., Any],
    name: str,
    program_name: str,
    parameters: Parameters,
    arguments: dict[str, Any],
    signature: CallSignature,
    clock: Clock,
    rewritten: bool,
    creation: Creation,
    earlier: Built | None = None,
    undo: list[Callable[[], None]] | None = None,
    falls_back: bool = False,
    numbers: Numbers | None = None,
    seen: list[Captures] | None = None,
) -> Built:
    """Traces `function` for a signature; with its control flow `rewritten` by AutoGraph, or as it is.

    `arguments` are the bound arguments of the call that is traced, with `TensorSpec`s in place of arrays where there is
    none. `signature` may leave open lengths that the arguments have. `clock` is told when a phase ends.
    `creation` says whether Variables may be made. `earlier` is a trace whose program may do for this one, too. A trace
    that is given `undo` must leave nothing: it prints nothing, and the list gets what takes back all that it changed
    outside. Where the caller `falls_back` to the Python function, a trace that raises leaves nothing either.
    `numbers` says which numbers from outside are read at each call; the others are guarded. `seen` is given what the
    trace reads outside, also where it fails.
    """
    values = [v for n, a in arguments.items() for _, v in flatten(a, n)[0]]
    symbols, types_of_leaves, hints = _symbols(signature, values)
    outside = _objects(arguments)
    before = resolve(function, outside, numbers=numbers if rewritten else None)
    if seen is not None:
        seen[:] = [before]
    for path, value, spec in zip(signature.paths, values, signature.leaves, strict=True):
        if isinstance(spec, ObjectSpec) or type(value) is set:
            record_argument(before, path, value)
    settle_special(before, HOOKED if rewritten else frozenset())
    trace = Trace(name, hints, before.known_arrays())
    trace.leaves_nothing = undo is not None
    trace.runs_again = falls_back
    trace.variables.begin(creation, {id(v): p for p, v in zip(signature.paths, values, strict=True)})
    trace.name_generator = lambda generator: label(before, generator)
    trace.place_of = lambda iterator: before.found_at.get(id(iterator))
    with undone_on_failure(trace), trace.active():
        leaves = [
            v if t is None else trace.argument(getattr(spec, "name", None) or path, t, None if v is spec else v)
            for path, spec, v, t in zip(signature.paths, signature.leaves, values, types_of_leaves, strict=True)
        ]
        leaves = [
            leaves[s.alias] if isinstance(s, GeneratorSpec) else v
            for s, v in zip(signature.leaves, leaves, strict=True)
        ]
        inputs = tuple(trace.nodes)
        objects = [Foreign(v) if type(s) is ForeignSpec else v for s, v in zip(signature.leaves, leaves, strict=True)]
        inner = _inner_arguments(signature, arguments, objects)
        keywords = next((p.name for p in parameters.parameters if p.kind is p.VAR_KEYWORD), None)
        held = containers_of(inner, keywords)
        trace.callers = frozenset([id(h.container) for h in held if h.is_callers])
        random_state = RandomState(name, before, zip(signature.paths, values, strict=True))
        copies = _copies(trace, before, rewritten)
        before.is_changed, before.original = has_changed, original
        first = dict(before.values)
        observer = Observer(
            before,
            lambda a: captured(trace, a),
            has_changed,
            lambda: trace.knows(before.known_arrays()),
            functools.partial(_number, trace, before),
            trace.symbolic,
        )
        if rewritten:
            observer.check, observer.waits = functools.partial(refuse_unknown, trace), is_foreseen
            observer.moved, observer.refuse_moved = trace.moved, refuse_moved
            trace.observe, trace.read_whole = observer.read, observer.read_whole
            trace.observe_owner, trace.uses_method = observer.read_owner, observer.read_method
            trace.read_length, trace.lacks, trace.lengths = observer.read_length, observer.lacks, observer.lengths()
            trace.is_outside, trace.is_changed = before.knows, is_changed
            trace.unseen.special = before.special
            trace.read_items, trace.read_original = observer.read_items, observer.read_original
            trace.varies, trace.path_to = observer.varies, before.path_to
            trace.read_variable = functools.partial(_read_variable, observer, copies)
        trace.function_copy, trace.original_function = copies.function, copies.original
        try:
            returned = _called(parameters, copies.function(function), inner)
        except NeverReturns:
            returned = None
        except Exception as error:
            if falls_back or isinstance(error, TracefnError) or is_of_step(trace, error) or not _does_more(trace):
                _take_back(trace, random_state, falls_back)
                raise
            _raises_at_the_call(trace, error)
            returned = None
        except BaseException:
            trace.journal.take_back(holds_tensor if undo is None else _always)
            raise
        finally:
            for undo_move in reversed(trace.moves):
                undo_move()
            if not rewritten:
                copies.write_back()
        try:
            refuse_unread(trace, before)
            observer.read_rest(functools.partial(is_written, trace))
            random_state.check()
            trace.error_handling.note_what_stays(trace)
            results = Results(trace, name, values, leaves)
            outputs = results.outputs
            if (code := getattr(function, "__code__", None)) is not None:
                results.where = where(Source(code.co_filename, code.co_firstlineno))
            undo = [] if undo is None else undo
            for array, updated in record_updates(trace):
                array._node = updated._node  # what is given shares memory with the array itself
            writes = Writes(trace, name, before, copies, results)
            gives_result = writes.take(held, undo, returned)
            try:
                result, result_leaves = results.of(returned, "result", "returns")
            except UnsupportedResultError:
                if not gives_result:
                    raise
                result, result_leaves = LEAF, [("stored", None)]
            del returned
            put_apart(trace)
            add_checkpoint(trace)
            stores = bool(writes.source.writes or writes.source.result)
            retry = retry_of(trace, stores or bool(trace.caught), falls_back)
            if trace.caught and (retry is None or not retry.always):
                raise trace.caught[0]
            assignments = take_assignments(trace, values, outputs)
            same = views_of_one(trace)
            not_converted = [(f, why_not_converted(f.__code__)) for f in copies.not_converted]
        except BaseException:
            _take_back(trace, random_state, falls_back)
            raise
        apart, grown = writes.apart, frozenset(writes.grown)
        store, stored = (writes.source, frozenset(writes.paths)) if stores else (None, frozenset())
        del inner, held, results, leaves, copies, writes
    with undone_on_failure(trace):
        graph = with_views_of_one(Graph(name, tuple(trace.nodes), inputs, tuple(outputs)), *same)
        graph, captures = settle_arrays(drop_results(graph) if trace.leaves_more else graph, trace, before)
        read = trace.variables.read_variables
        captures |= variable_paths(read, signature.paths, values) | generator_paths(trace, before)
        used = trace.variables.outside
        created = settle_created(trace, name, assignments, result_leaves, undo)
        viewing = {id(array.array) for array, _ in trace.outside.roots()}
        clock.ends("trace")
        now = resolve(function, outside) if _has_outside(before) else before
        if not created:
            _refuse_unseen(name, first, now)
        guarded, identities = before.guards(stored, grown), list(before.identities.values())
        if created:  # what the trace has stored is there to stay
            found = Now(signature, values)
            guarded = [guard for guard in guarded if broken_value(found, guard) is None]
            identities = [guard for guard in identities if broken_identity(found, guard) is None]
        is_like = earlier is not None and earlier.graph is earlier.traced and have_one_program(graph, earlier.traced)
        optimized, passes = optimize_like(graph) if is_like else optimize(graph)
        clock.ends("passes")
        module = _module_of(function)
        if earlier is not None and (is_like and optimized is graph or have_one_program(optimized, earlier.graph)):
            program = program_like(earlier.program, optimized, program_name, module)
        else:
            program = numpy_program(optimized, program_name, module)
        built = Built(
            traced=graph,
            graph=optimized,
            passes=passes,
            program=program,
            module=module,
            result=result,
            result_leaves=tuple(result_leaves),
            store=store,
            stored=stored,
            retry=retry,
            assignments=with_fresh(assignments, optimized),
            aliases=aliases(values, used, [i.target for i in identities]),
            memory=(
                *memory_guards(trace.outside, inputs, [i for i, t in enumerate(types_of_leaves) if t], captures),
                *[MemoryGuard("same", first, other) for first, other in before.twice()],
                *[MemoryGuard("one", first, other) for first, other in before.one_object.values()],
                *[MemoryGuard("two", first, other) for first, other in apart],
                *distinct_generators(trace, before),
            ),
            created=created,
            captures=tuple(captures[n.args[0]] for n in program.captures),
            values=(*guarded, *_types_of_numbers(before, program)),
            identities=(*identities, *generator_guards(trace, before)),
            contents=(
                *content_guards(before, program, trace, observer.symbolic | viewing),
                *open_shapes(read, captures, program),
            ),
            effects=tuple(trace.effects.values()),
            staging=trace.staging.lines(),
            line_ns=trace.staging.spent,
            not_converted=tuple(not_converted),
            dim_guards=tuple(dict.fromkeys(trace.dim_guards)),
            symbols=symbols,
            phases=clock.phases,
        )
    for show in trace.printed:
        show()
    trace.let_go()
    clock.ends("program")
    return built


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


def _copies(trace: Trace, before: Captures, rewritten: bool) -> FunctionCopies:
    def tensor(array: Any) -> Any:
        return captured(trace, array)

    if not rewritten:
        return FunctionCopies(before, tensor)
    return FunctionCopies(
        before,
        tensor,
        converted_code,
        {HELPERS: operators},
        lambda: trace.knows(before.known_arrays()),
        functools.partial(_number, trace, before),
        refuse_unseen,
    )


def _number(trace: Trace, captures: Captures, path: Any, value: Any) -> Any:
    """A number from outside as an input of the graph."""
    label = captures.label(path)
    captures.number_paths[label] = path
    captures.numbers_met[label] = value
    return trace.number(label, value)


def _read_variable(observer: Observer, copies: FunctionCopies, place: Place, value: Any) -> Any:
    """The value of a global, or of a variable of an outer function, as each call finds it; any other as it is."""
    if type(value) is Tensor:
        return value
    if isinstance(place, Outer):
        cell = copies.original_cell(place.owner)
        if not copies.is_outside_cell(cell) or has_changed(place.owner, "cell", None):
            return value
        return observer.read_at(Path(("closure", cell, place.name.removeprefix("closure "))), value)
    original = copies.original_globals(place.owner)
    if not isinstance(place, Item) or original is place.owner or has_changed(place.owner, "item", place.item):
        return value
    return observer.read_at(Path(("global", original, place.item)), value)


def _types_of_numbers(captures: Captures, program: Program) -> list[ValueCapture]:
    """Guards of the numbers that are no input of the program: the code may have asked what they are."""
    used = {n.args[0] for n in program.captures}
    unused = [(path, captures.numbers_met[label]) for label, path in captures.number_paths.items() if label not in used]
    return [ValueCapture(path, type(value), "type") for path, value in unused]


def _take_back(trace: Trace, random_state: RandomState, falls_back: bool) -> None:
    """Takes back all that a trace changed that is given up. What it printed is shown, unless the function runs
    again."""
    trace.journal.take_back()
    random_state.restore()
    for show in [] if falls_back else trace.printed:
        show()


def _refuse_unseen(name: str, first: dict[Any, Any], now: Captures) -> None:
    """Raises for what code that is not rewritten has changed outside while it was traced."""
    for key, before in first.items():
        after = now.values.get(key)
        if after is not None and not same_value(before.value, after.value):
            raise UnsupportedFunctionError(
                message(
                    f"`{name}` changes `{before.path.text}` in code that is not rewritten",
                    fix="Change it in a function whose source can be read.",
                )
            )


def _has_outside(captures: Captures) -> bool:
    return bool(captures.values or captures.identities or captures.grown)


def _objects(arguments: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """The arguments that are keyed by identity: their attributes count as outside."""
    found = {}
    for name, value in arguments.items():
        leaves, tree = flatten(value, name)
        if (
            tree.is_leaf
            and not isinstance(value, np.ndarray | np.generic | TensorSpec | Variable)
            and not random_kind(value)
            and not is_foreign_value(value)
        ):
            found[name] = (name, value)
    return found


_NAMES = "n m p q r s t u".split()


def _symbols(
    signature: CallSignature, values: list[Any]
) -> tuple[dict[str, tuple[int, int]], list[Any], dict[str, int]]:
    """(symbol → (leaf, axis), the type of each tensor leaf or None, symbol → its length in this call)."""
    symbols: dict[str, tuple[int, int]] = {}
    hints: dict[str, int] = {}
    found: list[TensorType | None] = []
    for index, (spec, value) in enumerate(zip(signature.leaves, values, strict=True)):
        if isinstance(spec, GeneratorSpec):
            found.append(random_type(spec.kind))
            continue
        if not isinstance(spec, TensorSpec):
            found.append(None)
            continue
        shape: list[int | Dim] = []
        for axis, length in enumerate(spec.shape):
            if length is None:
                count = len(symbols)
                name = _NAMES[count] if count < len(_NAMES) else f"n{count}"
                symbols[name] = (index, axis)
                if not isinstance(value, TensorSpec):
                    hints[name] = value.shape[axis]
                shape.append(Dim.symbol(name))
            else:
                shape.append(length)
        kind = spec.kind or (Kind.SCALAR if isinstance(value, np.generic) else Kind.ARRAY)
        found.append(TensorType(spec.dtype, tuple(shape), kind))
    return symbols, found, hints


def _inner_arguments(signature: CallSignature, arguments: dict[str, Any], leaves: list[Any]) -> dict[str, Any]:
    """The arguments with Tensors in place of arrays, in containers of their own."""
    inner, position = {}, 0
    for name, tree in signature.trees:
        count = tree.count()
        inner[name] = unflatten(tree, leaves[position : position + count], like=arguments[name])
        position += count
    return inner


def _raises_at_the_call(trace: Trace, error: Exception) -> None:
    """What was written into arrays from outside before an error is there after it, as in eager code. Calls with other
    lengths may not meet it."""
    trace.guard_lengths()
    with contextlib.suppress(NeverReturns):
        raise_in_graph(error)


def _does_more(trace: Trace) -> bool:
    """True if a call does something before an error that was met at the end of the trace, or may meet another first."""
    return bool(trace.outside.updates()) or any(not n.pure or may_raise(n) for n in trace.nodes)
