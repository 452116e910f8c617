"""Variables that are created inside a traced function: on its first call, or not at all."""

import gc
import weakref

import numpy as np
import pytest
import tracefn
from tracefn import Variable, events


class Holder:
    v = None


def same(left, right):
    assert repr(left) == repr(right)


def lines_of(error):
    """The lines of this file that a message names."""
    return [int(part.split()[0].rstrip(";:,")) for part in str(error).split(f"{__file__} line ")[1:]]


def through_an_attribute(h, x):
    if h.v is None:
        h.v = Variable(x * 2)
    h.v.assign_add(x)
    return h.v + x


def through_a_list(h, x):
    if h.v is None:
        h.v = []
    if not h.v:
        for k in range(3):
            h.v.append(Variable(x * k))
    for v in h.v:
        v.assign_add(x)
    return [v + 0 for v in h.v]


def through_a_dict(h, x):
    if h.v is None:
        h.v = {}
    for name in ("a", "b"):
        if name not in h.v:
            h.v[name] = Variable(np.zeros(2), name=name)
        h.v[name].assign_add(x)
    return h.v["a"] * h.v["b"]


def from_another_variable(h, x):
    if h.v is None:
        h.base = Variable(x)
        h.base.assign_add(x)
        h.v = Variable(lambda: h.base * 10)
        h.base.assign(x * 0)
    h.v += h.base + x
    return h.v.value()


class Layer:
    def __init__(self, x):
        self.w = Variable(x + 1)
        self.count = Variable(0)

    def __call__(self, x):
        self.count += 1
        return self.w * x + self.count


def through_an_object(h, x):
    if h.v is None:
        h.v = Layer(x)
    return h.v(x)


def through_a_called_function(h, x):
    @tracefn.function
    def inner(x):
        if h.v is None:
            h.v = Variable(x)
        h.v.assign_add(1.0)
        return h.v * 1

    return inner(x) + inner(x)


@pytest.mark.parametrize(
    "function",
    [
        through_an_attribute,
        through_a_list,
        through_a_dict,
        from_another_variable,
        through_an_object,
        through_a_called_function,
    ],
)
@pytest.mark.parametrize("x", [np.array([1.0, 2.0]), np.array([3.0])], ids=["two", "one"])
def test_the_first_call_may_create(function, x):
    eager, held = Holder(), Holder()
    traced = tracefn.function(lambda x: function(held, x))
    for number in range(4):
        same(function(eager, x + number), traced(x + number))
    assert traced.tracing_count == 2  # the call that creates, and all others
    assert len(traced.concrete_functions) == 1


def test_each_call_runs_the_body_once():
    held, runs = Holder(), []

    @tracefn.function
    def f(x):
        runs.append("run")
        return through_an_attribute(held, x)

    with events.record() as seen:
        for count in (1, 2, 3):
            f(np.ones(2))
            assert len(runs) == count
    explained = [e for e in seen if isinstance(e, events.RetraceExplained)]
    assert len(explained) == 1
    assert "the first call created variables" in explained[0].text
    assert explained[0].nearest_signature == explained[0].signature[:-1] + "1"
    assert not any(isinstance(e, events.SideEffect) and "held.v" in e.text for e in seen)


def test_without_autograph():
    held = Holder()
    f = tracefn.function(lambda x: through_an_attribute(held, x), autograph=False)
    same((f(np.ones(1)), f(np.ones(1))), (np.array([4.0]), np.array([5.0])))
    assert f.tracing_count == 2


CREATED = None


def test_through_a_global():
    @tracefn.function
    def f(x):
        global CREATED
        if CREATED is None:
            CREATED = Variable(x)
        CREATED.assign_add(x)
        return CREATED + 0

    same((f(1.0), f(1.0), float(CREATED)), (np.float64(2), np.float64(3), 3.0))


def test_methods_create_for_each_instance():
    class Model:
        def __init__(self):
            self.v = None

        @tracefn.function
        def __call__(self, x):
            return through_an_attribute(self, x)

    models = [Model(), Model()]
    for model in models:
        same((model(np.ones(1)), model(np.ones(1))), (np.array([4.0]), np.array([5.0])))
    assert models[0].v is not models[1].v


def local(x):
    v = Variable(x)
    return v + 1


def only_returned(x):
    v = Variable(x)
    v.assign_add(x)
    return v


def in_a_local_object(x):
    layer = Layer(x)
    return layer(x)


@pytest.mark.parametrize("function", [local, only_returned, in_a_local_object])
@pytest.mark.parametrize("autograph", [False, True])
def test_what_does_not_survive_is_refused(function, autograph):
    traced = tracefn.function(function, autograph=autograph)
    for _ in range(2):
        with pytest.raises(ValueError, match="variables may be created on the first call only") as caught:
            traced(np.ones(2))
        assert len(lines_of(caught.value)) == 3
    assert traced.tracing_count == 0
    assert traced.concrete_functions == []


