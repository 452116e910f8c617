"""tracefn: NumPy functions as graphs, traced once for each kind of call, with every trace explained.

>>> import numpy as np, tracefn
>>> @tracefn.function
... def f(x):
...     return np.tanh(x) * 2
>>> f(np.zeros(3))
array([0., 0., 0.])
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from .runtime.garbage import no_collection

with no_collection(for_good=True):  # what modules are made of stays
    from . import config, debugging, errors, events, ops
    from .errors import TracefnError
    from .function import ConcreteFunction, Function, function
    from .ir.graph import Graph, Node
    from .trace import autograph
    from .trace.autograph.iterators.iterables import traced_range
    from .trace.control import cond, fori_loop, map_fn, scan, switch, vectorized_map, while_loop
    from .trace.effects import numpy_function, print_, py_function
    from .trace.numpy_api.convert import constant, convert_to_tensor
    from .trace.signature import TensorSpec
    from .trace.tensor import Tensor
    from .trace.tensor_array import TensorArray
    from .trace.variables.variable import Variable

if TYPE_CHECKING:
    from . import autodiff as autodiff
    from . import data as data
    from . import explain as explain
    from . import gradients as gradients
    from . import nn as nn
    from . import notebook as notebook
    from . import optimize as optimize
    from . import testing as testing
    from . import timing as timing
    from .explain.costs import ledger
    from .explain.no_fallback import no_fallback
    from .explain.no_retrace import no_retrace
    from .gradients.custom import checkpoint, custom_gradient, custom_jvp, custom_vjp, stop_gradient
    from .gradients.grad import grad, value_and_grad
    from .gradients.jacobians import elementwise_grad, hessian, hvp, jacfwd, jacobian, jacrev
    from .gradients.linear import jvp, linearize, vjp
    from .gradients.tape import GradientTape
    from .reporting import report as report
    from .timing import profile as profile

__version__ = "0.1.0"


#: What a first trace does not need is imported when it is first asked for: rooms, and names from them.
_ROOMS = ("autodiff", "data", "explain", "gradients", "nn", "notebook", "optimize", "testing", "timing")
_FROM = {
    "explain": ("ledger", "no_fallback", "no_retrace"),
    "gradients": (
        "GradientTape",
        "checkpoint",
        "custom_gradient",
        "custom_jvp",
        "custom_vjp",
        "elementwise_grad",
        "grad",
        "hessian",
        "hvp",
        "jacfwd",
        "jacobian",
        "jacrev",
        "jvp",
        "linearize",
        "stop_gradient",
        "value_and_grad",
        "vjp",
    ),
    "reporting": ("report",),
    "timing": ("profile",),
}
_LATE = {name: room for room, names in _FROM.items() for name in names}


def __getattr__(name: str) -> Any:
    room = name if name in _ROOMS else _LATE.get(name)
    if room is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with no_collection(for_good=True):
        found = importlib.import_module(f"{__name__}.{room}")
    if room != name:
        found = globals()[name] = getattr(found, name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS, *_LATE})


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext tracefn`: the `%%tracefn` and `%tracefn` magics, and the connection to the panel."""
    from .notebook import load_ipython_extension as load

    load(ipython)


def unload_ipython_extension(ipython: Any) -> None:
    """`%unload_ext tracefn`: the magics go, the connection to the panel stays."""
    from .notebook import unload_ipython_extension as unload

    unload(ipython)


if "ipykernel" in sys.modules:  # never import Jupyter where there is none
    importlib.import_module(f"{__name__}.notebook").attach()

sys.modules[f"{__name__}.autograph"] = autograph  # `import tracefn.autograph` finds it, too

# not in __all__: `from tracefn import *` leaves Python's own alone
print = print_
print.__name__ = print.__qualname__ = "print"
range = traced_range
__all__ = [
    "ConcreteFunction",
    "Function",
    "GradientTape",
    "Graph",
    "Node",
    "Tensor",
    "TensorArray",
    "TensorSpec",
    "TracefnError",
    "Variable",
    "autograph",
    "checkpoint",
    "cond",
    "config",
    "constant",
    "convert_to_tensor",
    "custom_gradient",
    "custom_jvp",
    "custom_vjp",
    "debugging",
    "elementwise_grad",
    "errors",
    "events",
    "explain",
    "fori_loop",
    "function",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "ledger",
    "linearize",
    "map_fn",
    "no_fallback",
    "no_retrace",
    "numpy_function",
    "ops",
    "py_function",
    "scan",
    "stop_gradient",
    "switch",
    "value_and_grad",
    "vectorized_map",
    "vjp",
    "while_loop",
]
