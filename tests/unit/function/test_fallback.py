"""Calls that run eagerly: how they are found, counted and timed, when they are traced again, what is no fallback."""

import random
import sys
import warnings

import numpy as np
import pytest
import tracefn
from scipy import signal
from tracefn.errors import FallbackWarning, UnsupportedFunctionError
from tracefn.function.fallback.reasons import MAX_ATTEMPTS

pytestmark = pytest.mark.usefixtures("falls_back")


def refused(x, y):
    x.setflags(write=True)
    return x + y


X, Y = np.ones(3), np.arange(3.0)


def test_a_call_that_cannot_be_traced_gives_the_eager_result_and_is_counted_and_timed():
    f = tracefn.function(refused)
    for _ in range(200):
        np.testing.assert_array_equal(f(X, Y), X + Y)
    (fallback,) = f.fallbacks
    assert fallback.calls == 200
    assert fallback.location.line == refused.__code__.co_firstlineno + 1
    assert fallback.spent_ns > 0 and fallback.trace_ns > 0
    assert f.concrete_functions == []


@pytest.mark.parametrize("calls", [1, 40, 200], ids=lambda n: f"after {n} calls")
def test_it_is_traced_again_when_an_attribute_is_of_a_supported_type(calls):
    class Scaled:
        def __init__(self, by):
            self.by = by

        @tracefn.function
        def __call__(self, x):
            return x * self.by

    by = Scaled(np.array([1, 2], object))
    x = np.ones(2)
    for _ in range(calls):
        assert by(x).dtype == object
    method = by.__call__.function
    by.by = np.array([3.0, 4.0])
    for _ in range(65):
        np.testing.assert_array_equal(by(x), [3.0, 4.0])
    assert len(method.concrete_functions) == 1
    assert [fallback.calls for fallback in method.fallbacks][0] <= calls + 64


def test_it_is_traced_again_when_a_global_is_another(monkeypatch):
    monkeypatch.setitem(globals(), "BY", np.array([1, 2], object))
    f = tracefn.function(lambda x: x * BY)  # noqa: F821
    x = np.ones(2)
    assert f(x).dtype == object
    monkeypatch.setitem(globals(), "BY", 2.0)
    np.testing.assert_array_equal(f(x), [2.0, 2.0])
    assert len(f.concrete_functions) == 1


def test_a_function_is_not_tried_again_and_again():
    state = {"n": 0}

    def f(x):
        x.setflags(write=True)
        return x * state["n"]

    traced = tracefn.function(f)
    for n in range(20):
        state["n"] = n
        np.testing.assert_array_equal(traced(X), X * n)
    assert sum(fallback.signature_text != "any" for fallback in traced.fallbacks) <= MAX_ATTEMPTS
    assert sum(fallback.calls for fallback in traced.fallbacks) == 20


def test_what_the_call_itself_changes_is_no_reason_to_try_again():
    class Counted:
        n = 0

        @tracefn.function
        def step(self, x):
            self.n = self.n + 1
            x.setflags(write=True)
            return x * self.n

    counted = Counted()
    for n in range(1, 10):
        np.testing.assert_array_equal(counted.step(X), X * n)
    assert [fallback.calls for fallback in Counted.step.fallbacks] == [9]


def test_graphs_come_before_what_runs_eagerly():
    state = {"checked": False}

    def f(x):
        if state["checked"]:
            x.setflags(write=True)
        return x * 2

    traced = tracefn.function(f)
    for checked in (False, True, False, False, True, False):
        state["checked"] = checked
        np.testing.assert_array_equal(traced(X), X * 2)
    assert [c.calls.count for c in traced.concrete_functions] == [4]
    assert sum(fallback.calls for fallback in traced.fallbacks) == 2


def test_signatures_fall_back_one_by_one():
    f = tracefn.function(lambda x: x * 2 if x.dtype == float else x.tobytes())
    assert f(np.arange(2)) == np.arange(2).tobytes()
    np.testing.assert_array_equal(f(X), X * 2)
    assert f(np.arange(2)) == np.arange(2).tobytes()
    np.testing.assert_array_equal(f(X), X * 2)
    assert [(b.signature_text, b.calls) for b in f.fallbacks] == [("x: int64[2]", 2)]
    assert [c.calls.count for c in f.concrete_functions] == [2]


