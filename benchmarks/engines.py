"""The engines that are compared, in one form: how each makes arrays, traces a function and waits for its result."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine, imported and ready.

    `xp` has NumPy's functions, `array` takes a NumPy array, `trace` makes a function a traced one. `wait` is what a
    program writes after a call to wait for its result. `settle` is given a traced function and a call of it, and lets
    it become as fast as it will.
    """

    xp: Any
    array: Callable[[Any], Any]
    trace: Callable[[Callable[..., Any]], Callable[..., Any]]
    wait: str = ""
    settle: Callable[[Callable[[], Any]], None] = lambda call: None


def _numpy() -> Engine:
    return Engine(np, np.asarray, lambda function: function)


def _tracefn() -> Engine:
    import tracefn
    from tracefn.runtime.tiers import OFTEN
    from tracefn.runtime.worker import wait_until_built

    def settle(call: Callable[[], Any]) -> None:
        for _ in range(2 * OFTEN):
            call()
        wait_until_built()

    return Engine(np, np.asarray, tracefn.function, settle=settle)


def _jax() -> Engine:
    import jax

    jax.config.update("jax_enable_x64", True)
    return Engine(jax.numpy, jax.numpy.asarray, jax.jit, ".block_until_ready()")


def _tensorflow() -> Engine:
    import tensorflow as tf

    return Engine(_numpys_names(tf), tf.constant, tf.function)


def _numpys_names(tf: Any) -> Any:
    """TensorFlow's functions by the names that NumPy has for them."""
    names = {name: getattr(tf, name) for name in ("tanh", "exp", "sqrt")}
    return SimpleNamespace(**names, sum=tf.reduce_sum, amax=tf.reduce_max)


def _tracefn_numpy() -> Engine:
    """tracefn without machine code."""
    import tracefn

    return Engine(np, np.asarray, lambda function: tracefn.function(function, jit="off"))


def _tensorflow_xla() -> Engine:
    import tensorflow as tf

    return Engine(_numpys_names(tf), tf.constant, lambda function: tf.function(function, jit_compile=True))


def _numba() -> Engine:
    import numba

    return Engine(np, np.asarray, numba.njit)


def _numexpr() -> Engine:
    """Expressions as texts: of operators and of functions that NumPy has by the same name."""
    import numexpr

    from benchmarks.expressions import Expressions, text_of

    def trace(function: Callable[..., Any]) -> Callable[..., Any]:
        text = text_of(function)
        return lambda x, y: numexpr.evaluate(text, {"x": x, "y": y})

    return Engine(Expressions(), np.asarray, trace)


def _autograd() -> Engine:
    import autograd.numpy

    return Engine(autograd.numpy, np.asarray, lambda function: function)


def _torch() -> Engine:
    import torch

    return Engine(torch, torch.from_numpy, lambda function: function)


def _torch_compile() -> Engine:
    import torch

    return Engine(torch, torch.from_numpy, torch.compile)


#: Engine → how to load it.
ENGINES: dict[str, Callable[[], Engine]] = {
    "numpy": _numpy,
    "tracefn": _tracefn,
    "jax": _jax,
    "tensorflow": _tensorflow,
    "tracefn_numpy": _tracefn_numpy,
    "tensorflow_xla": _tensorflow_xla,
    "numba": _numba,
    "numexpr": _numexpr,
    "autograd": _autograd,
    "torch": _torch,
    "torch_compile": _torch_compile,
}

#: Those that trace, tracefn first; and their titles.
TRACERS = ("tracefn", "jax", "tensorflow")
TITLES = {
    "numpy": "NumPy, eager",
    "tracefn": "tracefn",
    "jax": "jax.jit",
    "tensorflow": "tf.function",
    "tracefn_numpy": "tracefn, NumPy program",
    "tensorflow_xla": "tf.function, XLA",
    "numba": "Numba",
    "numexpr": "NumExpr",
    "autograd": "autograd",
    "torch": "PyTorch, eager",
    "torch_compile": "torch.compile",
}

#: All that can run beside eager NumPy, and the module that each needs where that has another name.
EVERYONE = (
    "tracefn",
    "tracefn_numpy",
    "jax",
    "tensorflow",
    "tensorflow_xla",
    "numba",
    "numexpr",
    "torch",
    "torch_compile",
)
MODULES = {"tracefn_numpy": "tracefn", "tensorflow_xla": "tensorflow", "torch_compile": "torch"}


def load(name: str) -> Engine:
    """Imports an engine. Raises ImportError where it is not installed."""
    return ENGINES[name]()


def installed(names: Sequence[str] = TRACERS) -> list[str]:
    """Those of the engines that are there, in order."""
    return [name for name in names if importlib.util.find_spec(MODULES.get(name, name))]
