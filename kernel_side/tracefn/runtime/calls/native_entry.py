"""The machine code that Python calls in the place of a traced function, for calls of one signature.

It makes the same checks as the generated Python function (`entry.py`) and does the same.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...codegen.machine.engine import compiled
from ...trace.signature import Parameters
from ...trace.state.paths import Path
from ...trace.tree import Tree, unflatten
from .. import own_frames
from ..builtin import METH_FASTCALL, METH_KEYWORDS, builtin
from .checks import Unfit
from .native_checks import NativeChecks
from .source import MISS
from .steps import Known, Steps
from .target import Target, takes, timed_run
from .writes import assigning


class DirectCalls:
    """Machine code for the calls of one signature. Raises Unfit where there is none.

    `run` is the program or, where that is nothing but one kernel, the kernel; `order` says which of the program's
    arguments it takes. `steps`, where there are any, are those of the program, which then is that of the graph.
    """

    def __init__(
        self,
        target: Target,
        parameters: Parameters,
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
        """The function for the calls. `otherwise` takes those of other signatures."""
        counter = self._target.counter
        if counter.native is None:
            counter.native = np.zeros(1, np.int64)
        timed = functools.partial(timed_run, counter, self._run)
        failed = functools.partial(_failed, self._target.locate)
        owned = (otherwise, self._run, timed, failed, counter.native, *self._objects)
        return builtin(self._code, "call", METH_FASTCALL | METH_KEYWORDS, *owned)


def _failed(locate: Callable[[BaseException], None], error: BaseException) -> None:
    """Raises the program's error at the user's line."""
    try:
        raise error
    except Exception as found:
        locate(found)
        own_frames.cut(found)
        raise


class Call(NativeChecks):
    """Writes the calls of one signature."""

    def __init__(self, target: Target, parameters: Parameters) -> None:
        if (target.again is not None and not target.again_is_free) or (target.assignments and target.calls_python):
            raise Unfit
        super().__init__(target, parameters.parameters, parameters)

    def variables(self) -> list[str]:
        """The Variables that the call assigns."""
        writer = self.writer
        assigned = self._target.assignments
        return [self.name(a.leaf) if a.leaf is not None else writer.constant(a.variable) for a in assigned]

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
        """The result of the call, from the program's result, or from its outputs where these are known."""
        target, writer = self._target, self.writer
        if target.assignments:
            writer.is_not(found, writer.constant(MISS))
        if target.only_sets is not None:
            given = outputs or writer.items(found, target.outputs)
            for owner, kind, key, number in target.only_sets:
                writer.set(kind, self.name(owner), key, given[number])
        elif target.store:
            all_of_them = found if found and target.outputs > 1 else writer.tuple_of(outputs)
            arguments = [self.name(place) for place in target.store_arguments]
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
                leaves.append(self.name(value) if kind == "argument" else writer.constant(value))
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
