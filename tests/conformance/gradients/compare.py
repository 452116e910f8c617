"""Compares the gradient of a program with finite differences of its plain run."""

import warnings

import numpy as np
import tracefn
from conformance.gradients.programs import Program
from conformance.gradients.with_jax import of_jax
from conformance.state.compare import Outcome, pattern

STEPS = (1e-5, 3e-6)
"""Two steps of central differences. Where these do not agree, the program is not smooth there."""

TOLERANCE = 2e-4
OF_JAX = {"rtol": 1e-9, "atol": 1e-9}


def compare(seed, jit="off", jax=False):
    """The outcome of a program: agrees, wrong, raised, refused (by a named error), or not smooth. Called twice, the
    second time with other numbers. With `jax` the program writes into no array, and its gradient is compared with JAX's
    as well, where it agrees so far."""
    program = Program(seed, pure=jax)
    plain = program.function(f"plain_{seed}")
    with tracefn.config.jit(jit), tracefn.config.on_unsupported("eager"):
        derivative = tracefn.value_and_grad(program.function(f"traced_{seed}"), argnums=(0, 1, 2))
        for arguments in (program.arguments, [0.9 * a + 0.05 for a in program.arguments]):
            arguments = [np.asarray(a) for a in arguments]
            outcome = _compare_call(plain, derivative, arguments)
            if outcome.kind != "agrees":
                return outcome
            if jax and (outcome := _compare_with_jax(program, derivative, arguments)).kind != "agrees":
                return outcome
    return outcome


def _compare_with_jax(program, derivative, arguments):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        value, found = derivative(*_copies(arguments))
        known = of_jax(program, arguments)
    if known is None or not np.allclose(known[0], value, **OF_JAX):
        return Outcome("agrees", "JAX cannot express it")
    if not all(np.all(np.isfinite(g)) for g in known[1]):  # as of the deviation of one number
        return Outcome("agrees", "JAX gives NaN")
    for name, got, expected in zip("xyw", found, known[1], strict=True):
        scale = 1 + np.max(np.abs(expected), initial=0)
        if not np.allclose(got, expected, rtol=OF_JAX["rtol"], atol=OF_JAX["atol"] * scale):
            return Outcome("wrong", f"JAX's gradient by {name}", f"{got}\nfor\n{expected}")
    return Outcome("agrees", "JAX agrees")


def _compare_call(plain, derivative, arguments):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = plain(*_copies(arguments))
            slopes = [differences(plain, arguments, h) for h in STEPS]
        except Exception:
            return Outcome("skipped", "the program does not run")
        try:
            value, found = derivative(*_copies(arguments))
        except tracefn.errors.TracefnError as error:
            return Outcome("refused", pattern(f"{type(error).__name__}: {error}".splitlines()[0]), str(error))
        except Exception as error:
            return Outcome("raised", pattern(f"{type(error).__name__}: {error}".splitlines()[0]), str(error))
    if not np.allclose(value, expected, rtol=1e-9, atol=1e-9):
        return Outcome("wrong", "the value", f"{value} for {expected}")
    for name, got, first, second in zip("xyw", found, *slopes, strict=True):
        scale = 1 + np.max(np.abs(first), initial=0)
        if not np.all(np.isfinite(first)) or np.max(np.abs(first - second), initial=0) > TOLERANCE / 4 * scale:
            return Outcome("skipped", "not smooth")
        if np.shape(got) != np.shape(first) or not np.allclose(got, first, rtol=TOLERANCE, atol=TOLERANCE * scale):
            return Outcome("wrong", f"the gradient by {name}", f"{got}\nfor\n{first}")
    return Outcome("agrees")


def differences(function, arguments, step):
    """Central differences of a function that gives a number, by each element of its arguments."""
    slopes = []
    for number, argument in enumerate(arguments):
        slope = np.zeros(argument.shape)
        for at in np.ndindex(argument.shape):
            ends = []
            for sign in (1, -1):
                moved = _copies(arguments)
                moved[number][at] += sign * step
                ends.append(float(function(*moved)))
            slope[at] = (ends[0] - ends[1]) / (2 * step)
        slopes.append(slope)
    return slopes


def _copies(arguments):
    return [np.array(a) for a in arguments]
