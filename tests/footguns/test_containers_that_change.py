"""Lists, dicts and dataclasses among the arguments hold after a call what they hold without tracing."""

import collections
import cProfile
import dataclasses
import functools
import random
import sys
import types

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree
from tracefn.errors import InPlaceWriteError

X, W = np.arange(3.0), np.full(3, 2.0)


def replaced(x, params):
    params["w"] = params["w"] - 0.5 * x
    return params["w"].sum()


def running_averages(x, layer, mode):
    if mode == "train":
        layer["mean"] = 0.9 * layer["mean"] + 0.1 * x.mean()
        layer["seen"] += 1
    return x - layer["mean"]


def inner(x, nested):
    nested["layers"][1]["w"] = x * 2
    nested["layers"][0]["w"][0] = 7.0


def added(x, log):
    log["last"], log["all"] = x * 2, [x[0], "a text", {"x": x}]
    return log["last"]


def removed(x, log):
    return x + log.pop("w"), log.setdefault("n", 3), log.get("none")


def appended(x, losses):
    losses.append(x.mean())
    losses.append(np.array([4, 5]))
    return len(losses)


def swapped(arrays, numbers):
    arrays[0], arrays[-1] = arrays[-1], arrays[0]
    numbers.sort()
    numbers[0] += 10
    del numbers[-1]


def grown(x, history):
    history += [x, x + 1]
    history.insert(0, None)
    history.reverse()


def counted(words, counts):
    for word in words:
        counts[word] += 1
    return max(counts, key=counts.get)


def counted_anew(x, counts):
    counts.pop("a")
    counts["z"] = x.sum()


def in_a_branch(x, state):
    if x.sum() > 3:
        state["best"] = x.sum()
        state["step"] = state["step"] + 1
    return state["best"]


def in_a_loop(x, state):
    for v in x:
        state["total"] = state["total"] + v
    return state["total"] > 3


def written_and_replaced(x, state):
    state["a"][0] = 5.0
    state["b"] = state["a"]
    state["a"] = x[::-1]


@dataclasses.dataclass
class Ball:
    position: np.ndarray
    velocity: np.ndarray
    bounces: int = 0


def taken_and_put_back(x, held, best):
    held.pop()
    best.pop("k", None)
    if x.sum() > 3:
        held.append(x.mean())
        best["k"] = x.sum()
    return len(held), len(best)


def a_window(x, held):
    if x.sum() > 0:
        held.append(x[0])
    if len(held) > 2:
        del held[0]
    held.pop()


def the_last_two(x, held):
    if x.sum() > 0:
        held.pop()
    if len(held) > 3:
        if len(held) > 2:
            held[:] = held[-2:]


def moved(ball, dt):
    ball.position = ball.position + dt * ball.velocity
    ball.velocity[0] = -1.0
    ball.bounces += 1
    return ball.position


def of_arguments(*balls, **options):
    for ball in balls:
        ball.bounces += 1
    options["scale"] = options.get("scale", 1.0) * 2
    return balls[0].position * options.pop("scale"), len(options)


def remembered(x, seen=[]):  # noqa: B006
    seen.append(x.sum())
    return len(seen)


def ball():
    return Ball(np.zeros(2), np.ones(2))


@pytest.mark.filterwarnings("ignore::tracefn.errors.RetraceWarning")
@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize(
    ("function", "make"),
    [
        (replaced, lambda: (X, {"w": W, "b": X})),
        (running_averages, lambda: (X, {"mean": np.float64(1), "seen": 0}, "train")),
        (running_averages, lambda: (X, {"mean": np.float64(1), "seen": 0}, "test")),
        (inner, lambda: (X, {"layers": [{"w": W.copy()}, {"w": W}], "n": 3})),
        (added, lambda: (X, {"z": 1, "last": X})),
        (removed, lambda: (X, {"w": W, "v": X})),
        (appended, lambda: (X, [])),
        (appended, lambda: (X, ["first"])),
        (swapped, lambda: ([X, W, X + 1], [3, 1, 2])),
        (grown, lambda: (X, [W])),
        (counted, lambda: (["a", "b", "a"], collections.defaultdict(int))),
        (counted_anew, lambda: (X, collections.Counter("aab"))),
        (in_a_branch, lambda: (X + 1, {"best": np.float64(0), "step": np.int64(0)})),
        (in_a_branch, lambda: (X - 1, {"best": np.float64(0), "step": np.int64(0)})),
        (in_a_loop, lambda: (np.arange(50.0), {"total": np.float64(0)})),
        (written_and_replaced, lambda: (X, {"a": W.copy()})),
        (taken_and_put_back, lambda: (X + 1, [5.0], {"k": 1, "z": 2})),
        (taken_and_put_back, lambda: (X - 1, [5.0], {"k": 1, "z": 2})),
        (a_window, lambda: (X, [7.0, np.float64(8)])),
        (a_window, lambda: (-X, [7.0, np.float64(8)])),
        (the_last_two, lambda: (-X, [7.0, np.float64(8), 5.5, 6.5])),
        (moved, lambda: (ball(), 0.5)),
        (of_arguments, lambda: (ball(), ball())),
    ],
)
def test_as_eager(function, make, mode):
    traced = assert_all_agree(function, jit=mode)
    for _ in range(4):
        mine, theirs = make(), make()
        assert_same_call(traced(*mine), function(*theirs), mine, theirs)
    assert traced.tracing_count == 1


