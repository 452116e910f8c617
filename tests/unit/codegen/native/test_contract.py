"""Products of several matrices, and einsum, in the order that takes the fewest operations."""

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi
from tracefn.codegen.native.rewrites.contract import contracted
from tracefn.ir.evaluate import evaluate
from tracefn.ir.verify import verify

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)


def matrix(*shape, char="d"):
    found = RNG.random(shape) - 0.5
    return (found + 1j * RNG.random(shape) if char in "FD" else found).astype(char)


def graphs(function, *args):
    graph = tracefn.function(function, jit="off").get_concrete_function(*args).graph
    before = str(graph)
    after = verify(contracted(graph))
    assert str(graph) == before
    got, wanted = evaluate(after, list(args)), evaluate(graph, list(args))
    for a, b in zip(got, wanted, strict=True):
        assert (type(a), a.dtype, a.shape) == (type(b), b.dtype, b.shape)
        np.testing.assert_allclose(a, b, rtol=1e-4 if b.dtype.char in "fF" else 1e-9, atol=1e-4)
        assert a.strides == b.strides
    return graph, after


def products(graph):
    """The shapes of what is multiplied, in order."""
    return [tuple(n.type.shape for n in node.inputs) for node in graph.nodes if node.op.name == "matmul"]


A, B, V = matrix(200, 100), matrix(100, 200), matrix(200)


@pytest.mark.parametrize("char", "fdFD")
def test_a_vector_at_the_end_comes_first(char):
    a, b, v = A.astype(char), B.astype(char), V.astype(char)
    graph, after = graphs(lambda a, b, v: a @ b @ v, a, b, v)
    assert products(after) == [((100, 200), (200,)), ((200, 100), (100,))]


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b, v: v @ (a @ b),
        lambda a, b, v: v @ (a @ (b @ (a @ b))),
        lambda a, b, v: (a @ b) @ (a @ v[:100]),
        lambda a, b, v: (v @ (a @ b)) @ v,
        lambda a, b, v: (a @ b @ a @ b @ v[:, None]) * 2 + 1,
        lambda a, b, v: b.T @ (b.T[:100] @ b) @ v,
    ],
)
def test_chains(function):
    before, after = graphs(function, A, B, V)
    assert products(after) != products(before)


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b, v: (a @ b, (a @ b) @ v)[1] + (a @ b)[0],  # needed twice
        lambda a, b, v: (a @ (b @ v)) @ a,  # a vector is a row there
        lambda a, b, v: a @ (b @ v),  # is the best already
        lambda a, b, v: (a @ b) @ (a @ b),
        lambda a, b, v: (a[:3, :3] @ b[:3, :3]) @ v[:3],  # little to be saved
        lambda a, b, v: (a.astype("f") @ b.astype("f")) @ v,  # other dtypes
        lambda a, b, v: (a @ b) * v,
        lambda a, b, v: np.stack([a, a]) @ b @ v,
    ],
)
def test_what_is_left(function):
    before, after = graphs(function, A, B, V)
    assert products(after) == products(before)


def test_open_lengths_are_left():
    spec = [tracefn.TensorSpec(s, np.float64) for s in ((None, 100), (100, 200), (200,))]
    graph = tracefn.function(lambda a, b, v: a @ b @ v, input_signature=spec).get_concrete_function().graph
    assert contracted(graph) is graph


def paths(graph):
    return [dict(n.kwargs).get("optimize") for n in graph.nodes if n.op.name == "einsum"]


N = 40
M, U = matrix(N, N), matrix(N)


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize(
    "text, ranks, wanted",
    [
        ("ij,jk,kl->il", (2, 2, 2), True),
        ("ij,jk,kl,lm->im", (2, 2, 2, 2), True),
        ("ij,jk,k->i", (2, 2, 1), True),
        ("ij,jk->ik", (2, 2), False),  # 64000 multiplications are few
        ("ij,j->i", (2, 1), False),
        ("i,i->i", (1, 1), False),
        ("ii,ij,jk->ik", (2, 2, 2), False),
        ("...ij,jk,kl->...il", (2, 2, 2), False),
    ],
)
def test_einsum(char, text, ranks, wanted):
    args = [(M if r == 2 else U).astype(char) + 0.1 for r in ranks]
    _, after = graphs(lambda *args: np.einsum(text, *args), *args)
    assert (paths(after)[0] is not None) is wanted


def test_einsum_of_two_large_matrices():
    a, b = matrix(90, 100), matrix(100, 80)
    _, after = graphs(lambda a, b: np.einsum("ij,jk->ik", a, b), a, b)
    assert paths(after)[0] is not None
    _, after = graphs(lambda a, b: np.einsum("ij,ij->ij", a, a), a, b)
    assert paths(after) == [None]


def test_the_whole_way():
    def f(a, b, v):
        return np.einsum("ij,jk,k->i", a, b, v) + a @ b @ v

    native = tracefn.function(f, jit="now")
    np.testing.assert_allclose(native(A, B, V), f(A, B, V), rtol=1e-10)
    assert native.concrete_functions[0].program.count("@") == 2
    precise = tracefn.function(f, jit="now", precise=True)
    np.testing.assert_array_equal(precise(A, B, V), f(A, B, V))


def test_an_order_is_worth_a_program_without_kernels():
    for f, args in ((lambda a, b, v: a @ b @ v, (A, B, V)), (lambda m: np.einsum("ij,jk,kl->il", m, m, m), (M,))):
        native = tracefn.function(f, jit="now")
        np.testing.assert_allclose(native(*args), f(*args), rtol=1e-9, atol=1e-9)
        concrete = native.concrete_functions[0]
        assert concrete.plan == "native" and "kernel" not in concrete.native_program
    kept = tracefn.function(lambda a, b: a @ b, jit="now")
    kept(A, B)
    assert kept.concrete_functions[0].plan == "numpy"
