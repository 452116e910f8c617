"""The native program of a graph: Python source in which each region of the graph is the call of one kernel."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from ..codegen import numpy_program
from ..codegen.native import KERNEL, LOOPS, ROWS, Unfit, is_reordered, with_kernels
from ..codegen.numpy_program import Program, ProgramWriter, written
from ..ir.graph import Graph, Node
from ..ir.op import ITEM
from .calls.native_entry import DirectCalls
from .loop_kernel import LoopKernel
from .native_kernel import NativeKernel
from .native_steps import call_steps


class NativeProgram:
    """A program and its kernels, of which there may be none. `graph` is the one with kernels.

    `precise` keeps NumPy's bits; without `by_rows` no kernel goes row by row. `is_better` says that it is to take the
    place of the NumPy program: it has kernels, or another order of products. `nodes` are those of the program's lines.
    `run` is the program's function or, where it is nothing but one kernel, that kernel; `order` says which of the
    program's arguments the kernel takes. `steps` are those of a short program, which machine code does itself. `direct`
    takes the calls of the traced function, where machine code does.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        module: Mapping[str, Any] | None = None,
        precise: bool = False,
        by_rows: bool = True,
    ) -> None:
        self.graph = with_kernels(graph, precise, by_rows)
        self.kernels: list[NativeKernel | LoopKernel] = []
        writer = _NativeWriter(self.graph, self.kernels, name, module)
        self.program: Program = written(writer, name, module)
        self.nodes: dict[int, Node] = writer.nodes
        self.is_better = bool(self.kernels) or (not precise and is_reordered(graph))
        self.direct: DirectCalls | None = None
        self.size = sum(kernel.size for kernel in self.kernels)
        self.order = _only_kernel(self.graph)
        self.steps = call_steps(self.graph, self.kernels)
        self.run: Callable[..., Any] = self.program.function if self.order is None else self.kernels[0].function


def _only_kernel(graph: Graph) -> list[int] | None:
    """Which of the arguments of a graph, in order, its only kernel takes: where nothing else is to be done, nor said
    about floating-point errors."""
    steps = [n for n in graph.nodes if not n.is_leaf]
    if not steps or steps[0].op is not KERNEL or steps[0].errors or any(n.op is not ITEM for n in steps[1:]):
        return None
    kernel, arguments = steps[0], [*graph.inputs, *graph.captures]
    given = [kernel.inputs[ref.index] for ref in kernel.args[1].items]
    in_order = [n.args[1] if n.op is ITEM else -1 for n in graph.outputs] == list(range(len(kernel.types)))
    return [arguments.index(n) for n in given] if in_order and all(n in arguments for n in given) else None


def without_rows(graph: Graph, name: str, module: Mapping[str, Any] | None) -> Callable[..., Any]:
    """A function for the graph of a kernel that goes row by row, for arrays of another layout: other kernels
    if they save something, or NumPy."""
    native = NativeProgram(graph, name, module, by_rows=False)
    saves = any(sum(not n.is_leaf for n in kernel.graph.nodes) > 1 for kernel in native.kernels)
    return native.program.function if saves else numpy_program(graph, name, module).function


class _NativeWriter(ProgramWriter):
    """Writes a region as the call of its kernel."""

    def __init__(
        self,
        graph: Graph,
        kernels: list[NativeKernel | LoopKernel],
        name: str,
        module: Mapping[str, Any] | None,
    ) -> None:
        self._kernels = kernels
        self._name = name
        self._module = module
        super().__init__(graph)

    def control(self, node: Node) -> list[str]:
        if node.op is not KERNEL:
            return super().control(node)
        body, operands = node.args
        title = f"{self._name} {body.graph.name}"
        kernel: NativeKernel | LoopKernel
        if body.name == LOOPS:
            try:
                kernel = self._loop_kernel(node, title)
            except Unfit:  # with those arguments that it may write into: NumPy computes this part
                return super().control(node)
        else:
            by_columns = functools.partial(without_rows, body.graph, title, self._module)
            kernel = NativeKernel(body.graph, title, self._module, by_columns if body.name == ROWS else None)
        self._kernels.append(kernel)
        name = self._fresh("kernel")
        self.constants[name] = kernel.function
        results = self.items(node)
        call = f"{name}({', '.join(self._of(node, operands))})"
        return ["; ".join([f"{', '.join(results)} = {call}", *self._deletions(node)])]

    def _loop_kernel(self, node: Node, name: str) -> LoopKernel:
        """The kernel of loops. It may write into arguments that are dead and share no memory with its others: its code
        takes arguments for different pieces of memory."""
        body, operands = node.args
        owned, fresh = [], []
        for variable, ref in zip(body.graph.inputs, operands.items, strict=True):
            array = node.inputs[ref.index]
            if self._owned is None or variable not in self._owned.taken_inside:
                continue
            if self._owned.is_alone(array, node):
                owned.append(variable)
                if self._owned.is_fresh(array):
                    fresh.append(variable)
        return LoopKernel(body.graph, name, self._module, owned, fresh)
