"""Functions of which the values decide whether they give real or complex numbers: in one trace, what NumPy gives."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree, outcome
from tracefn.errors import ControlFlowError

rng = np.random.default_rng(0)
ANY = rng.random((4, 4))
MATRICES = [ANY + ANY.T, ANY, np.array([[0.0, -1], [1, 0]]), np.eye(2), (ANY + ANY.T).astype(np.float32)]
MATRICES += [np.array([[0, -1], [1, 0]]), ANY + 1j, np.stack([np.eye(2), ANY[:2, :2] - 1]), np.ones((2, 3))]


def values_alone(a):
    return np.linalg.eigvals(a)


def both(a):
    values, vectors = np.linalg.eig(a)
    return values, vectors


def what_is_done_with_them(a):
    values, vectors = np.linalg.eig(a)
    order = np.argsort(np.abs(values))[::-1]
    return values[order], vectors[..., order], np.abs(values).max(), values.real, values.imag, len(values), values.shape


def put_together_again(a):
    values, vectors = np.linalg.eig(a)
    return vectors @ np.diag(values) @ np.linalg.inv(vectors), np.iscomplexobj(values), values.dtype, values * 2 + 1


def stability(a):
    return "stable" if np.all(np.linalg.eigvals(a).real < 0) else "unstable"


def real_ones(a):
    values = np.linalg.eigvals(a)
    values = values[np.isreal(values)].real
    return values.min() if len(values) else None


def one_by_one(a):
    values, total = np.linalg.eigvals(a), 0.0
    for value in values:
        total += abs(value)
    return total, np.prod(values), np.allclose(values.sum(), np.trace(a)), [v for v in values]  # noqa: C416


@pytest.mark.filterwarnings("ignore::tracefn.errors.RetraceWarning")
@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize(
    "function",
    [values_alone, both, what_is_done_with_them, put_together_again, stability, real_ones, one_by_one],
)
def test_eigenvalues(function, mode):
    traced = tracefn.function(function, jit=mode, precise=True)
    for matrix in MATRICES:
        theirs, mine = outcome(function, [matrix]), outcome(traced, [matrix])
        assert theirs[0] == mine[0]
        assert repr(theirs[1]) == repr(mine[1]) or theirs[0] != "returned"


def test_one_trace_for_real_and_complex_eigenvalues():
    traced = assert_all_agree(values_alone, (np.eye(2),), (MATRICES[2],), (np.eye(2),))
    assert traced.tracing_count == 1


X = np.array([0.25, 0.5, 0.0])


@pytest.mark.filterwarnings("ignore::tracefn.errors.RetraceWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"])
def test_emath(name):
    function = getattr(np.emath, name)
    calls = [(X + 0.5,), (-X,), (4 * X,), (X[0],), (-X[0],), (X.astype(np.float32),), ((8 * X).astype(np.int8),)]
    assert_all_agree(lambda x: (function(x), np.abs(function(x))), *calls, ((-8 * X).astype(np.int8),), (X + 1j,))


OF_TWO = {
    "power by a root": lambda x: np.emath.power(x, 0.5),
    "power by a negative integer": lambda x: np.emath.power(x, -2),
    "power by itself": lambda x: np.emath.power(x, abs(x)),
    "power of a negative number": lambda x: np.emath.power(-3, x),
    "logarithm": lambda x: np.emath.logn(2, x),
    "logarithm to the base": lambda x: np.emath.logn(x, 3.0),
    "no imaginary part": lambda x: np.real_if_close(x + 1e-15j * x),
    "hardly one": lambda x: np.real_if_close(x + (x > 1) * 1e-4j, tol=1e-3),
}


@pytest.mark.filterwarnings("ignore::tracefn.errors.RetraceWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("function", OF_TWO.values(), ids=OF_TWO)
def test_of_two_arguments(function):
    calls = [(X + 0.5,), (-X,), (4 * X,), (X[0],), (-X[0],), (4 * X.astype(np.float32) + 1,), (X + 1j,)]
    assert_all_agree(lambda x: (function(x), np.abs(function(x))), *calls)


@pytest.mark.parametrize("mode", ["off", "now"])
def test_roots(mode):
    def of_a_filter(p):
        found = np.roots(p)
        return (
            found,
            np.abs(found).max() if len(found) else 0.0,
            np.sort(found.real),
            np.all(found.real < 0),
        )

    coefficients = [[1.0, 0, -1], [1, 0, 1], [0, 0, 1, -3, 2, 0, 0], [1, 2, 3, 4], [0.5, 1, -2, 5]]
    traced = tracefn.function(of_a_filter, reduce_retracing=True, jit=mode, precise=True)
    for p in [np.array(p, float) for p in coefficients]:
        assert repr(traced(p)) == repr(of_a_filter(p))
    assert_all_agree(np.roots, (np.zeros(3),), (np.array([1, 2, 1 + 1j]),), (np.array([1, -3, 2]),), (np.array([2.0]),))
    with pytest.raises(ValueError, match="rank-1"):
        tracefn.function(lambda p: np.roots(p))(np.ones((2, 2)))


def test_what_is_given_to_a_function_that_cannot_choose_is_refused():
    with pytest.raises(ControlFlowError, match="as a traced value decides"):
        tracefn.function(lambda a: tracefn.map_fn(lambda m: np.emath.sqrt(m), a))(np.ones((2, 3)))
