"""Native kernels: regions of a graph as machine code, made with LLVM.

This is the door: other packages import from here alone. `with_kernels` finds the regions, `compile_kernel` and
`compile_loops` make machine code of their bodies. The rooms, each of which imports those before it alone: `scalar`,
`fusion`, `rewrites`, `kernels`, `loops`.
"""

from .fusion.layouts import Order, empty, orders
from .fusion.regions import KERNEL
from .fusion.rows import ROWS
from .fusion.views import apply, chain
from .kernels.compiled import CompiledKernel, Entry, compile_kernel
from .kernels.entry import WORTH_PLANNING
from .kernels.inner_loop import OUT_OF_RANGE
from .kernels.kernel import Kernel
from .kernels.reduction_nest import more_words
from .loops.arrays import is_array
from .loops.checked import Unfit
from .loops.compiled import CompiledLoops, compile_loops
from .loops.regions import LOOPS
from .pipeline import is_reordered, steps, with_kernels
from .scalar.emitter import part
from .scalar.folds import FOLDS
from .scalar.number_steps import is_number_step

__all__ = [
    "FOLDS",
    "KERNEL",
    "LOOPS",
    "OUT_OF_RANGE",
    "ROWS",
    "WORTH_PLANNING",
    "CompiledKernel",
    "CompiledLoops",
    "Entry",
    "Kernel",
    "Order",
    "Unfit",
    "apply",
    "chain",
    "compile_kernel",
    "compile_loops",
    "empty",
    "is_array",
    "is_number_step",
    "is_reordered",
    "more_words",
    "orders",
    "part",
    "steps",
    "with_kernels",
]