@pytest.mark.parametrize("jit", ["off", "now"])
def test_parameters_may_have_the_names_of_what_the_checks_use(jit):
    def function(x, type, *, len=2, isinstance=(1, 2)):
        return x * len + isinstance[0]

    def falls_back(x, type, *, len=2, isinstance=(1, 2)):
        x.setflags(write=True)
        return function(x, type, len=len, isinstance=isinstance)

    for plain in (function, falls_back):
        f = tracefn.function(plain, jit=jit)
        for _ in range(3):
            for args, kwargs in [((X, "a"), {}), ((X,), {"type": "a", "len": 3}), ((X, "a"), {"isinstance": (3, 4)})]:
                np.testing.assert_array_equal(f(*args, **kwargs), plain(*args, **kwargs))


def test_signatures_that_take_turns_are_counted_one_by_one():
    f, arrays = tracefn.function(lambda x: x.tobytes()), [np.ones(2), np.ones((2, 2))]
    for _ in range(100):
        for x in arrays:
            assert f(x) == x.tobytes()
    assert [fallback.calls for fallback in f.fallbacks] == [100, 100]
    with pytest.raises(TypeError, match="argument"):
        f(X, X)


def test_one_signature_is_tried_again_and_the_other_runs_eagerly():
    class Scaled:
        by = np.array([1, 2], object)

        @tracefn.function
        def run(self, x):
            return x * self.by if x.ndim == 1 else x.tobytes()

    scaled, one, two = Scaled(), np.ones(2), np.ones((2, 2))
    for _ in range(40):
        assert scaled.run(one).dtype == object and scaled.run(two) == two.tobytes()
    scaled.by = np.ones(2)
    for _ in range(65):
        np.testing.assert_array_equal(scaled.run(one), one)
        assert scaled.run(two) == two.tobytes()
    assert len(scaled.run.concrete_functions) == 1
    assert sum(f.calls for f in scaled.run.fallbacks) + scaled.run.concrete_functions[0].calls.count == 210


def test_functions_of_any_number_of_arguments():
    def refused(first, *args, **kwargs):
        first.setflags(write=True)
        return first, args, kwargs

    f = tracefn.function(refused)
    calls = [((X,), {}), ((X, Y), {}), ((X,), {"a": Y}), ((X,), {"b": X, "a": Y}), ((X,), {"a": Y, "b": X})]
    for _ in range(30):
        for args, kwargs in calls:
            got, wanted = f(*args, **kwargs), refused(*args, **kwargs)
            assert got[0] is wanted[0] and list(got[2]) == list(wanted[2])
            assert all(a is b for a, b in zip(got[1], wanted[1], strict=True))
    assert sum(fallback.calls for fallback in f.fallbacks) == 150
    with pytest.raises(TypeError, match="first"):
        f()


def test_methods_of_all_kinds():
    class Kinds:
        __slots__ = ()

        @tracefn.function
        @classmethod
        def of_class(cls, x):
            x.setflags(write=True)
            return cls, x

        @tracefn.function
        @staticmethod
        def static(x):
            x.setflags(write=True)
            return x

        @tracefn.function
        def of_instance(self, x):
            x.setflags(write=True)
            return self, x

    class Open(Kinds):
        pass

    for _ in range(30):
        for cls in (Kinds, Open):
            owner = cls()
            for of_class in (owner.of_class(X), cls.of_class(X)):
                assert of_class[0] is cls and of_class[1] is X
            assert owner.static(X) is cls.static(X) is X
            of_instance = owner.of_instance(X)
            assert of_instance[0] is owner and of_instance[1] is X
    assert Kinds.of_class.__self__ is Kinds and Open.of_class.__self__ is Open
    assert Kinds.static is Open.static is Open().static is vars(Kinds)["static"]
    assert Kinds.of_instance is vars(Kinds)["of_instance"]


def test_all_forms_of_a_call_run_eagerly():
    f = tracefn.function(refused)
    for _ in range(40):
        for result in (f(X, Y), f(X, y=Y), f(y=Y, x=X)):
            np.testing.assert_array_equal(result, X + Y)
    assert sum(fallback.calls for fallback in f.fallbacks) == 120
    for args, kwargs in (((X,), {}), ((X, Y, X), {}), ((X, Y), {"z": X})):
        with pytest.raises(TypeError) as eager:
            refused(*args, **kwargs)
        with pytest.raises(TypeError) as traced:
            f(*args, **kwargs)
        assert str(traced.value) == str(eager.value)


