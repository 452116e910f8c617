"""What raises raises, also where nothing uses its result: `check = np.linalg.inv(a)`."""

import linecache

import numpy as np
import pytest
import tracefn

NAN = np.full((2, 2), np.nan)
LENGTHS = np.int64(2), np.int64(-3)
STEPS = np.int64(1), np.int64(0)
CASES = {
    "np.maximum(None if a > 0 else 1, np.ones(2))": (-1, 1),
    "np.dot(a, a, out=np.empty((2, 2)))": (np.eye(2), np.eye(2, dtype=int)),
    "np.take(np.arange(3), a, out=np.empty(1, int))": (np.array([1]), np.array([9])),
    "np.linalg.inv(a)": (np.eye(2), np.zeros((2, 2))),
    "np.linalg.norm(a, 2)": (np.eye(2), NAN),
    "np.linalg.matrix_norm(a, ord='nuc')": (np.eye(2), NAN),
    "np.linalg.matrix_rank(a)": (np.eye(2), NAN),
    "np.polyfit(a, a, 1)": (np.arange(3.0), np.full(3, np.nan)),
    "np.histogram2d(a, a)": (np.arange(3.0), np.full(3, np.inf)),
    "np.histogram_bin_edges(a)": (np.arange(3.0), np.full(3, np.inf)),
    "np.add.reduceat(np.arange(3), a)": (np.array([1]), np.array([9])),
    **{f"np.{call}": LENGTHS for call in ("zeros(a)", "ones((a, 2))", "full((2, a), 3)", "eye(2, a)", "identity(a)")},
    **{f"np.{call}": LENGTHS for call in ("linspace(0, 1, a)", "logspace(0, 1, a)", "indices((a, 2))")},
    "np.fft.fftfreq(a)": LENGTHS,
    "np.arange(0, 5, a)": STEPS,
    "np.arange(a)": (np.float64(1), np.float64(np.nan)),
    "np.arange(9)[::a]": STEPS,
    "[1, 2][int(a)]": (np.int64(1), np.int64(9)),
    "np.uint8(int(a))": LENGTHS,
    "2.0 ** float(a)": (np.float64(1), np.float64(1e9)),
    "float(a) ** 500": (np.float64(1), np.float64(1e9)),
    "'%d' % a": (np.float64(1), np.float64(np.nan)),
    "f'{a}' * a": (np.int64(2), np.float64(2)),
    "f'{a}.0'[a]": (np.int64(2), np.float64(2)),
}


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("expression", CASES)
def test_raises_as_plain(expression):
    source, file = f"def check(a):\n    {expression}\n    return a\n", f"<unused {expression}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"np": np}
    exec(compile(source, file, "exec"), names)
    traced = tracefn.function(names["check"])
    fine, wrong = CASES[expression]
    for _ in range(2):
        assert traced(fine) is fine
        with pytest.raises(Exception) as plain:
            names["check"](wrong)
        with pytest.raises(plain.type):
            traced(wrong)


def test_a_result_that_cannot_raise_is_left_out():
    @tracefn.function
    def f(x, n):
        np.exp(x), np.zeros(3), [1, 2][1], np.arange(n), np.float64(n) ** 2  # nothing of it is needed
        return x + 1

    f(np.ones(2), np.int64(3))
    assert [n.op.name for n in f.concrete_functions[0].graph.nodes if not n.is_leaf] == ["add"]
