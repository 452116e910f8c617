"""The fast path of a cached call: a generated Python function that checks a call against a signature and runs it.

The generated function takes the call's arguments as they were given, compares them with the signature and the guards,
and returns `MISS` at the first difference. Otherwise it counts the call, runs the program and builds the result.
"""

from __future__ import annotations

import builtins
import inspect
import keyword
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...trace.code.made_of import MadeOf
from ...trace.signature import CallSignature, Parameters
from ...trace.state.paths import Path
from ...trace.tree import Tree, unflatten
from .checks import (
    Arguments,
    Check,
    Fits,
    HasParts,
    Subject,
    Unfit,
    argument_checks,
    leaf_checks,
    length_checks,
    outside_checks,
    subjects,
)
from .memory_guards import MemoryGuard
from .python_checks import print_check, same_defaults
from .source import Source
from .target import Form, Target, takes, timed_run
from .writes import Locked, assign_all


class CallSource(Source):
    """The function for calls of one form. It knows the expressions of the checked values."""

    def __init__(self, miss: str = "_MISS") -> None:
        super().__init__(miss)
        self._names: dict[Subject, str] = {}
        self._outside: dict[Any, str] = {}
        self._leaf_of: dict[str, str] = {}

    def take_apart(
        self, signature: CallSignature, form: Form, parameters: Sequence[inspect.Parameter], defaults: dict[str, Any]
    ) -> Arguments:
        """Checks the structure of a call. Raises Unfit where that cannot be written down."""
        if any(map(hides, form.keywords)):
            raise Unfit
        arguments = Arguments.of(signature, parameters)
        expressions = _arguments(self, form, parameters, defaults)
        trees = dict(signature.trees)
        for p in parameters:
            given, found = arguments.given[p.name], expressions[p.name]
            if isinstance(given, list):  # the form fixes how many there are, and their names
                if p.kind is p.VAR_KEYWORD and list(trees[p.name].keys) != found:
                    raise Unfit
                self._bind(given, found)
            else:
                self._bind([given], [found])
        self.check(arguments.containers)
        self._leaf_of = dict(zip(signature.paths, self.leaves(signature), strict=True))
        return arguments

    def _bind(self, given: Iterable[Subject], expressions: Iterable[str]) -> None:
        for subject, expression in zip(given, expressions, strict=True):
            self._names[subject] = self.local(expression)

    def check(self, checks: Iterable[Check]) -> None:
        for check in checks:
            if isinstance(check, Fits) and isinstance(check.subject, Path):
                self._read(check.subject)
            names = [self.name(subject) for subject in subjects(check)]
            if isinstance(check, MemoryGuard):  # whose source may have a name twice
                names = [self.local(name) for name in names]
            found = print_check(self, check, names)
            if isinstance(check, HasParts):
                self._bind(check.parts, found)

    def name(self, subject: Subject) -> str:
        """The expression of a subject."""
        if not isinstance(subject, Path):
            return self._names[subject]
        if (known := self._outside.get(subject.key())) is not None:
            return known
        kind, owner, name = subject.root
        if kind == "argument":
            root = self._leaf_of[name]
        else:
            root = self.constant(owner, "root")
            root += {"object": "", "held": "()", "global": f"[{name!r}]", "closure": ".cell_contents"}[kind]
        return subject.source(root, lambda key: self.constant(key, "key"))

    def _read(self, path: Path) -> None:
        """Keeps the value at a path in a variable: the program is given the array that was checked."""
        if path.key() not in self._outside:
            name = f"_w{len(self._outside)}"
            self.lines.append(f"{name} = {self.name(path)}")
            self._outside[path.key()] = name

    def leaves(self, signature: CallSignature) -> list[str]:
        return [self._names[number] for number in range(len(signature.leaves))]


def call_entry(target: Target, form: Form, called: Parameters) -> Callable[..., Any] | None:
    """The function that takes calls of one form. None where the call can only be taken apart by a slow walk."""
    source, parameters = CallSource(), called.parameters
    defaults = {p.name: p.default for p in parameters}
    if form.leaves_out(parameters):
        own = f"{source.constant(called, 'called')}.function"
        same_defaults(source, source.local(own), MadeOf.of(called.function))
    try:
        arguments = source.take_apart(target.signature, form, parameters, defaults)
    except Unfit:
        return None
    source.check(argument_checks(target, arguments))
    start = len(source.lines)
    _finish(source, target, form)
    if target.assignments:
        inner = [f"    {line}" for line in source.lines[start:]]
        source.lines[start:] = [f"with {_locks(source, target)}:", *inner]
    return source.function(form_parameters(form))


def form_parameters(form: Form) -> str:
    names = [f"_a{i}" for i in range(form.positional)]
    return ", ".join([*names, *(["/"] if names else []), *(["*", *form.keywords] if form.keywords else [])])