def assert_same_call(result, expected, mine, theirs):
    assert repr((result, vars_of(mine))) == repr((expected, vars_of(theirs)))


def vars_of(args):
    return [dict(vars(a)) if dataclasses.is_dataclass(a) else a for a in args]


def test_call_after_call():
    traced, state = tracefn.function(replaced), {"w": W, "b": X}
    before, w = state, W
    for _ in range(3):
        w = w - 0.5 * X
        assert traced(X, state) == w.sum()
        assert state is before and (state["w"] == w).all() and state["b"] is X and list(state) == ["w", "b"]
    assert traced.tracing_count == 1


def test_default():
    def other(x, seen=[]):  # noqa: B006
        seen.append(x.sum())
        return len(seen)

    traced = tracefn.function(other)
    assert [traced(X) for _ in range(3)] == [1, 2, 3] == [remembered(X) for _ in range(3)]


def test_an_error_leaves_items_as_eager_code_does():
    @tracefn.function
    def failing(x, state):
        state["w"] = x
        return np.linalg.inv(x.reshape(2, 2))

    state, x = {"w": None}, np.ones(4)
    with pytest.raises(np.linalg.LinAlgError):
        failing(x, state)
    assert state["w"] is x


def test_one_container_twice():
    @tracefn.function
    def both(a, b):
        a["x"] = a["x"] + 1
        return a["x"] + b["x"]

    assert both({"x": X}, {"x": X}).tolist() == [1, 3, 5]
    state = {"x": X}
    with pytest.raises(InPlaceWriteError, match="`a`, which the function changes, is among the arguments more"):
        both(state, state)
    assert state["x"] is X


def test_container_put_elsewhere():
    @tracefn.function
    def moves(a, b):
        b["a"] = [a]

    for _ in range(2):
        a, b = {"x": X}, {}
        moves(a, b)
        assert b["a"][0] is a

    @tracefn.function
    def cycles(a):
        a["a"] = a

    for _ in range(2):
        a = {"x": 1}
        cycles(a)
        assert list(a) == ["x", "a"] and a["a"] is a


def test_a_default_factory_that_is_replaced():
    held = collections.defaultdict(lambda: 7.0)
    f = tracefn.function(lambda x: x + held["missing"])
    for value in (7.0, 8.0, 9.0):
        for _ in range(3):
            held.clear()
            np.testing.assert_array_equal(f(np.ones(2)), np.ones(2) + value)
        held.default_factory = lambda value=value: value + 1


class Pushed(list):
    __lshift__ = list.append
    __neg__ = list.pop
    __contains__ = __getitem__ = __call__ = __iadd__ = list.append
    __rshift__ = list.__iadd__


def in_place(o, v):
    o += v
    return o


@pytest.mark.parametrize(
    "use",
    [
        lambda o, v: o << v,
        lambda o, v: o << [v, 1.0],
        lambda o, v: -o,
        lambda o, v: v in o,
        lambda o, v: o[v],
        lambda o, v: o(v),
        lambda o, v: len(o >> [v]),
        in_place,
    ],
)
@pytest.mark.usefixtures("falls_back")
def test_an_operator_that_is_a_method_in_c_happens_once(use):
    mine, theirs = Pushed([1.0, 2.0, 3.0, 4.0]), Pushed([1.0, 2.0, 3.0, 4.0])
    traced = tracefn.function(use)
    for v in (0.0, 1.0, 5.0):
        assert traced(mine, np.float64(v)) == use(theirs, np.float64(v))
        assert list(mine) == list(theirs)
        assert list(map(type, mine)) == list(map(type, theirs))


def extended_by_a_queue(o, v):
    o.queue.append(v)
    o.found.extend(o.queue)
    o.queue.popleft()


def extended_by_a_full_queue(o, v):
    o.full.append(v)
    o.found.extend(o.full)


def updated_by_a_dict(o, v):
    o.table["a"] = v
    o.all.update(o.table)
    o.table["b"] = o.table["a"] + 1


