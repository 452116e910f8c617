"""The machine code that Python calls in the place of a traced function, for calls of one signature.

It is written from what `runtime.calls.entry` writes a Python function from, and does the same. What it cannot look at
itself (Variables, generators, the content of objects) small Python functions check for it.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...codegen.entry.call import CallWriter
from ...codegen.machine import abi
from ...codegen.machine.engine import compiled
from ...ir.types import Kind, python_type
from ...trace.signature import LeafSpec, ObjectSpec, TensorSpec, ValueSpec
from ...trace.state.paths import Path, found, held_at, length_of
from ...trace.tree import Tree, unflatten
from ..builtin import METH_FASTCALL, METH_KEYWORDS, builtin
from ..writes import assigning
from .entry import Target, check_lengths, has_no_more, takes, timed_run
from .memory_guards import CHECKS, MemoryGuard
from .python_checks import MISS, Source, check_generator, check_held, check_leaf, check_value
from .steps import Known, Steps


class Unfit(Exception):
    """Calls of this signature are left to Python."""


class DirectCalls:
    """Machine code for the calls of one signature. Raises Unfit where there is none.

    `run` is the program or, where that is nothing but one kernel, the kernel; `order` says which of the program's
    arguments it takes. `steps`, where there are any, are those of the program, which then is that of the graph.
    """

    def __init__(
        self,
        target: Target,
        parameters: Sequence[inspect.Parameter],
        run: Callable[..., Any],
        order: Sequence[int] | None = None,
        steps: Steps | None = None,
    ) -> None:
        self._renewal = parameters, run, order, steps
        call = Call(target, parameters)
        values = call.checked()
        places = range(len(values)) if order is None else order
        given = [*call.variables(), *[values[i] for i in places]]
        failed = "failed" if target.again is None else "absent"
        if steps is not None and not target.assignments:
            outputs = call.steps(given, steps, failed)
            result = call.result("", outputs)
        else:
            found = call.writer.run(given, failed)
            result = call.result(found, [found] if target.outputs == 1 else [])
        self._objects = call.writer.objects
        self._target = target
        self._run = assigning(run, target, call.reads(places)) if target.assignments else run
        self._code = compiled(call.writer.module(result), has_loops=False)

    def renewed(self, target: Target) -> DirectCalls:
        """The same for a target that refers to other objects."""
        return DirectCalls(target, *self._renewal)

    def function(self, otherwise: Callable[..., Any]) -> Callable[..., Any]:
        """What takes the calls. `otherwise` takes those that it does not know."""
        counter = self._target.counter
        if counter.native is None:
            counter.native = np.zeros(1, np.int64)
        timed = functools.partial(timed_run, counter, self._run)
        failed = functools.partial(_failed, self._target.locate)
        owned = (otherwise, self._run, timed, failed, counter.native, *self._objects)
        return builtin(self._code, "call", METH_FASTCALL | METH_KEYWORDS, *owned)


def _failed(locate: Callable[[BaseException], None], error: BaseException) -> None:
    """Raises what the program raised, at the user's line."""
    try:
        raise error
    except Exception as found:
        locate(found)
        raise


