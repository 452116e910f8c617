"""Calls of SciPy, pandas, scikit-learn, scikit-image, Pillow and the standard library: same as eager, call by call."""

import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.special
import tracefn
from sklearn import metrics
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF, Kernel, WhiteKernel
from sklearn.preprocessing import MinMaxScaler

from . import (
    callback_cases,
    harness,
    mixed_cases,
    object_cases,
    other_cases,
    package_cases,
    pandas_cases,
    practice_cases,
    program_cases,
    scipy_cases,
    sklearn_cases,
    standard_cases,
)

MODULES = (
    mixed_cases, program_cases, scipy_cases, pandas_cases, sklearn_cases, other_cases, practice_cases, object_cases,
    callback_cases, standard_cases, package_cases,
)  # fmt: skip


@pytest.mark.parametrize("case", harness.CASES, ids=lambda case: case.name)
def test_same_as_eager(case):
    eager, traced = harness.Run(case, traced=False), harness.Run(case, traced=True)
    assert harness.difference((eager.outcomes, eager.kept), (traced.outcomes, traced.kept)) == ""
    assert traced.is_graph == case.graph, traced.reasons


def test_there_are_many_cases():
    assert len(harness.CASES) >= 90 and len({c.name for c in harness.CASES}) == len(harness.CASES)


@pytest.mark.parametrize("make", [lambda: (n for n in range(4)), lambda: iter([0, 1, 5]), lambda: map(abs, [3, -4])])
def test_an_iterator_is_not_emptied_by_a_trace_that_comes_to_nothing(make):
    def f(x, iterator):
        total = pd.Series(iterator).sum()
        for i in x.nonzero()[0]:
            x = x + int(i)
        return (x + total).tolist(), list(iterator)

    traced = tracefn.function(f, on_unsupported="eager")
    for _ in range(2):
        assert traced(np.ones(3), make()) == f(np.ones(3), make())


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning", "ignore::tracefn.errors.RetraceWarning")
def test_tuples_that_an_estimator_keeps_are_those_it_was_given(monkeypatch):
    """By their identity `clone` tells whether a constructor keeps its parameters."""
    for cls, name in ((RBF, "__init__"), (WhiteKernel, "__init__"), (MinMaxScaler, "__init__"), (Kernel, "get_params")):
        monkeypatch.setattr(cls, name, tracefn.function(vars(cls)[name], on_unsupported="eager"))
    for i in range(3):
        bounds = (0.5, 2.0 + i)
        kernel = RBF(1.0, bounds)
        assert kernel.length_scale_bounds is bounds and kernel.get_params()["length_scale_bounds"] is bounds
        assert clone(kernel + WhiteKernel(0.1)).k1.get_params() == kernel.get_params()
        assert clone(MinMaxScaler(feature_range=(0, 5 + i))).feature_range == (0, 5 + i)


def put(kernel, bounds):
    kernel.length_scale_bounds = bounds


@pytest.mark.parametrize("make", [tuple, list], ids=["tuple", "list"])
@pytest.mark.parametrize(
    "keep",
    [
        lambda kernel, bounds: RBF(1.0, bounds),
        lambda kernel, bounds: kernel.set_params(length_scale_bounds=bounds),
        lambda kernel, bounds: put(kernel, bounds) or kernel,
        lambda kernel, bounds: RBF(1.0, (bounds, 2.0)[0]) + WhiteKernel(0.1),
    ],
    ids=["made", "changed", "set", "inside"],
)
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_an_object_keeps_the_container_of_each_call(keep, make):
    """Also where the earlier call was given an equal one."""
    traced, kernel = tracefn.function(keep, on_unsupported="eager"), RBF()
    for _ in range(3):
        bounds = make((1e-5, 1e5))
        kept = traced(kernel, bounds)
        assert getattr(kept, "k1", kept).length_scale_bounds is bounds


@pytest.mark.parametrize(
    "walk",
    [
        lambda x: [v * 2 for v in pd.Series(x)],
        lambda x: list(map(float, set(pd.Series(x).tolist()))),
        lambda x: [number * v for number, v in enumerate(pd.Series(x).tolist())],
    ],
    ids=["series", "set", "enumerate"],
)
def test_a_loop_over_more_items_than_a_graph_takes_says_so(walk):
    traced = tracefn.function(walk, on_unsupported="eager")
    with pytest.warns(tracefn.errors.FallbackWarning, match="was looped over, and has 70 items"):
        assert traced(np.arange(70.0)) == walk(np.arange(70.0))


def test_a_list_that_no_result_keeps_stays_in_the_graph():
    frame = pd.DataFrame({"a": [1, 1, 2], "b": [1.0, 2.0, 4.0]})
    traced = tracefn.function(lambda frame, keys: frame.groupby(keys).mean(), on_unsupported="error")
    for keys in (["a"], ["a"]):
        pd.testing.assert_frame_equal(traced(frame, keys), frame.groupby(keys).mean())


@dataclasses.dataclass(frozen=True)
class Found:
    statistic: float
    pvalue: float

    def __iter__(self):
        for name in ("statistic", "pvalue"):
            yield getattr(self, name)

    def __getitem__(self, number):
        return tuple(self)[number]


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_methods_of_a_dataclass_of_a_library_are_given_real_values(monkeypatch):
    """They are steps, which would keep what stands for an attribute."""
    monkeypatch.setattr(Found, "__module__", "sklearn.found")
    for name in ("__iter__", "__getitem__"):
        method = vars(Found)[name]
        monkeypatch.setattr(method, "__module__", "sklearn.found")
        monkeypatch.setattr(Found, name, tracefn.function(method, on_unsupported="eager"))
    for number in (1.0, 2.0):
        found = Found(np.float64(number), np.float64(0.5))
        assert type(found[0]) is np.float64 and found[0] == number
        assert [*found] == [number, 0.5]


def test_a_warning_that_filters_left_out_while_tracing_comes_when_they_let_it():
    def f(x):
        return x + metrics.precision_score([0, 1], [0, 0])

    traced = tracefn.function(f, on_unsupported="error")
    for action, count in (("ignore", 0), ("ignore", 0), ("always", 1), ("always", 1)):
        with warnings.catch_warnings(record=True, action=action) as shown:
            np.testing.assert_array_equal(traced(np.ones(2)), f(np.ones(2)))
        assert len(shown) == 2 * count  # ours and eager's
    assert traced.tracing_count == 1


def test_lists_of_numbers_before_a_step_are_constants():
    function = tracefn.function(lambda x: scipy.special.logsumexp(x * [1, 2, 3]))
    with tracefn.no_fallback():
        np.testing.assert_allclose(function(np.ones(3)), scipy.special.logsumexp([1, 2, 3]))