@pytest.mark.parametrize("use", [extended_by_a_queue, extended_by_a_full_queue, updated_by_a_dict])
def test_a_container_takes_the_items_that_another_has_at_each_call(use):
    class Held:
        def __init__(self):
            self.queue = collections.deque([1.0, 2.0])
            self.full = collections.deque([1.0, 2.0, 3.0], maxlen=3)
            self.table, self.found, self.all = {"a": 1.0, "b": 2.0}, [], {}

    mine, theirs, traced = Held(), Held(), tracefn.function(use)
    for v in range(10, 16):
        traced(mine, np.float64(v))
        use(theirs, np.float64(v))
        assert vars(mine) == vars(theirs)


def _telling(base, *names):
    """A class of containers that notes which of its methods are called."""
    told = []

    def method(name):
        def call(self, *args):
            told.append(name)
            return getattr(base, name)(self, *args)

        return call

    return type(f"Telling{base.__name__}", (base,), {**{name: method(name) for name in names}, "told": told})


def _moved(held, x):
    held.move_to_end("a")
    return x * held["a"]


def _reversed(held, x):
    held.reverse()
    return x * held[0]


def _sorted(held, x):
    held.sort(reverse=True)
    return x * held[0]


def _rotated(held, x):
    held.rotate(1)
    return x * held[0]


def _toggled(held, x):
    held.symmetric_difference_update([1, 5])
    return x * len(held)


@pytest.mark.parametrize(
    ("base", "names", "content", "change"),
    [
        (collections.OrderedDict, ("__setitem__", "update", "clear"), {"a": 1.0, "b": 2.0}, _moved),
        (list, ("__setitem__", "extend", "clear"), [1.0, 3.0, 2.0], _reversed),
        (list, ("__setitem__", "extend", "clear"), [1.0, 3.0, 2.0], _sorted),
        (collections.deque, ("extend", "clear"), [1.0, 3.0, 2.0], _rotated),
        (set, ("add", "update", "clear"), {1, 2}, _toggled),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_methods_that_the_code_has_not_called_are_not_called(base, names, content, change):
    """Changes of a container are taken back, and made at each call, by Python's own methods."""
    results = []
    for function in (change, tracefn.function(change)):
        cls = _telling(base, *names)
        held = cls(content)
        cls.told.clear()
        for number in (1.0, 2.0, 3.0):
            results.append(repr((function(held, np.float64(number)), list(held), cls.told)))
    assert results[3:] == results[:3]


@pytest.mark.parametrize("runner", [None, cProfile.__file__], ids=["none", "cProfile"])
@pytest.mark.usefixtures("falls_back")
def test_a_length_with_effects_is_asked_as_often_as_by_eager_code(runner, monkeypatch):
    """Also in scripts that another program runs: `__main__` has its file (`python -m cProfile script.py`)."""
    monkeypatch.setattr(sys.modules["__main__"], "__file__", runner, raising=False)

    class Log(list):
        __module__ = "__main__"
        asked = 0

        def append(self, item):
            self.asked += 1
            super().append(item)

        def __len__(self):
            self.asked += 10
            return super().__len__()

    def step(log, x):
        log.append(x)
        return x * len(log)

    results = []
    for decorate in (lambda f: f, tracefn.function):
        log = Log()
        function = decorate(lambda x, log=log: step(log, x))
        results.append([(function(float(k)), log.asked) for k in range(5)])
    assert results[1] == results[0]


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_a_default_that_is_drawn_is_drawn_once():
    def step(held, x, noted):
        noted.append(held[int(x)])
        vars(step)["last"] = memoryview(bytearray(3))
        return noted[-1] * x

    results = []
    for function in (step, tracefn.function(step, on_unsupported="eager")):
        held = collections.defaultdict(functools.partial(random.Random(0).gauss, 0, 1))
        results.append([function(held, x, []) for x in (1.0, 2.0, 1.0)])
    assert results[1] == results[0]


class _Zeros(collections.defaultdict):
    def __init__(self, content):
        super().__init__(float, content)


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_a_missing_key_is_set_once_by_the_method_of_its_class():
    def change(held, x):
        return x * held["a"] + held["b"]

    results = []
    for function in (change, tracefn.function(change, on_unsupported="eager")):
        cls = _telling(_Zeros, "__setitem__")
        held = cls({"a": 1.0})
        for number in (1.0, 2.0, 3.0):
            results.append(repr((function(held, np.float64(number)), dict(held), cls.told)))
    assert results[3:] == results[:3]


def test_a_missing_count_is_read_behind_an_update():
    kept = types.SimpleNamespace(counts=collections.Counter("ab"))

    @tracefn.function(on_unsupported="error")
    def count(x):
        kept.counts.update(["c"])
        kept.counts["d"] += 1
        return x * kept.counts["e"]

    for k in range(1, 4):
        np.testing.assert_array_equal(count(np.ones(2)), np.full(2, k - 1.0))
        assert kept.counts == collections.Counter(a=1, b=1, c=k, d=k, e=k - 1)
        kept.counts["e"] += 1
