"""The fast path of a cached call: a generated Python function that checks a call against a signature and runs it.

The generated function takes the call's arguments as they were given, compares them with the signature and the guards,
and returns `MISS` at the first difference. Otherwise it counts the call, runs the program and builds the result.
"""

from __future__ import annotations

import builtins
import dataclasses
import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...ir.dims import Dim, Length
from ...trace.signature import CallSignature, GeneratorSpec, LeafSpec, TensorSpec
from ...trace.state.content import ContentGuard
from ...trace.state.paths import IdentityCapture, Path, ValueCapture
from ...trace.tree import Tree, unflatten
from ..store import ContainerPlace, Place, Set
from ..writes import Assignment, Locked, assign_all
from .memory_guards import CHECKS, MemoryGuard
from .python_checks import Source, check_generator, check_held, check_leaf, check_tensor

SAMPLE_EVERY = 64
"""The sampling period of timed calls."""


@dataclasses.dataclass(frozen=True, slots=True)
class Form:
    """How a call was written: the number of positional arguments, and the keywords in order."""

    positional: int
    keywords: tuple[str, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Target:
    """What the generated functions of one signature share.

    `run` takes the tensor leaves in order and then the captured arrays in order. `captures` are the paths of these
    arrays, or the arrays themselves where no path is known. `result` is the structure of the result; `result_leaves`
    says what each of its leaves is: ('output', i), ('argument', leaf index) or ('value', value). `symbols` maps a
    symbolic length to (leaf index, axis). `aliases` are (leaf index, weak reference to a Variable, whether it is that
    one). `memory` says what is assumed about arrays that may share memory. `calls_python` says that the program runs
    code of the user's. `locate(error)` completes the traceback of an error that the program raised.
    """

    signature: CallSignature
    run: Callable[..., Any]
    counter: Any
    captures: tuple[Path | Any, ...]
    capture_specs: tuple[TensorSpec | GeneratorSpec, ...]
    values: tuple[ValueCapture, ...]
    identities: tuple[IdentityCapture, ...]
    contents: tuple[ContentGuard, ...]
    dim_guards: tuple[tuple[str, Length, Length, bool], ...]
    symbols: dict[str, tuple[int, int]]
    result: Tree
    result_leaves: tuple[tuple[str, Any], ...]
    outputs: int
    store: Callable[..., Any] | None = None
    store_text: str = ""
    only_sets: tuple[Set, ...] | None = None
    gives_result: bool = False
    again: Callable[..., Any] | None = None
    again_is_free: bool = True
    store_arguments: tuple[Place, ...] = ()
    changed: frozenset[ContainerPlace] = frozenset()
    assignments: tuple[Assignment, ...] = ()
    aliases: tuple[tuple[int, Any, bool], ...] = ()
    memory: tuple[MemoryGuard, ...] = ()
    calls_python: bool = False
    locate: Callable[[BaseException], None] = lambda error: None

    @property
    def container_types(self) -> list[ValueCapture]:
        """The guards of types, outer containers first. All else comes after them: a look for an item in a dict of
        another type may create it."""
        return sorted([v for v in self.values if v.what == "type"], key=lambda v: len(v.path.steps))


def takes(spec: LeafSpec) -> bool:
    """True for the leaves that a program is given: arrays, NumPy scalars and random generators."""
    return isinstance(spec, TensorSpec | GeneratorSpec)


def call_entry(
    target: Target, form: Form, parameters: Sequence[inspect.Parameter], defaults: dict[str, Any]
) -> Callable[..., Any] | None:
    """The function that takes calls of one form. None where the call can only be taken apart by a slow walk."""
    source, containers = Source(), dict[tuple[Any, ...], str]()
    leaves = take_leaves(source, target.signature, form, parameters, defaults, containers)
    if leaves is None:
        return None
    given = _store_arguments(source, target, leaves, containers)
    check_leaves(source, leaves, target.signature)
    for index, reference, same in target.aliases:
        source.miss_if(f"{leaves[index]} {'is not' if same else 'is'} {source.constant(reference, 'r')}()")
    start = len(source.lines)
    _finish(source, target, form, leaves, given)
    if target.assignments:
        inner = [f"    {line}" for line in source.lines[start:]]
        source.lines[start:] = [f"with {_locks(source, target, leaves)}:", *inner]
    return source.function(form_parameters(form))


def form_parameters(form: Form) -> str:
    names = [f"_a{i}" for i in range(form.positional)]
    return ", ".join([*names, *(["/"] if names else []), *(["*", *form.keywords] if form.keywords else [])])


def take_leaves(
    source: Source,
    signature: CallSignature,
    form: Form,
    parameters: Sequence[inspect.Parameter],
    defaults: dict[str, Any],
    containers: dict[tuple[Any, ...], str],
) -> list[str] | None:
    """The expressions of a call's leaves, after checks of its structure; None where these cannot be written down."""
    if any(map(hides, form.keywords)):
        return None
    expressions = _arguments(source, form, parameters, defaults)
    leaves: list[str] = []
    trees = dict(signature.trees)
    for p in parameters:
        if not _take_apart(source, trees[p.name], expressions[p.name], leaves, containers, (p.name,)):
            return None
    return leaves


def hides(name: str) -> bool:
    """True for the name of a parameter that would hide what generated code uses: `type`, for example."""
    return name.startswith("_") or name == "np" or hasattr(builtins, name)


def check_leaves(source: Source, leaves: list[str], signature: CallSignature) -> None:
    for index in range(len(leaves)):
        check_leaf(source, leaves, signature.leaves, index)


def use(entry: Callable[..., Any], target: Target) -> None:
    """Lets a generated function run another program for the same signature."""
    names = entry.__globals__
    names["_locate"], names["_run"] = target.locate, target.run


def _arguments(
    source: Source, form: Form, parameters: Sequence[inspect.Parameter], defaults: dict[str, Any]
) -> dict[str, Any]:
    """For each parameter the expression of its argument; for `*args` and `**kwargs` a list of expressions."""
    positional = [f"_a{i}" for i in range(form.positional)]
    keywords = dict.fromkeys(form.keywords)
    found: dict[str, Any] = {}
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            found[p.name], positional = positional, []
        elif p.kind is p.VAR_KEYWORD:
            found[p.name] = list(keywords)
        elif p.kind is not p.KEYWORD_ONLY and positional:
            found[p.name] = positional.pop(0)
        elif p.name in keywords:
            found[p.name] = p.name
            del keywords[p.name]
        else:
            found[p.name] = source.constant(defaults[p.name], "d")
    return found


def _take_apart(
    source: Source,
    tree: Tree,
    expression: Any,
    leaves: list[str],
    containers: dict[tuple[Any, ...], str],
    place: tuple[Any, ...],
) -> bool:
    """Adds the checks of a structure and the expressions of its leaves. False where that cannot be written down.

    `containers` is given the variables of lists, dicts and dataclasses, by their places.
    """
    if tree.is_leaf:
        leaves.append(source.local(expression))
        return True
    if isinstance(expression, list):  # *args and **kwargs: the form fixes their length and names
        if tree.kind == "dict" and list(tree.keys) != expression:
            return False
        return all(
            _take_apart(source, t, e, leaves, containers, (*place, key))
            for key, t, e in zip(tree.keys, tree.children, expression, strict=True)
        )
    if tree.kind not in ("tuple", "list", "dict", "namedtuple", "dataclass") or tree.metadata is not None:
        return False
    variable = source.local(expression)
    if tree.kind in ("list", "dict", "dataclass"):
        containers[place] = variable
    source.miss_if(f"type({variable}) is not {source.constant(tree.type)}")
    if tree.kind in ("tuple", "list"):
        source.miss_if(f"len({variable}) != {len(tree.children)}")
    elif tree.kind == "dataclass" and tree.type.__dictoffset__:  # type: ignore[union-attr]
        has_no_more(len(tree.keys), source, [variable])
    elif tree.kind == "dict":
        source.miss_if(f"tuple({variable}) != {source.constant(tree.keys)}")
    for key, child in zip(tree.keys, tree.children, strict=True):
        if tree.kind in ("namedtuple", "dataclass"):
            inner = f"{variable}.{key}"
        else:
            inner = f"{variable}[{key!r}]" if isinstance(key, int | str) else f"{variable}[{source.constant(key)}]"
        if not _take_apart(source, child, inner, leaves, containers, (*place, key)):
            return False
    return True


def has_no_more(count: int, source: Source, values: list[str]) -> None:
    """A dataclass has no attributes but its fields: with others it is an object, which is keyed by identity."""
    source.miss_if(f"len({values[0]}.__dict__) > {count}")


def _store_arguments(source: Source, target: Target, leaves: list[str], containers: dict[tuple[Any, ...], str]) -> str:
    """The expression of a tuple of the arguments that a call changes or stores. The changed ones stand at one place."""
    for place in target.changed:
        for other in containers.values():
            if other != containers[place]:
                source.miss_if(f"{containers[place]} is {other}")
    names = [leaves[place] if isinstance(place, int) else containers[place] for place in target.store_arguments]
    return f"({', '.join(names)},)" if names else ""


def _path_expression(source: Source, path: Path, leaf_of: dict[str, str]) -> str:
    kind, owner, name = path.root
    if kind == "argument":
        root = leaf_of[name]
    else:
        root = source.constant(owner, "root")
        root += {"object": "", "held": "()", "global": f"[{name!r}]", "closure": ".cell_contents"}[kind]
    return root + path.steps_source(lambda key: source.constant(key, "key"))


def _finish(source: Source, target: Target, form: Form, leaves: list[str], given: str) -> None:
    """Adds the guards, the call of the program, and the result. `given` are the arguments that it stores."""
    leaf_of = dict(zip(target.signature.paths, leaves, strict=True))
    captured = _guards(source, target, leaf_of)
    check_lengths(source, leaves, target)
    tensors = [e for e, spec in zip(leaves, target.signature.leaves, strict=True) if takes(spec)]
    source.namespace |= {"_counter": target.counter, "_run": target.run, "_timed": timed_run}
    arguments = ", ".join([*tensors, *captured])
    source.lines.append("_count = _counter.counted = _counter.counted + 1")
    timed = f"_timed(_counter, _run{', ' if arguments else ''}{arguments})"
    call = f"_run({arguments}) if _count % {SAMPLE_EVERY} != 2 else {timed}"
    alone = target.outputs == 1 and not (target.store or target.assignments)
    is_result = alone and target.result.is_leaf and target.result_leaves[0] == ("output", 0)
    source.namespace["_locate"] = target.locate
    source.lines += ["try:", f"    {'return' if is_result else '_r ='} {call}", "except Exception as _error:"]
    if target.again is None:
        source.lines += ["    _locate(_error)", "    raise"]
        _finish_result(source, target, leaves, given, is_result)
        return
    source.namespace["_again"] = target.again
    source.lines.append("    _failure = _error")
    start = len(source.lines)
    _finish_result(source, target, leaves, given, is_result)
    if not is_result:
        source.lines[start:] = ["else:", *[f"    {line}" for line in source.lines[start:]]]
    keywords = "".join(f"{k!r}: {k}, " for k in form.keywords)
    source.lines.append(
        f"return _again(_failure, ({''.join(f'_a{i}, ' for i in range(form.positional))}), {{{keywords}}})"
    )


def _finish_result(source: Source, target: Target, leaves: list[str], given: str, is_result: bool) -> None:
    """Adds what is done when the program has run."""
    if is_result:
        return
    if target.assignments:
        source.namespace |= {"_assign_all": assign_all, "_assignments": target.assignments}
        outputs = "(_r,)" if target.outputs == 1 else "_r"
        source.lines.append(f"_assign_all(_assignments, {_assigned(source, target, leaves)}, {outputs})")
    if target.store:
        source.namespace["_store"] = target.store
        outputs = "(_r,)" if target.outputs == 1 else "_r"
        call = f"_store({outputs}{', ' if given else ''}{given})"
        if target.gives_result:
            source.lines.append(f"return {call}")
            return
        source.lines.append(call)
    source.lines.append(f"return {_result(source, target, leaves)}")


def check_lengths(source: Source, leaves: Sequence[str], target: Target) -> None:
    """Open lengths compare as they did."""
    for symbol, (index, axis) in target.symbols.items():
        if any(symbol in _symbols(g) for g in target.dim_guards):
            source.lines.append(f"_{symbol} = {leaves[index]}.shape[{axis}]")
    for comparison, left, right, outcome in target.dim_guards:
        source.miss_if(f"({_text(left)} {comparison} {_text(right)}) is {not outcome}")


def _assigned(source: Source, target: Target, leaves: list[str]) -> str:
    """The expression of a tuple of the variables that a call assigns."""
    names = [
        leaves[a.leaf] if a.leaf is not None else source.constant(a.variable, "variable") for a in target.assignments
    ]
    return f"({', '.join(names)},)"


def _locks(source: Source, target: Target, leaves: list[str]) -> str:
    if len(target.assignments) == 1 and not target.calls_python:
        return f"{_assigned(source, target, leaves)[1:-2]}._lock"
    source.namespace["_Locked"] = Locked
    return f"_Locked({_assigned(source, target, leaves)}, {target.calls_python})"


def _guards(source: Source, target: Target, leaf_of: dict[str, str]) -> list[str]:
    """Adds the checks of everything outside the arguments; returns the expressions of the captured arrays."""
    captured: list[str] = []
    memory_paths = any(isinstance(p, Path) for g in target.memory for p in (g.left, g.right))
    has_paths = (
        target.values
        or target.identities
        or target.contents
        or memory_paths
        or any(isinstance(c, Path) for c in target.captures)
    )
    start = len(source.lines)
    for value in target.container_types:
        check_held(source, _path_expression(source, value.path, leaf_of), value)
    for position, (capture, spec) in enumerate(zip(target.captures, target.capture_specs, strict=True)):
        if isinstance(capture, Path):
            name = f"_w{position}"
            source.lines.append(f"{name} = {_path_expression(source, capture, leaf_of)}")
            if isinstance(spec, GeneratorSpec):
                check_generator(source, name, spec)
            else:
                check_tensor(source, name, spec)
            captured.append(name)
        else:
            captured.append(source.constant(capture, "array"))
    for value in target.values:
        if value.what != "type":
            check_held(source, _path_expression(source, value.path, leaf_of), value)
    for identity in target.identities:
        reference = source.constant(identity.reference, "r")
        source.miss_if(f"{_path_expression(source, identity.path, leaf_of)} is not {reference}()")
    for content in target.contents:
        guard = source.constant(content, "content")
        source.miss_if(f"not {guard}.holds({_path_expression(source, content.path, leaf_of)})")
    source.namespace |= CHECKS
    leaves = list(leaf_of.values())
    for memory in target.memory:
        left, right = (_array_expression(source, p, leaves, leaf_of) for p in (memory.left, memory.right))
        source.miss_if(memory.source(left, right))
    if has_paths:  # a path may lead nowhere any more
        inner = [f"    {line}" for line in source.lines[start:]]
        source.lines[start:] = ["try:", *inner, "except Exception: return _MISS"]
    return captured


def _array_expression(source: Source, place: Any, leaves: list[str], leaf_of: dict[str, str]) -> str:
    if isinstance(place, Path):
        return source.local(_path_expression(source, place, leaf_of))
    return "" if place is None else leaves[place]


def _symbols(guard: tuple[str, Length, Length, bool]) -> set[str]:
    return {s for side in guard[1:3] if isinstance(side, Dim) for s in side.symbols()}


def _text(length: Length) -> str:
    return length.text({s: f"_{s}" for s in length.symbols()}) if isinstance(length, Dim) else str(length)


def _result(source: Source, target: Target, leaves: list[str]) -> str:
    """The expression that builds the structured result from the program's outputs `_r`."""
    expressions = []
    for kind, value in target.result_leaves:
        if kind == "output":
            expressions.append("_r" if target.outputs == 1 else f"_r[{value}]")
        elif kind == "argument":
            expressions.append(leaves[value])
        else:
            expressions.append(source.constant(value, "result"))
    return _build(source, target.result, iter(expressions))


def _build(source: Source, tree: Tree, leaves: Any) -> str:
    if tree.is_leaf:
        return str(next(leaves))
    if tree.type is tuple or tree.type is list:
        inner = [_build(source, t, leaves) for t in tree.children]
        if tree.type is list:
            return f"[{', '.join(inner)}]"
        return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"
    if tree.type is dict:
        items = [
            (source.constant(k, "key"), _build(source, t, leaves))
            for k, t in zip(tree.keys, tree.children, strict=True)
        ]
        return "{" + ", ".join(f"{k}: {v}" for k, v in items) + "}"
    source.namespace["_unflatten"] = unflatten
    flat = [str(next(leaves)) for _ in range(tree.count())]
    return f"_unflatten({source.constant(tree, 'tree')}, [{', '.join(flat)}])"


def timed_run(counter: Any, run: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Runs a program, and lets the counter know how long that took."""
    start = time.perf_counter_ns()
    result = run(*args, **kwargs)
    counter.time(time.perf_counter_ns() - start)
    return result