class Call:
    """Writes the call of one signature."""

    def __init__(self, target: Target, parameters: Sequence[inspect.Parameter]) -> None:
        if (target.again is not None and not target.again_is_free) or (target.assignments and target.calls_python):
            raise Unfit
        self.writer = CallWriter()
        self._target = target
        self._parameters = parameters
        self._specs = target.signature.leaves
        self._leaves: list[str] = []
        self._containers: dict[tuple[Any, ...], str] = {}
        self._loaded: dict[Any, str] = {}

    def checked(self) -> list[str]:
        """The arguments of the program, when all checks are done."""
        self._take_apart_all()
        for index, spec in enumerate(self._specs):
            self._leaf(index, spec)
        target, writer = self._target, self.writer
        for place in target.changed:
            for other in self._containers.values():
                if other != self._containers[place]:
                    writer.is_not(self._containers[place], other)
        for index, reference, same in target.aliases:
            self._python([self._leaves[index]], _is_variable(reference, same))
        for held in target.container_types:
            self._python([self._load(held.path)], functools.partial(_held, held))
        captured = []
        for capture, capture_spec in zip(target.captures, target.capture_specs, strict=True):
            if not isinstance(capture, Path):
                captured.append(writer.constant(capture))
                continue
            captured.append(self._load(capture))
            if isinstance(capture_spec, TensorSpec):
                self._tensor(captured[-1], capture_spec)
            else:
                self._python([captured[-1]], functools.partial(_generator, capture_spec))
        for held in target.values:
            if held.what == "value":
                self._value(self._load(held.path), held.value)
            elif held.what != "type":
                self._python([self._load(held.path)], functools.partial(_held, held))
        for identity in target.identities:
            self._identity(self._load(identity.path), identity.reference)
        for content in target.contents:
            self._python([self._load(content.path)], functools.partial(_content, content))
        for guard in target.memory:
            self._memory(guard)
        if target.dim_guards:
            self._python(self._leaves, functools.partial(check_lengths, target=target))
        for owner, *_ in target.only_sets or ():
            self._load(owner)
        return [e for e, spec in zip(self._leaves, self._specs, strict=True) if takes(spec)] + captured

    def variables(self) -> list[str]:
        """The Variables that the call assigns."""
        writer = self.writer
        assigned = self._target.assignments
        return [self._leaves[a.leaf] if a.leaf is not None else writer.constant(a.variable) for a in assigned]

    def reads(self, places: Sequence[int]) -> list[int | None]:
        """For each Variable that the call assigns where its value is among these arguments of the program."""
        target = self._target
        first = sum(map(takes, self._specs))
        captures = {c.key(): first + k for k, c in enumerate(target.captures) if isinstance(c, Path)}
        found: list[int | None] = []
        for a in target.assignments:
            name = "" if a.leaf is None else target.signature.paths[a.leaf]
            root = ("object", a.variable, "") if a.leaf is None else ("argument", None, name)
            keys = [k for k in captures if _is_value(k, root)]
            found.append(places.index(captures[keys[0]]) if keys and captures[keys[0]] in places else None)
        return found

    # --- arguments

    def _take_apart_all(self) -> None:
        trees, names, more, rest = dict(self._target.signature.trees), [], None, ""
        for p in self._parameters:
            if p.kind is p.VAR_POSITIONAL:
                more, rest = len(trees[p.name].children), p.name
            elif p.kind is p.VAR_KEYWORD:
                if trees[p.name].children:
                    raise Unfit
            else:
                names.append((p.name, p.kind is not p.KEYWORD_ONLY, p.kind is not p.POSITIONAL_ONLY))
        defaults = {p.name: p.default for p in self._parameters if p.default is not p.empty}
        found, others = self.writer.arguments(names, defaults, more)
        given = {name: value for (name, _, _), value in zip(names, found, strict=True)}
        for p in self._parameters:
            if p.kind is p.VAR_POSITIONAL:
                for key, (tree, value) in enumerate(zip(trees[rest].children, others, strict=True)):
                    self._take_apart(tree, value, (rest, key))
            elif p.kind is not p.VAR_KEYWORD:
                self._take_apart(trees[p.name], given[p.name], (p.name,))

    def _take_apart(self, tree: Tree, value: str, place: tuple[Any, ...]) -> None:
        if tree.is_leaf:
            self._leaves.append(value)
            return
        if tree.metadata is not None or tree.type is None:
            raise Unfit
        writer = self.writer
        writer.has_type(value, tree.type)
        if issubclass(tree.type, tuple):
            children = writer.children_of_tuple(value, len(tree.children))
        elif tree.type is list:
            children = writer.children_of_list(value, len(tree.children))
        elif tree.type is dict:
            children = writer.children_of_dict(value, tree.keys)
        elif tree.kind == "dataclass":
            children = [writer.attribute(value, name) for name in tree.keys]
            if tree.type.__dictoffset__:
                self._python([value], functools.partial(has_no_more, len(tree.keys)))
        else:
            raise Unfit
        if not issubclass(tree.type, tuple):
            self._containers[place] = value
        for key, child, inner in zip(tree.keys, tree.children, children, strict=True):
            self._take_apart(child, inner, (*place, key))

    def _leaf(self, index: int, spec: LeafSpec) -> None:
        if isinstance(spec, TensorSpec):
            self._tensor(self._leaves[index], spec)
        elif isinstance(spec, ValueSpec):
            self._value(self._leaves[index], spec.value)
        elif isinstance(spec, ObjectSpec):
            self._identity(self._leaves[index], spec._reference)
        else:
            before = self._leaves[: index + 1]
            self._python(before, lambda source, leaves: check_leaf(source, leaves, self._specs, index))

    def _tensor(self, value: str, spec: TensorSpec) -> None:
        if spec.device == "cpu" and spec.kind is Kind.ARRAY:
            self.writer.is_array(value, spec.dtype, spec.shape)
        elif spec.device == "cpu" and spec.kind is Kind.SCALAR and spec.dtype.char in abi.KINDS:
            self.writer.has_type(value, spec.dtype.type)
        elif spec.kind is Kind.PYTHON:
            self.writer.has_type(value, python_type(spec.dtype))
        else:
            self._python([value], lambda source, leaves: check_leaf(source, leaves, [spec], 0))

    def _value(self, value: str, wanted: Any) -> None:
        if wanted is None or wanted is True or wanted is False or wanted is Ellipsis:
            self.writer.is_(value, self.writer.constant(wanted))
        elif type(wanted) in (str, bytes) or (type(wanted) is int and -(2**63) <= wanted < 2**63):
            self.writer.equals(value, wanted)
        elif type(wanted) is float and wanted == wanted:
            self.writer.equals(value, wanted)
        else:
            self._python([value], lambda source, leaves: check_value(source, leaves[0], wanted))

    def _identity(self, value: str, reference: Any) -> None:
        if type(reference) is weakref.ref:
            self.writer.is_target(value, reference)
        else:
            self._python([value], functools.partial(_is_referent, reference))

    # --- outside

    def _load(self, path: Path) -> str:
        """What is there now. Paths that begin alike are followed together."""
        if (known := self._loaded.get(path.key())) is not None:
            return known
        kind, owner, name = path.root
        if path.steps:
            step, key = path.steps[-1]
            base = self._load(Path(path.root, path.steps[:-1]))
            if step == "get":
                value = self.writer.made_by(found, [base, self.writer.constant(key)])
            elif step == "held":
                value = self.writer.made_by(held_at, [base, self.writer.constant(key)])
            elif step == "len":
                value = self.writer.made_by(length_of, [base])
            else:
                value = self.writer.attribute(base, key) if step == "attr" else self.writer.item(base, key)
        elif kind == "argument":
            value = self._leaves[self._target.signature.paths.index(name)]
        elif kind == "object":
            value = self.writer.constant(owner)
        elif kind == "held":
            value = self.writer.referent(owner)
        else:
            value = self.writer.variable(owner, name) if kind == "global" else self.writer.content(owner)
        self._loaded[path.key()] = value
        return value

    def _memory(self, guard: MemoryGuard) -> None:
        values = [self._array(p) for p in (guard.left, guard.right) if p is not None]
        check = functools.partial(_memory, guard)
        if guard.what == "same":
            self.writer.is_(*values)
        elif guard.what == "distinct":
            self.writer.is_not(*values)
        elif guard.what in ("disjoint", "apart"):
            sizes = [self._bytes(p, v) for p, v in zip((guard.left, guard.right), values, strict=True)]
            self.writer.do_not_meet((values[0], sizes[0]), (values[1], sizes[1]), _python_check(check, 2))
        else:
            self._python(values, check)

    def _array(self, place: int | Path) -> str:
        return self._load(place) if isinstance(place, Path) else self._leaves[place]

    def _bytes(self, place: Any, array: str) -> str:
        """How many bytes the elements of an array take."""
        target = self._target
        spec = target.capture_specs[target.captures.index(place)] if isinstance(place, Path) else self._specs[place]
        if not isinstance(spec, TensorSpec):
            raise Unfit
        lengths = [self.writer.length_of(array, axis) for axis in range(len(spec.shape))]
        return self.writer.product([*lengths, str(spec.dtype.itemsize)])

    def _python(self, values: Sequence[str], check: Callable[[Source, list[str]], None]) -> None:
        """Lets Python check values."""
        self.writer.satisfies(_python_check(check, len(values)), values)

    # --- results

    def steps(self, values: Sequence[str], steps: Steps, failed: str) -> list[str]:
        """The results of a program whose steps are done here."""
        writer = self.writer

        def done(wrong: str) -> list[str]:
            known = dict(zip(steps.inputs, values, strict=True))
            for step in steps.all:
                given = [writer.constant(v.value) if isinstance(v, Known) else known[v] for v in step.given]
                found = writer.found(writer.called(writer.constant(step.function), given), wrong)
                made = [found] if len(step.made) == 1 else writer.items(found, len(step.made))
                known |= zip(step.made, made, strict=True)
            return [known[n] for n in steps.outputs]

        return writer.run_steps(values, done, len(steps.outputs), failed)

    def result(self, found: str, outputs: list[str]) -> str:
        """The result of the call, from what the program gave, or from its outputs where these are known."""
        target, writer = self._target, self.writer
        if target.assignments:
            writer.is_not(found, writer.constant(MISS))
        if target.only_sets is not None:
            given = outputs or writer.items(found, target.outputs)
            for owner, kind, key, number in target.only_sets:
                writer.set(kind, self._load(owner), key, given[number])
        elif target.store:
            all_of_them = found if found and target.outputs > 1 else writer.tuple_of(outputs)
            arguments = [self._leaves[p] if isinstance(p, int) else self._containers[p] for p in target.store_arguments]
            given = [writer.tuple_of(arguments)] if arguments else []
            stored = writer.made_by(target.store, [all_of_them, *given])
            if target.gives_result:
                return stored
        tree = target.result
        in_order = list(target.result_leaves) == [("output", i) for i in range(target.outputs)]
        is_tuple = tree.type is tuple and in_order and target.outputs > 1 and all(t.is_leaf for t in tree.children)
        if is_tuple and found:
            return found
        outputs_of = outputs or writer.items(found, target.outputs)
        leaves = []
        for kind, value in target.result_leaves:
            if kind == "output":
                leaves.append(outputs_of[value])
            else:
                leaves.append(self._leaves[value] if kind == "argument" else writer.constant(value))
        return self._built(tree, leaves)

    def _built(self, tree: Tree, leaves: list[str]) -> str:
        """A value of this structure, whose leaves are taken from the front."""
        writer = self.writer
        if tree.is_leaf:
            return leaves.pop(0)
        if tree.type not in (tuple, list, dict) and tree.kind != "namedtuple":
            own = [leaves.pop(0) for _ in range(tree.count())]
            return writer.made_by(lambda *leaves: unflatten(tree, list(leaves)), own)
        children = [self._built(t, leaves) for t in tree.children]
        if tree.type is list:
            return writer.list_of(children)
        if tree.type is dict:
            return writer.dict_of(tree.keys, children)
        made = writer.tuple_of(children)
        return made if tree.type is tuple else writer.made_by(tuple.__new__, [writer.constant(tree.type), made])