def test_a_function_that_runs_eagerly_is_called_from_a_traced_one():
    f = tracefn.function(refused)
    for _ in range(3):
        f(X, Y)
    outer = tracefn.function(lambda x, y: f(x, y) * 2)
    np.testing.assert_array_equal(outer(X, Y), (X + Y) * 2)


def test_clearing_the_cache_lets_it_be_traced_again():
    f = tracefn.function(refused)
    f(X, Y), f(X, Y)
    f.clear_cache()
    assert f.fallbacks == []
    np.testing.assert_array_equal(f(X, Y), X + Y)
    assert [fallback.calls for fallback in f.fallbacks] == [1]


def test_after_some_signatures_all_run_eagerly():
    f = tracefn.function(refused)
    for n in range(2, 12):
        np.testing.assert_array_equal(f(np.ones(n), np.ones(n)), np.full(n, 2.0))
    tried = [fallback.signature_text for fallback in f.fallbacks]
    assert len(tried) == MAX_ATTEMPTS + 1 and tried[-1] == "any"
    assert f.fallbacks[-1].calls == 10 - MAX_ATTEMPTS


def chain(depth, innermost, notes):
    """Functions that call one another, each traced: the outermost. Each notes that it ran eagerly."""

    def link(inner):
        def outer(x, y):
            notes.append(len(notes))
            return inner(x, y) + 1

        return tracefn.function(outer)

    links = [tracefn.function(innermost)]
    for _ in range(depth):
        links.append(link(links[-1]))
    return links


def test_a_function_in_which_another_one_was_refused_is_not_traced_at_once():
    notes = []
    *_, inner, outer = links = chain(5, refused, notes)
    with tracefn.events.record() as seen:
        np.testing.assert_array_equal(outer(X, Y), X + Y + 5)
    assert [event.function for event in seen if event.type == "trace.started"] == [outer.function_id]
    assert notes == [*range(5)] and inner.fallbacks[0].text == outer.fallbacks[0].text
    assert inner.fallbacks[0].calls == 1 and "whose traces were refused here" in inner.fallbacks[0].signature_text
    with tracefn.events.record() as seen:
        for n in range(2, 12):
            np.testing.assert_array_equal(outer(np.ones(n), np.ones(n)), np.full(n, 7.0))
    started = [event.function for event in seen if event.type == "trace.started"]
    assert len(started) == MAX_ATTEMPTS - 1 + len(links) - 1  # not as many for each
    assert len(notes) == 55


def test_a_function_that_another_one_gives_what_it_cannot_trace_is_traced_alone():
    inner = tracefn.function(lambda x, n: x.reshape(n, -1).sum(0) if isinstance(n, int) else refused(x, n))
    outer = tracefn.function(lambda x: inner(x, x.astype(object)))
    for n in range(2, 8):
        assert outer(np.ones(n)).dtype == object
        np.testing.assert_array_equal(inner(np.ones(4), 2), [2.0, 2.0])
    assert len(inner.concrete_functions) == 1 and inner.concrete_functions[0].calls.count == 6


def test_an_event_says_it_and_calls_are_told():
    f = tracefn.function(refused)
    with tracefn.events.record() as events:
        f(X, Y), f(X, Y)
    (event,) = [e for e in events if e.type == "fallback"]
    assert event.function == f.function_id and event.signature == f"{f.function_id}/eager1"
    assert event.attempt == f"{f.function_id}/1"
    assert event.location.line == refused.__code__.co_firstlineno + 1
    assert event.trace_ns > 0 and event.eager_ns > 0
    (calls,) = [e for e in events if e.type == "calls"]
    assert (calls.signature, calls.count) == (event.signature, 2)


def test_errors_of_the_user_are_no_fallback():
    class Validated:
        def __init__(self):
            self.seen = []

        def check(self, x):
            self.seen.append(len(self.seen))
            if len(x) != 3:
                raise ValueError(f"length {len(x)}, not 3")
            return x * 2

    class Traced(Validated):
        check = tracefn.function(Validated.check)

    plain, traced = Validated(), Traced()
    for length in (2, 3, 2, 2, 3):
        outcomes = []
        for owner in (plain, traced):
            try:
                outcomes.append(owner.check(np.ones(length)).tolist())
            except ValueError as error:
                outcomes.append((type(error), str(error)))
        assert outcomes[0] == outcomes[1]
        assert plain.seen == traced.seen
    assert Traced.check.fallbacks == []


