"""The native program of a graph: Python source in which each region of the graph is the call of one kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..codegen.native.entry import Call
from ..codegen.native.loop_regions import LOOPS
from ..codegen.native.pipeline import with_kernels
from ..codegen.native.regions import KERNEL
from ..codegen.numpy_program import Program, ProgramWriter, written
from ..ir.graph import Graph, Node
from ..ir.op import ITEM
from .freed_memory import keep_freed_memory
from .loop_kernel import LoopKernel
from .native_kernel import NativeKernel


class NativeProgram:
    """A program and its kernels, of which there may be none. `graph` is the one with kernels.

    `arguments` are those of the traced function, where it may be called as machine code itself: for each the node that
    it is, or the object that it must be. `precise` keeps NumPy's bits. `has_direct` says that the graph is one kernel
    and nothing else, which is what can be called so.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        module: Mapping[str, Any] | None = None,
        arguments: tuple[Any, ...] | None = None,
        precise: bool = False,
    ) -> None:
        keep_freed_memory()
        self.graph = with_kernels(graph, precise)
        self.kernels: list[NativeKernel | LoopKernel] = []
        call = _call(self.graph, arguments)
        self.has_direct = call is not None
        self.program: Program = written(_NativeWriter(self.graph, self.kernels, name, module, call), name, module)

    def direct(self, otherwise: Callable[..., Any], counter: Any) -> Callable[..., Any]:
        """The traced function itself as machine code: see `NativeKernel.direct`."""
        (kernel,) = self.kernels
        assert isinstance(kernel, NativeKernel)
        return kernel.direct(otherwise, counter)


def _call(graph: Graph, arguments: tuple[Any, ...] | None) -> Call | None:
    """How the only kernel of a graph is called with the arguments of the function."""
    steps = [n for n in graph.nodes if not n.is_leaf]
    if arguments is None or not steps or steps[0].op is not KERNEL or any(n.op is not ITEM for n in steps[1:]):
        return None
    kernel = steps[0]
    if kernel.args[0].name == LOOPS:
        return None
    given = tuple([kernel.inputs[ref.index] for ref in kernel.args[1].items])
    in_order = [n.args[1] if n.op is ITEM else -1 for n in graph.outputs] == list(range(len(kernel.types)))
    return Call(arguments, given) if in_order and all(n in arguments for n in given) else None


class _NativeWriter(ProgramWriter):
    """Writes a region as the call of its kernel."""

    def __init__(
        self,
        graph: Graph,
        kernels: list[NativeKernel | LoopKernel],
        name: str,
        module: Mapping[str, Any] | None,
        call: Call | None,
    ) -> None:
        self._kernels = kernels
        self._name = name
        self._module = module
        self._call_of_function = call
        super().__init__(graph)

    def control(self, node: Node) -> list[str]:
        if node.op is not KERNEL:
            return super().control(node)
        body, operands = node.args
        title = f"{self._name} {body.graph.name}"
        kernel: NativeKernel | LoopKernel
        if body.name == LOOPS:
            kernel = self._loop_kernel(node, title)
        else:
            kernel = NativeKernel(body.graph, title, self._module, self._call_of_function)
        self._kernels.append(kernel)
        name = self._fresh("kernel")
        self.constants[name] = kernel.function
        results = self.items(node)
        call = f"{name}({', '.join(self._of(node, operands))})"
        return ["; ".join([f"{', '.join(results)} = {call}", *self._deletions(node)])]

    def _loop_kernel(self, node: Node, name: str) -> LoopKernel:
        """The kernel of loops, which may write into those of its arguments that nobody needs any more."""
        body, operands = node.args
        owned, fresh = [], []
        for variable, ref in zip(body.graph.inputs, operands.items, strict=True):
            if self._owned is not None and variable in self._owned.taken_inside:
                owned.append(variable)
                if self._owned.is_fresh(node.inputs[ref.index]):
                    fresh.append(variable)
        return LoopKernel(body.graph, name, self._module, owned, fresh)
