"""Lists and deques from outside that grow take a trace for each path, and not one for each length."""

import collections

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree

CALLS = 40


class Log:
    def __init__(self):
        self.log, self.total = [], 0.0
        self.window, self.bounded = collections.deque(), collections.deque(maxlen=5)


def length(self, x):
    self.log.append(x.mean())
    return len(self.log)


def last(self, x):
    before = self.log[-1] if self.log else 0.0
    self.log.append(x.mean())
    return x.mean() - before


def first(self, x):
    self.log.append(x.mean())
    return x - self.log[0]


def last_two(self, x):
    self.log.append(x.mean())
    return self.log[-1] - self.log[-2] if len(self.log) >= 2 else 0.0


def mean(self, x):
    self.log.append(x.mean())
    self.total += x.mean()
    return self.total / len(self.log)


def bounded_by_pop(self, x):
    self.log.append(x.mean())
    if len(self.log) > 10:
        self.log.pop(0)
    return self.log[-1], self.log[0]


def bounded_by_del(self, x):
    self.log.append(x.mean())
    while len(self.log) > 10:
        del self.log[0]
    return len(self.log)


def oldest(self, x):
    self.window.append(x)
    if len(self.window) > 10:
        return self.window.popleft() - x
    return self.window[0]


def every_tenth(self, x):
    self.log.append(x.mean())
    return x * 2 if len(self.log) % 10 == 0 else x


def by_computed_index(self, x):
    self.log.append(x.mean())
    n = len(self.log)
    return self.log[n - 1], 0.9**n, str(n), x[n % 3]


def flush(self, x):
    self.log.append(x.mean())
    if not len(self.log) < 5:
        found = sum(self.log)
        self.log.clear()
        return found
    return len(self.log)


def entries(self, x):
    self.log.append({"step": len(self.log), "loss": x.mean()})
    return self.log[-1]["loss"]


def last_three(self, x):
    self.log.append(x.mean())
    return sum(self.log[-3:])


def full_window(self, x):
    self.bounded.append(x.mean())
    return self.bounded[0], len(self.bounded), sum(self.bounded) / len(self.bounded)


def above_the_last(self, x):
    if not self.log or x.mean() > self.log[-1]:
        self.log.append(x.mean())
    return x.mean()


def both_ends(self, x):
    self.log.append(x.mean())
    self.log.extend([x.max(), x.sum()])
    taken = self.log.pop()
    if len(self.log) > 7 and self.log:
        self.log.pop(0)
        self.log.pop(-1)
    return taken, self.log[-2], self.log[0], bool(self.log)


def first_of_an_iterator(self, x):
    self.log.append(x.mean())
    return next(iter(self.log))


IDIOMS = {
    length: 1, last: 2, first: 2, last_two: 2, mean: 2, bounded_by_pop: 3, bounded_by_del: 2, oldest: 3, every_tenth: 2,
    by_computed_index: 1, flush: 3, entries: 1, last_three: 3, full_window: 7, above_the_last: 2, both_ends: 5,
    first_of_an_iterator: CALLS,
}  # fmt: skip
"""The most traces for 40 calls."""

history = []
queue = collections.deque()


def length_of_global(x):
    history.append(x.mean())
    return len(history)


def last_of_global(x):
    history.append(x.mean())
    return history[-1] - history[-2] if len(history) > 1 else 0.0


def bounded_global(x):
    queue.append(x)
    if len(queue) > 4:
        queue.popleft()
    return queue[-1] + queue[0]


def used_by_lambda(x):
    newest = lambda: history[-1] + len(history)  # noqa: E731
    history.append(x.sum())
    return newest()


OF_NAMES = {length_of_global: 1, last_of_global: 2, bounded_global: 3, used_by_lambda: 1}


def arrays():
    return [np.random.default_rng(seed).random(3) for seed in range(CALLS)]


def told(value):
    """A value with the types of all that is in it."""
    if isinstance(value, dict):
        return {key: told(v) for key, v in value.items()}
    if isinstance(value, list | tuple | collections.deque):
        return [type(value), *map(told, value)]
    return (type(value), value.tolist() if isinstance(value, np.ndarray | np.generic) else value)


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("method", IDIOMS)
def test_methods(method, mode):
    with tracefn.config.jit(mode):
        traced, mine, theirs = tracefn.function(method, on_unsupported="error"), Log(), Log()
        for x in arrays():
            assert told(traced(mine, x)) == told(method(theirs, x))
            assert told(vars(mine)) == told(vars(theirs))
    assert traced.tracing_count <= IDIOMS[method]


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("function", OF_NAMES)
def test_names(function, mode):
    with tracefn.config.jit(mode):
        traced, found = tracefn.function(function, on_unsupported="error"), []
        for run in (traced, function):
            history.clear()
            queue.clear()
            found.append([(told(run(x)), told(history), told(queue)) for x in arrays()])
    assert found[0] == found[1]
    assert traced.tracing_count <= OF_NAMES[function]