def test_an_error_of_a_call_that_runs_eagerly_is_the_users():
    def f(x, limit):
        x.setflags(write=True)
        if x[0] > limit:
            raise ValueError(f"{x[0]} > {limit}")
        return x

    traced = tracefn.function(f)
    x = np.array([1.0])
    for _ in range(20):
        assert traced(x, 2) is x
    x[0] = 3
    for _ in range(70):
        with pytest.raises(ValueError, match=r"3.0 > 2"):
            traced(x, 2)


@pytest.mark.parametrize(
    "argument",
    [
        np.array([1, None], object),
        np.matrix([[1.0, 2.0], [3.0, 4.0]]),
        np.rec.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
        [np.array([1, None], object)],
    ],
    ids=lambda a: type(a).__name__,
)
def test_arguments_that_have_no_signature_run_eagerly(argument):
    f = tracefn.function(lambda x: repr(x) if not isinstance(x, np.ndarray) or x.dtype != float else x * 2)
    for _ in range(20):
        result = f(argument)
        assert str(result) == str(argument * 2 if isinstance(argument, np.matrix) else repr(argument))
    np.testing.assert_array_equal(f(X), X * 2)
    np.testing.assert_array_equal(f(X), X * 2)
    assert [fallback.calls for fallback in f.fallbacks] == [20]
    assert [c.calls.count for c in f.concrete_functions] == [2]
    assert f.fallbacks[0].error == "UnsupportedArgumentError"


def test_no_code_is_written_again_and_again():
    f = tracefn.function(lambda *args: args[0].tobytes())
    for n in range(1, 40):
        f(*[X] * n), f(*[X] * n)
    assert sum(len(entries) for entries in f._entries.values()) <= 40
    assert sum(fallback.calls for fallback in f.fallbacks) == 78


def test_one_list_in_the_place_of_two_runs_eagerly():
    def f(a, b, x):
        a.append(x.sum())
        b.append(1.0)
        return len(a)

    traced = tracefn.function(f)
    first, second, both = [], [], []
    assert [traced(first, second, X), traced(both, both, X), traced(both, both, X)] == [1, 2, 4]
    assert (first, second, both) == ([3.0], [1.0], [3.0, 1.0, 3.0, 1.0])
    assert [(fallback.error, fallback.calls) for fallback in traced.fallbacks] == [("SharedContainerError", 2)]


@pytest.mark.parametrize("calls", [2, 6], ids=["one signature", "any"])
def test_errors_can_be_asked_for_later(calls):
    f = tracefn.function(refused)
    for n in range(calls):
        f(np.ones(n), np.ones(n))
    with tracefn.config.on_unsupported("error"), pytest.raises(tracefn.errors.InPlaceWriteError):
        f(np.ones(0), np.ones(0))


def test_parameters_of_all_kinds():
    def positional(x, /, y=2.0, *, z=None):
        x.setflags(write=True)
        return x * y if z is None else x * z

    def any_number(x, *args, **kwargs):
        x.setflags(write=True)
        return x + len(args) + len(kwargs)

    for function, calls in (
        (positional, [((X,), {}), ((X, 3.0), {}), ((X,), {"z": 4.0}), ((X,), {"z": 5.0, "y": 1.0})]),
        (any_number, [((X,), {}), ((X, 1, 2), {}), ((X, 1), {"k": 2}), ((X,), {"k": 2, "l": 3})]),
    ):
        f = tracefn.function(function)
        for _ in range(20):
            for args, kwargs in calls:
                np.testing.assert_array_equal(f(*args, **kwargs), function(*args, **kwargs))
        assert sum(fallback.calls for fallback in f.fallbacks) == 80


def test_arguments_by_name_that_have_no_signature():
    f = tracefn.function(lambda x, y=None: (repr(x), y))
    objects = np.array([1, None], object)
    for _ in range(40):
        assert f(y=2, x=objects) == (repr(objects), 2)
        assert f(objects) == (repr(objects), None)
    assert [fallback.calls for fallback in f.fallbacks] == [80]


class Deprecated:
    def method(self, x):
        warnings.warn("old", DeprecationWarning, stacklevel=2)
        return x + 1

    def outer(self, x):
        return self.method(x) + len(vars(self))