def test_creating_at_each_call_is_refused_with_both_lines():
    made = []

    @tracefn.function
    def f(x):
        made.append(Variable(x))
        return made[-1] + 1

    f(1.0)
    with pytest.raises(ValueError, match="first call only") as caught:
        f(1.0)
    line = f.python_function.__code__.co_firstlineno + 2
    assert lines_of(caught.value) == [line, line, line]
    assert len(made) == 1
    f_made = float(made[0])
    assert f_made == 1.0


def test_creating_on_a_later_call_is_refused():
    held = Holder()

    @tracefn.function
    def f(x, late):
        if late:
            held.v = Variable(x)
        return x + 1

    f(1.0, False)
    with pytest.raises(ValueError, match="the first call made none"):
        f(1.0, True)
    assert held.v is None
    f.clear_cache()
    with pytest.raises(ValueError, match="first call only"):
        f(1.0, True)


def test_in_a_branch_or_loop_of_the_graph():
    held = Holder()

    @tracefn.function
    def f(x):
        if x > 0:
            held.v = Variable(1.0)
        return x

    with pytest.raises(ValueError, match="in a branch or loop"):
        f(np.float64(1))
    assert held.v is None


def test_a_first_call_that_fails_leaves_what_eager_code_leaves():
    held, seen = Holder(), []
    fail = [True]

    @tracefn.function
    def f(x, i):
        if held.v is None:
            held.v = Variable(x * 2)
            seen.append(Variable(x))
        if fail[0]:
            raise RuntimeError("while tracing")
        return held.v[i]

    with pytest.raises(RuntimeError):
        f(np.ones(3), np.int64(0))
    same((held.v.value(), len(seen)), (np.full(3, 2.0), 1))
    held.v, fail[0] = None, False
    with pytest.raises(IndexError):  # while running
        f(np.ones(3), np.int64(7))
    same((held.v.value(), len(seen)), (np.full(3, 2.0), 2))
    held.v = None
    seen.clear()
    same([f(np.ones(3), np.int64(i)) for i in (0, 1)], [np.float64(2), np.float64(2)])
    assert len(seen) == 1


def test_concrete_functions():
    held = Holder()

    @tracefn.function
    def f(x):
        if held.v is None:
            held.v = Variable(3.0)
        held.v.assign_add(x)
        return held.v + 0

    concrete = f.get_concrete_function(np.float64(1))
    same((float(held.v), concrete(np.float64(1)), f(np.float64(1))), (3.0, np.float64(4), np.float64(5)))

    other = Holder()
    g = tracefn.function(lambda x: through_an_attribute(other, x))
    with pytest.raises(ValueError, match="Call the function once before"):
        g.get_concrete_function(tracefn.TensorSpec((2,)))
    assert other.v is None
    g(np.ones(2))
    assert g.get_concrete_function(tracefn.TensorSpec((2,))) is not None


def test_traces_go_with_their_variables():
    class Model:
        def __init__(self):
            self.v = None

        @tracefn.function
        def __call__(self, x):
            return through_an_attribute(self, x)

    model = Model()
    model(np.ones(1))
    model(np.ones(1))
    reference = weakref.ref(model.v)
    model.v = None
    Model.__dict__["__call__"]._instances.clear()
    del model
    gc.collect()
    assert reference() is None


def test_a_variable_without_a_value_says_so():
    held = Holder()

    @tracefn.function(autograph=False)
    def f(x):
        held.v = Variable(x)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        f.get_concrete_function(np.ones(2))
    with pytest.raises(ValueError, match="has no value"):
        held.v.value()
    assert "nothing yet" in repr(held.v)
    same(held.v.assign([1, 2]).value(), np.array([1.0, 2.0]))


def test_what_a_caught_call_created_is_gone():
    held = Holder()

    @tracefn.function
    def inner(x):
        held.v = Variable(x)
        return {}["missing"]

    @tracefn.function
    def f(x):
        if held.v is None:
            try:
                return inner(x)
            except KeyError:
                held.v = Variable(x * 3)
        return held.v + 1

    same((f(1.0), f(1.0), float(held.v)), (np.float64(4), np.float64(4), 3.0))


def test_more_than_are_unrolled():
    made = []

    @tracefn.function
    def f(x):
        if not made:
            for i in range(40):
                made.append(Variable(x * i))
        total = 0.0
        for v in made:
            total = total + v.assign_add(1.0)
        return total

    same((f(np.float64(1)), f(np.float64(1)), len(made)), (np.float64(820), np.float64(860), 40))
