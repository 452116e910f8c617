"""The native program of a graph: Python source in which each region of the graph is the call of one kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..codegen.native.regions import KERNEL, with_kernels
from ..codegen.numpy_program import Program, ProgramWriter, written
from ..ir.graph import Graph, Node
from .native_kernel import NativeKernel


class NativeProgram:
    """A program and its kernels. `program` is None where no part of the graph is worth a kernel."""

    def __init__(self, graph: Graph, name: str, module: Mapping[str, Any] | None = None) -> None:
        self.graph = with_kernels(graph)
        self.kernels: list[NativeKernel] = []
        writer = _NativeWriter(self.graph, self.kernels, name, module)
        self.program: Program = written(writer, name, module)


def has_regions(graph: Graph) -> bool:
    """True if a graph with kernels has any."""
    return any(n.op is KERNEL or any(has_regions(b.graph) for b in n.bodies) for n in graph.nodes)


class _NativeWriter(ProgramWriter):
    """Writes a region as the call of its kernel."""

    def __init__(self, graph: Graph, kernels: list[NativeKernel], name: str, module: Mapping[str, Any] | None) -> None:
        self._kernels = kernels
        self._name = name
        self._module = module
        super().__init__(graph)

    def control(self, node: Node) -> list[str]:
        if node.op is not KERNEL:
            return super().control(node)
        body, operands = node.args
        kernel = NativeKernel(body.graph, f"{self._name} {body.graph.name}", self._module)
        self._kernels.append(kernel)
        name = self._fresh("kernel")
        self.constants[name] = kernel.function
        results = self.items(node)
        call = f"{name}({', '.join(self._of(node, operands))})"
        return ["; ".join([f"{', '.join(results)} = {call}", *self._deletions(node)])]