@pytest.mark.parametrize("name", ["method", "outer"])
def test_a_warning_names_the_line_of_the_caller(name):
    def lines(cls, calls):
        found, made = [], cls()
        with warnings.catch_warnings(record=True, action="always", category=DeprecationWarning) as caught:
            for _ in range(calls):
                getattr(made, name)(X)
            found += [(w.filename, w.lineno) for w in caught if w.category is DeprecationWarning]
        return found

    traced = type("Traced", (Deprecated,), {n: tracefn.function(vars(Deprecated)[n]) for n in ("method", "outer")})
    assert lines(traced, 200) == lines(Deprecated, 200)  # first calls, and those by code made for them


def test_a_warning_of_a_decorated_function_of_a_library_names_the_line_of_the_caller(monkeypatch):
    def warns(x):
        warnings.warn("old", DeprecationWarning, stacklevel=2)
        return repr(x)

    monkeypatch.setattr(warns, "__module__", "scipy.old")
    f = tracefn.function(warns)
    for _ in range(40):
        with pytest.warns(DeprecationWarning, match="old") as warned:
            f(np.array([1, None], object))
        assert {w.filename for w in warned} == {__file__}


def test_a_decorated_function_of_a_library_has_a_graph():
    f = tracefn.function(signal.lfilter)
    np.testing.assert_array_equal(f([1.0], [2.0], np.ones(3)), 0.5)
    (concrete,) = f.concrete_functions
    assert "foreign_pure" in {node.op.name for node in concrete.graph.nodes} and not f.fallbacks


def test_a_warning_without_a_line_of_its_own_names_the_call():
    f = tracefn.function(lambda x: x.tobytes() if x.dtype == float else repr(x))
    f(X)
    with pytest.warns(FallbackWarning, match="runs eagerly: argument `x` holds Python objects") as warned:
        f(np.array([1, None], object))
    assert [w.filename for w in warned] == [__file__]


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("step", ["settle_arrays", "numpy_program"])
def test_what_a_trace_took_is_given_back_wherever_it_fails(monkeypatch, step):
    class Model:
        def __init__(self):
            self.random, self.numbers = random.Random(3), iter(range(9))

        def draw(self, x):
            return self.random.choice(x) + next(self.numbers)

    def fail(*args):
        raise UnsupportedFunctionError("no program")

    eager, model = Model(), Model()
    monkeypatch.setattr(sys.modules["tracefn.function.tracing.build"], step, fail)
    traced = tracefn.function(model.draw)
    x = np.arange(5.0)
    assert [traced(x) for _ in range(4)] == [eager.draw(x) for _ in range(4)]
    assert model.random.getstate() == eager.random.getstate() and traced.fallbacks


def of_memory(x):
    return np.ndarray(buffer=x, dtype=x.dtype, shape=(2,), offset=8) * 2


def bytes_of(x):
    return int.from_bytes(b"".join([x, b"ab"]), "little")


def inverse(x):
    try:
        return np.linalg.inv(x)
    except np.linalg.no_such_error:
        return x


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize(
    "function, reason",
    [
        (of_memory, "traced `buffer`"),
        (bytes_of, "code that takes no traced value is given one"),
        (inverse, "names a class that cannot be looked up"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_eager_code_may_do_is_no_fault_of_tracefn(function, reason):
    x = np.diag([2.0, 4.0])
    f = tracefn.function(function)
    for _ in range(2):
        np.testing.assert_array_equal(f(x), function(x))
    (fallback,) = f.fallbacks
    assert reason in fallback.reason and "report" not in fallback.fix


def test_instances_that_fit_no_signature_share_the_function_of_their_class():
    class Rotation(np.ndarray):
        @tracefn.function
        def norm(self, by=1.0):
            return float(np.sqrt((np.asarray(self) ** 2).sum())) * by

    class Model:
        @tracefn.function
        def norm(self, x):
            return len(x)

    rotations, models = [np.full(4, 0.5 * n).view(Rotation) for n in range(6)], [Model() for _ in range(6)]
    assert [r.norm() for r in rotations] == [r.norm(by=1.0) for r in rotations] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert [m.norm(np.array([None])) for m in models] == [1] * 6
    norm = vars(Rotation)["norm"]
    assert rotations[5].norm.__func__ is norm and len(norm._instances) == 1 and norm.fallbacks[0].calls == 12
    assert len({id(m.norm.__func__) for m in models}) == 6