def signature_leaves(
    source: CallSource, signature: CallSignature, form: Form, parameters: Sequence[inspect.Parameter]
) -> list[str] | None:
    """Checks that a call is of a signature; its leaves. None where that cannot be written down."""
    try:
        source.take_apart(signature, form, parameters, {p.name: p.default for p in parameters})
    except Unfit:
        return None
    source.check(leaf_checks(signature))
    return source.leaves(signature)


def hides(name: str) -> bool:
    """True for the name of a parameter that would hide a name of generated code, `type` for example, or is no
    identifier: `f(**{"a b": 1})`."""
    is_written = name.isidentifier() and not keyword.iskeyword(name) and unicodedata.is_normalized("NFKC", name)
    return not is_written or name.startswith("_") or name == "np" or hasattr(builtins, name)


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


def _finish(source: CallSource, target: Target, form: Form) -> None:
    """Adds the guards, the call of the program, and the result."""
    start, checks = len(source.lines), list(outside_checks(target))
    source.check(checks)
    if any(isinstance(subject, Path) for check in checks for subject in subjects(check)):
        inner = [f"    {line}" for line in source.lines[start:]]  # a path may lead nowhere any more
        source.lines[start:] = ["try:", *inner, "except Exception: return _MISS"]
    captured = [source.name(c) if isinstance(c, Path) else source.constant(c, "array") for c in target.captures]
    source.check(length_checks(target))
    leaves = source.leaves(target.signature)
    tensors = [e for e, spec in zip(leaves, target.signature.leaves, strict=True) if takes(spec)]
    source.namespace |= {"_counter": target.counter, "_run": target.run, "_timed": timed_run}
    arguments = ", ".join([*tensors, *captured])
    source.lines.append("_count = _counter.counted = _counter.counted + 1")
    timed = f"_timed(_counter, _run{', ' if arguments else ''}{arguments})"
    call = f"_run({arguments}) if _count < _counter.due else {timed}"
    alone = target.outputs == 1 and not (target.store or target.assignments)
    is_result = alone and target.result.is_leaf and target.result_leaves[0] == ("output", 0)
    source.namespace["_locate"] = target.locate
    source.lines += ["try:", f"    {'return' if is_result else '_r ='} {call}", "except Exception as _error:"]
    if target.again is None:
        source.lines += ["    _locate(_error)", "    raise"]
        _finish_result(source, target, is_result)
        return
    source.namespace["_again"] = target.again
    source.lines.append("    _failure = _error")
    start = len(source.lines)
    _finish_result(source, target, is_result)
    if not is_result:
        source.lines[start:] = ["else:", *[f"    {line}" for line in source.lines[start:]]]
    keywords = "".join(f"{k!r}: {k}, " for k in form.keywords)
    source.lines.append(
        f"return _again(_failure, ({''.join(f'_a{i}, ' for i in range(form.positional))}), {{{keywords}}})"
    )


def _finish_result(source: CallSource, target: Target, is_result: bool) -> None:
    """Adds the steps after the program."""
    if is_result:
        return
    if target.assignments:
        source.namespace |= {"_assign_all": assign_all, "_assignments": target.assignments}
        outputs = "(_r,)" if target.outputs == 1 else "_r"
        source.lines.append(f"_assign_all(_assignments, {_assigned(source, target)}, {outputs})")
    if target.store:
        source.namespace["_store"] = target.store
        outputs = "(_r,)" if target.outputs == 1 else "_r"
        names = ", ".join([source.name(place) for place in target.store_arguments])
        call = f"_store({outputs}{f', ({names},)' if names else ''})"
        if target.gives_result:
            source.lines.append(f"return {call}")
            return
        source.lines.append(call)
    source.lines.append(f"return {_result(source, target)}")


def _assigned(source: CallSource, target: Target) -> str:
    """The expression of a tuple of the variables that a call assigns."""
    names = [
        source.name(a.leaf) if a.leaf is not None else source.constant(a.variable, "variable")
        for a in target.assignments
    ]
    return f"({', '.join(names)},)"


def _locks(source: CallSource, target: Target) -> str:
    if len(target.assignments) == 1 and not target.calls_python:
        return f"{_assigned(source, target)[1:-2]}._lock"
    source.namespace["_Locked"] = Locked
    return f"_Locked({_assigned(source, target)}, {target.calls_python})"


def _result(source: CallSource, target: Target) -> str:
    """The expression that builds the structured result from the program's outputs `_r`."""
    expressions = []
    for kind, value in target.result_leaves:
        if kind == "output":
            expressions.append("_r" if target.outputs == 1 else f"_r[{value}]")
        elif kind == "argument":
            expressions.append(source.name(value))
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
