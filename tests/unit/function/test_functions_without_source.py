"""Functions whose source cannot be read: they are traced as they are written, and errors say that this is why."""

import warnings

import numpy as np
import pytest
import tracefn
from tracefn.errors import AutographWarning, FallbackWarning, TensorBoolError

X = np.ones(2)


def made(source, name="f"):
    namespace = {"np": np}
    exec(source, namespace)
    return namespace[name]


BRANCH = "def f(x):\n    if x.sum() > 1: return x * 2\n    return -x"


def test_the_error_and_a_warning_say_that_there_is_no_source():
    f = tracefn.function(made(BRANCH), on_unsupported="error")
    with pytest.warns(AutographWarning, match="source cannot be read"):
        with pytest.raises(TensorBoolError, match="did not rewrite `f`: its source cannot be read"):
            f(X)


def test_they_run_eagerly_and_say_why():
    f = tracefn.function(made(BRANCH), on_unsupported="eager")
    with pytest.warns(FallbackWarning, match="source cannot be read") as told:
        assert f(X).tolist() == [2, 2] and f(-X).tolist() == [1, 1]
    assert len(told) == 1


def test_a_function_without_branches_is_a_graph():
    f = tracefn.function(made("def f(x):\n    y = x * 2\n    return y.sum() + np.mean(x)"), on_unsupported="error")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(X) == 5 and f(X * 2) == 10


def test_an_inner_function_without_source():
    inner = made(BRANCH)
    f = tracefn.function(lambda x: inner(x) + 1, on_unsupported="eager")
    with pytest.warns(FallbackWarning):
        assert f(X).tolist() == [3, 3] and f(-X).tolist() == [2, 2]
