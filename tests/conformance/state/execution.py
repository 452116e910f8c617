"""Runs programs with state, as modules whose `STEPS` are lines that are run one after the other."""

import random
import sys
import types

import numpy as np
import tracefn
from conformance.state.snapshot import Snapshot

DECORATOR = "from tracefn import function as traced"
PLAIN = "traced = lambda function: function"


def load(source, name, file):
    """The program as a module, and its steps; or the exception that it raises."""
    module = types.ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    _seed()
    try:
        exec(compile(source, file, "exec"), vars(module))
    except Exception as error:
        return module, error
    return module, module.STEPS


def outcomes(module, calls):
    """Runs the steps of a program: yields each, and what it came to."""
    _seed()
    namespace = vars(module)
    for step in calls:
        with np.errstate(all="ignore"):
            try:
                exec(compile(step, "<step>", "exec"), namespace)
                value = ("returned",)
            except (KeyboardInterrupt, TimeoutError):
                raise
            except BaseException as error:  # what is thrown inside a trace must not come out either
                namespace["r"] = None
                refused = isinstance(error, tracefn.TracefnError)
                value = ("refused" if refused else "raised", type(error).__name__, str(error))
        yield step, value


def steps(module, calls):
    """As `outcomes`, with the state that each step leaves: (step, (outcome, snapshot))."""
    for step, value in outcomes(module, calls):
        state = {k: v for k, v in vars(module).items() if _is_state(k, v, module.__name__)}
        state["r"] = vars(module).get("r")  # last: what it shares with the state is told there
        state["numpy's generator"] = np.random.mtrand._rand
        state["Python's generator"] = random._inst
        yield step, (value, Snapshot(state, module.__name__))


def _is_state(name, value, module):
    if name.startswith("__") or name in ("traced", "STEPS", "r") or isinstance(value, types.ModuleType):
        return False
    return not isinstance(value, type | types.FunctionType) or value.__module__ == module


def _seed():
    random.seed(0)
    np.random.seed(0)
