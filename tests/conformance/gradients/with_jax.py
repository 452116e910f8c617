"""Gradients of programs by JAX, where it can express them."""

import types

import numpy as np


def of_jax(program, arguments):
    """The value and the gradients of a program by JAX, or None where it is no program of JAX's: it calls a function
    that JAX lacks, or gives it a list."""
    import jax

    jax.config.update("jax_enable_x64", True)
    module = types.ModuleType("of_jax")
    exec(compile(program.source, "<of jax>", "exec"), module.__dict__)
    module.np = jax.numpy
    try:
        given = [jax.numpy.asarray(a) for a in arguments]
        value, found = jax.value_and_grad(module.program, argnums=(0, 1, 2))(*given)
    except Exception:  # of many kinds
        return None
    return np.asarray(value), [np.asarray(g) for g in found]
