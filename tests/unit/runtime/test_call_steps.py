"""Programs of a few steps that the machine code of a call does itself: counters beside a kernel."""

import sys
import traceback

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

X = np.arange(4.0)


class Counting:
    def __init__(self, n=0):
        self.n, self.rate, self.held = n, 0.5, {"n": 0}

    def step(self, x):
        self.n += 1
        return x * self.n

    def many(self, x):
        self.rate = self.rate * 0.5
        self.held["n"] -= 1
        return x * self.rate, (x + self.held["n"]) * 2

    def divided(self, x):
        self.n -= 1
        self.rate = 1 / self.n
        return x * self.rate


class Traced(Counting):
    step, many, divided = [tracefn.function(f, jit="now") for f in (Counting.step, Counting.many, Counting.divided)]


def outcome(run):
    try:
        return run(), None
    except ArithmeticError as error:
        return None, (type(error), str(error), traceback.extract_tb(error.__traceback__)[-1].lineno)


@pytest.mark.parametrize("method", ["step", "many", "divided"])
@pytest.mark.parametrize("n", [2, 2**63 - 3, -(2**63) - 2, 10**30])
def test_as_undecorated(method, n):
    eager, traced = Counting(n), Traced(n)
    for _ in range(6):
        with tracefn.config.on_unsupported("eager"):
            expected, got = [outcome(lambda o=o: getattr(o, method)(X)) for o in (eager, traced)]
        np.testing.assert_equal(got, expected)
        assert repr(vars(traced)) == repr(vars(eager))
    assert getattr(traced, method).tracing_count == 1


def test_machine_code_does_the_steps():
    traced = Traced()
    traced.step(X)
    (concrete,) = traced.step.concrete_functions
    steps = concrete._execution.native.steps
    assert [step.function.__name__ for step in steps.all] == ["add", "kernel"]


def test_calls_lose_and_leave_nothing():
    traced = Traced(2**40)
    for _ in range(100):
        traced.step(X)
    before = sys.getrefcount(X), sys.getallocatedblocks()
    for _ in range(10_000):
        traced.step(X)
    assert sys.getrefcount(X) == before[0]
    assert sys.getallocatedblocks() - before[1] < 100
