"""What native programs need of memory: their arguments, their results, and what a step reads and writes."""

import tracemalloc

import numpy as np
import pytest
import tracefn
from native_outcomes import native
from tracefn.codegen.machine import abi

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

X = np.random.default_rng(0).random((300, 300))


def peak(function, *args):
    """The most arrays of the size of an argument that are alive at a time in a call."""
    function(*args)
    tracemalloc.start()
    try:
        kept = function(*args)
        return tracemalloc.get_traced_memory()[1] / X.nbytes, kept
    finally:
        tracemalloc.stop()


def chain(x):
    for k in range(30):
        x = np.tanh(x) * 1.5 + k
    return x


def chain_with_sorting(x):
    for _ in range(5):
        x = np.sort(np.sqrt(x) * 2 + 1, axis=0)
    return x


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layers(x):
    a = x @ X
    b = np.maximum(a + 1, 0)
    d = np.tanh(b @ X) * b + a
    return np.sqrt(abs(d @ X) + d)


def loop(x, n):
    for i in range(n):
        x = np.sort(x * 0.5 + i, axis=0)
    return np.sort(x * 2 + 1, axis=0)


@pytest.mark.parametrize(
    "function, args, wanted",
    [
        (chain, (X,), 1),
        (chain_with_sorting, (X,), 2),
        (softmax, (X,), 1),
        (layers, (X,), 4),
        (loop, (X, np.int64(4)), 3),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_peak(function, args, wanted):
    f = tracefn.function(function, jit="now")
    found, _ = peak(f, *args)
    assert f.concrete_functions[0].plan == "native"
    assert found < wanted + 0.3, f.concrete_functions[0].native_program


def test_what_a_kernel_reads_is_let_go():
    program = native(layers, X).concrete_functions[0].native_program
    assert program.count("del ") >= 2


def test_what_a_loop_kernel_gives_back_stays():
    """A kernel that writes into its argument gives that back: it is alive as long as the result."""

    def f(x, n):
        y = x * 2
        for i in range(n):
            y[i, 1:] += y[i, :-1] * 0.5
        z = np.sqrt(abs(y)) + 1
        return np.sort(z, axis=0) + y

    g = tracefn.function(f, jit="now")
    np.testing.assert_allclose(g(X, np.int64(100)), f(X, 100))
    np.testing.assert_allclose(g(X, np.int64(100)), f(X, 100))
