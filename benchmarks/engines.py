"""The engines that are compared, in one form: how each makes arrays, traces a function and waits for its result."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
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
    from tracefn.runtime.tiers import OFTEN, wait_until_built

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

    return Engine(tf, tf.constant, tf.function)


#: Engine → how to load it.
ENGINES: dict[str, Callable[[], Engine]] = {
    "numpy": _numpy,
    "tracefn": _tracefn,
    "jax": _jax,
    "tensorflow": _tensorflow,
}

#: Those that trace, tracefn first; and what to call them.
TRACERS = ("tracefn", "jax", "tensorflow")
TITLES = {"numpy": "NumPy, eager", "tracefn": "tracefn", "jax": "jax.jit", "tensorflow": "tf.function"}


def load(name: str) -> Engine:
    """Imports an engine. Raises ImportError where it is not installed."""
    return ENGINES[name]()


def installed() -> list[str]:
    """Those of the tracers that are there, tracefn first."""
    return [name for name in TRACERS if importlib.util.find_spec(name)]
