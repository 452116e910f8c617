"""Functions whose source cannot be read: they are traced as they are written, and errors say that this is why."""

import collections
import dataclasses
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


@dataclasses.dataclass
class Seen:
    scale: float
    sums: list = dataclasses.field(default_factory=list)


def test_branches_on_an_identity_are_no_reason_to_warn():
    @tracefn.function(on_unsupported="error")
    def f(x):
        seen = Seen(x.mean())
        seen.sums.append(x.sum())
        return sum(seen.sums) * seen.scale

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(X) == 2


def test_an_inner_function_without_source():
    inner = made(BRANCH)
    f = tracefn.function(lambda x: inner(x) + 1, on_unsupported="eager")
    with pytest.warns(FallbackWarning):
        assert f(X).tolist() == [3, 3] and f(-X).tolist() == [2, 2]


STATEFUL = """
import collections, itertools, random
class Model:
    def __init__(self):
        self.n, self.items, self.it, self.log = 0, {"a": 1.0}, iter(range(100)), collections.deque([1.0, 2.0, 3.0, 4.0])
        self.cycle, self.random, self.flag = itertools.cycle([1.0, 2.0]), random.Random(3), False
    def count(self, x): self.n += 1; return x * self.n
    def next_one(self, x): return x * next(self.it)
    def by_method(self, x): return x * self.it.__next__()
    def cycled(self, x): return x * next(self.cycle)
    def item(self, x): self.items["a"] += 1; return x * self.items["a"]
    def popped(self, x): return x * self.log.popleft()
    def drawn(self, x): return x * self.random.random()
    def summed(self, x): return x * sum(itertools.islice(self.it, 2))
    def set_by_name(self, x): setattr(self, "n", self.n + 1); return x * self.n
    def of_a_helper(self, x): return x * helper()
    def once(self, x):
        if not self.flag: self.w = np.zeros(2); self.flag = True
        self.w = self.w + x; return self.w
    def looped(self, x):
        for v in self.it:
            if v > 2: break
        return x * v
counter = itertools.count()
def helper(): return next(counter)
def of_an_iterator(it, x): return x * next(it)
def drawn(x): return x * np.random.random()
"""
METHODS = "count next_one by_method cycled item popped drawn summed set_by_name of_a_helper once looped".split()


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning", "ignore::tracefn.errors.AutographWarning")
@pytest.mark.parametrize("name", METHODS)
def test_their_state_is_that_of_eager_code(name):
    plain, traced = made(STATEFUL, "Model"), made(STATEFUL, "Model")
    setattr(traced, name, tracefn.function(vars(traced)[name], on_unsupported="eager"))
    one, other = plain(), traced()
    for _ in range(4):
        np.testing.assert_array_equal(getattr(one, name)(X), getattr(other, name)(X))


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning", "ignore::tracefn.errors.AutographWarning")
def test_what_they_are_given_and_draw_is_that_of_eager_code():
    given = tracefn.function(made(STATEFUL, "of_an_iterator"), on_unsupported="eager")
    it = iter(range(5))
    assert [given(it, X)[0] for _ in range(3)] == [0, 1, 2]
    drawn = tracefn.function(made(STATEFUL, "drawn"), on_unsupported="eager")
    assert len({float(drawn(X)[0]) for _ in range(4)}) == 4
    helper = made(STATEFUL, "helper")
    around = tracefn.function(lambda x: x * helper(), on_unsupported="eager")
    assert [around(X)[0] for _ in range(3)] == [0, 1, 2]


WITHOUT_A_MODULE = """
class Layer:
    rate = 0.5
    def __init__(self): self.w = np.ones(2)
    def step(self, x):
        self.w = self.w - self.rate * x
        return helper(self.w)

class Bad(Exception): pass
Pair = collections.namedtuple("Pair", "first second")
def helper(x): return np.tanh(x) + 1
def f(x):
    layer = Layer()
    try:
        if len(x) == 9: raise Bad
    except Bad: pass
    return Pair(layer.step(x), layer.w)
"""


@pytest.mark.parametrize("name", [None, "gone"])
def test_functions_and_classes_without_a_module_are_graphs(name, tmp_path):
    file = tmp_path / "code.py"
    file.write_text(WITHOUT_A_MODULE)
    namespace = {"np": np, "collections": collections, "__name__": name}
    exec(compile(WITHOUT_A_MODULE, file, "exec"), namespace)
    with tracefn.config.keep_traces(True):
        for function in (namespace["f"], namespace["helper"]):
            traced = tracefn.function(function, on_unsupported="error")
            np.testing.assert_array_equal(traced(X), function(X), strict=True)
            np.testing.assert_array_equal(traced(X), function(X), strict=True)