def test_variable_of_an_outer_function():
    log = []

    @tracefn.function
    def step(x):
        log.append(x.sum())
        return log[-1] * len(log)

    assert [float(step(np.ones(2))) for _ in range(CALLS)] == [2.0 * n for n in range(1, CALLS + 1)]
    assert step.tracing_count == 1


def test_changes_from_outside_are_seen():
    log = [1.0]

    @tracefn.function(on_unsupported="eager")
    def step(x):
        log.append(x)
        return len(log), log[0], log[-2]

    assert step(np.float64(2)) == (2, 1.0, 1.0)
    log[:] = [5, 6.0, 7.0]
    assert step(np.float64(3)) == (4, 5, 7.0)
    assert type(step(np.float64(3))[1]) is int
    log.clear()
    with pytest.raises(IndexError):
        step(np.float64(1))
    assert log == [1.0]


def test_items_of_another_kind():
    log = [1.0]

    @tracefn.function
    def step(x):
        found = log[-1]
        log.append(x)
        return found

    given = [np.float64(2), np.ones(3), np.ones((2, 2)), np.int32(3), 4, "five", None, np.float64(6)]
    assert [told(step(x)) for x in given] == [told(v) for v in [1.0, *given[:-1]]]


def test_bounds():
    from tracefn.trace.state.lengths import LENGTH, Bounds

    for comparison in ("==", "!=", "<", "<=", ">", ">="):
        for difference in (LENGTH - 3, 3 - LENGTH, LENGTH, -LENGTH, LENGTH % 4 - 1, 2 * LENGTH - 5):
            for n in range(9):
                asked = eval(f"{difference.value({'n': n})} {comparison} 0")
                bounds = Bounds().with_answer(comparison, difference, asked)
                for length in range(9):
                    answer = eval(f"{difference.value({'n': length})} {comparison} 0")
                    assert bounds.holds(length) is (answer is asked), (comparison, difference, n, length)
                    assert eval(bounds.source("length")) is (answer is asked)


def test_an_object_of_the_trace_may_keep_others_in_a_list():
    class Stump:
        def __init__(self):
            self.value = None

        def fit(self, y):
            self.value = y.mean()
            return self

    class Boosting:
        def __init__(self):
            self.stumps, self.scores = [], []

        def fit(self, y):
            for _ in range(4):
                stump = Stump().fit(y)
                self.stumps.append(stump)
                y = y - 0.3 * stump.value
                self.scores.append((y**2).mean())
            return self

    def train(y):
        model = Boosting().fit(y)
        return model.scores, [stump.value for stump in model.stumps]

    assert_all_agree(train, (np.arange(3.0),), (np.arange(3.0) ** 2,))


WHOLE = {
    "sum": lambda held: sum(held) / len(held),
    "max": lambda held: (max(held), min(held, default=None)),
    "any": lambda held: (any(held), all(held)),
    "array": lambda held: np.array(held) * 2,
    "mean": lambda held: (np.mean(held), np.diff(held), np.asarray(held)[-2:]),
}
"""Uses of all numbers in a container."""

NUMBERS = {
    "int": lambda x: int(x[0] * 9), "float": lambda x: float(x[0]), "float64": lambda x: x.mean(),
    "float32": lambda x: x.astype(np.float32)[0], "bool": lambda x: bool(x[0] > 0.5),
    "complex": lambda x: complex(x[0]),
}  # fmt: skip


@pytest.mark.parametrize("use", WHOLE)
@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_all_lengths(kind, use):
    if kind == "complex" and use == "max":
        pytest.skip("complex numbers have no order")

    def step(self, x):
        self.log.append(NUMBERS[kind](x))
        self.bounded.append(NUMBERS[kind](x))
        if len(self.log) > 5:
            del self.log[0]
        return WHOLE[use](self.bounded), WHOLE[use](self.log)

    traced, mine, theirs = tracefn.function(step, on_unsupported="error"), Log(), Log()
    with tracefn.config.jit("off"):
        for x in arrays()[:12]:
            assert told(traced(mine, x)) == told(step(theirs, x))
            assert told(vars(mine)) == told(vars(theirs))
    assert traced.tracing_count <= 5, traced.explain()  # empty, with room in both, and without in each


def test_numbers_beside_a_change_at_a_traced_key():
    def step(self, x):
        self.counts["high" if x.max() > 0.9 else "low"] += 1
        self.log.append(float(x[0]))
        return max(self.log), x.sum()

    mine, theirs = Log(), Log()
    mine.counts, theirs.counts = collections.Counter(), collections.Counter()
    traced = tracefn.function(step, on_unsupported="error")
    for x in arrays()[:6]:
        assert told(traced(mine, x)) == told(step(theirs, x))
    assert mine.counts == theirs.counts and traced.tracing_count == 2