def _is_value(key: Any, root: tuple[str, Any, str]) -> bool:
    """True for the key of the path to the value of a Variable."""
    kind, owner, name, steps = key
    same = owner == id(root[1]) if kind == "object" else name == root[2]
    return kind == root[0] and same and steps == (("attr", "_value"),)


def _python_check(check: Callable[[Source, list[str]], None], count: int) -> Callable[..., Any]:
    """A Python function of `count` values that gives True where a check holds."""
    source, names = Source(), [f"_p{i}" for i in range(count)]
    check(source, names)
    source.lines.append("return True")
    return source.function(", ".join(names))


def _generator(spec: Any, source: Source, values: list[str]) -> None:
    check_generator(source, values[0], spec)


def _held(value: Any, source: Source, values: list[str]) -> None:
    check_held(source, values[0], value)


def _content(content: Any, source: Source, values: list[str]) -> None:
    source.miss_if(f"not {source.constant(content)}.holds({values[0]})")


def _memory(guard: MemoryGuard, source: Source, values: list[str]) -> None:
    source.namespace |= CHECKS
    source.miss_if(guard.source(values[0], values[-1]))


def _is_referent(reference: Any, source: Source, values: list[str]) -> None:
    source.miss_if(f"{values[0]} is not {source.constant(reference)}()")


def _is_variable(reference: Any, same: bool) -> Callable[[Source, list[str]], None]:
    def check(source: Source, values: list[str]) -> None:
        source.miss_if(f"{values[0]} {'is not' if same else 'is'} {source.constant(reference)}()")

    return check
