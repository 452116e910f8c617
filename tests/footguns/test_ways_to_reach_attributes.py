"""Descriptors, `__getattr__`, class attributes and operators of classes run once at each call, as in eager code."""

import functools

import numpy as np
import pytest
import tracefn

X = np.arange(3.0)


class Doubled:
    """A descriptor that keeps the double of what is set."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name, 0) + 1

    def __set__(self, instance, value):
        setattr(instance, self.name, value * 2)


class Gauge:
    level = Doubled()

    def raised(self, x):
        self.level = self.level + 1
        return x * self.level


class Asked:
    def __init__(self):
        self.data, self.asked = {"a": 1.0}, 0

    def __getattr__(self, name):
        if name not in ("a", "b"):
            raise AttributeError(name)
        self.asked += 1
        return self.data[name]

    def scaled(self, x):
        self.data["a"] += 1.0
        return x * self.a


class Past:
    """Sets its attributes as frozen classes do."""

    def stepped(self, x):
        object.__setattr__(self, "n", getattr(self, "n", 0) + 1)
        return x * self.n

    def cleared(self, x):
        object.__setattr__(self, "kept", x.sum())
        object.__delattr__(self, "kept")
        return hasattr(self, "kept")


class Base:
    def counted(self, x):
        type(self).total = getattr(type(self), "total", 0) + 1
        return x * self.total


class Derived(Base):
    pass


class Taped:
    tape: list[str] = []

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        self.tape.append("add")
        return Taped(self.value + other.value)


class Counted:
    """Counts what sets and deletes its attributes, and passes them by."""

    def __init__(self):
        object.__setattr__(self, "changes", [])

    def __setattr__(self, name, value):
        if name == "bad":
            raise AttributeError(name)
        self.changes.append(name)
        super().__setattr__(name, value)

    def __delattr__(self, name):
        self.changes.append(f"-{name}")
        object.__delattr__(self, name)

    def stepped(self, x):
        self.n = getattr(self, "n", 0) + 1
        setattr(self, f"w.{self.n % 2}", x * self.n)
        self.changes.append(len(self.changes))
        if x.sum() > 3:
            self.large = self.n
        try:
            self.bad = x
        except AttributeError as error:
            self.error = str(error)
        if hasattr(self, "w.1"):
            delattr(self, "w.1")
        return x * self.n


class Kept:
    """Keeps its attributes in a dict."""

    def __init__(self):
        object.__setattr__(self, "data", {"a": 1.0})

    def __getattr__(self, name):
        return self.data[name]

    def __setattr__(self, name, value):
        self.data[name] = value

    def added(self, x):
        self.a += x.sum()
        if self.a > 8:
            self.last = x
        return self.a


def calls(x):
    """Counts its calls in an attribute."""
    calls.n += 1
    calls.last = x
    return x * calls.n


def asked_calls(x):
    asked_calls.n = getattr(asked_calls, "n", 0) + 1
    if x.sum() > 4:
        asked_calls.large = asked_calls.n
    return x * asked_calls.n


def gauge(traced):
    g, raised = Gauge(), traced(Gauge.raised)
    return [(raised(g, X), vars(g)["_level"]) for _ in range(4)]


def asked(traced):
    a, scaled = Asked(), traced(Asked.scaled)
    return [(scaled(a, X), a.asked) for _ in range(4)]


def of_classes(traced):
    counted = traced(Base.counted)
    Base.total = 0
    Derived.total = 5
    return [(counted(Base(), X), counted(Derived(), X), Base.total, Derived.total) for _ in range(4)]


def past(traced):
    p, stepped, cleared = Past(), traced(Past.stepped), traced(Past.cleared)
    return [(stepped(p, X), cleared(p, X), vars(p)) for _ in range(4)]


def counted(traced):
    c, stepped = Counted(), traced(Counted.stepped)
    return [(stepped(c, x), repr(vars(c))) for x in (X, X * 2, X / 2, X * 2)]


def kept(traced):
    k, added = Kept(), traced(Kept.added)
    return [(added(k, X), repr(vars(k))) for _ in range(4)]


def functions(traced):
    called, of_names = traced(lambda x: calls(x) + calls.n), {"f": asked_calls}
    step = traced(lambda x: [f(x) for f in of_names.values()])
    calls.n = 0
    vars(asked_calls).clear()
    return [(called(x), step(x), repr(vars(calls)), repr(vars(asked_calls))) for x in (X, X * 2, X, X / 2)]


def operators(traced):
    Taped.tape.clear()
    a, b = Taped(1.0), Taped(2.0)
    add = traced(lambda x: x * (a + b + a).value)
    return [(add(X), len(Taped.tape)) for _ in range(4)]


@pytest.mark.parametrize(
    "driver", [gauge, asked, of_classes, past, operators, counted, kept, functions], ids=lambda f: f.__name__
)
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_as_eager(driver):
    def eagerly_where_needed(function):
        return tracefn.function(function, on_unsupported="eager")

    assert repr(driver(eagerly_where_needed)) == repr(driver(lambda f: f))


@pytest.mark.parametrize("driver", [counted, kept, functions], ids=lambda f: f.__name__)
def test_own_setters_and_attributes_of_functions_are_traced(driver):
    driver(functools.partial(tracefn.function, on_unsupported="error"))


def test_a_traced_function_has_the_attributes_of_the_user_alone():
    assert all(name.startswith("__") for name in vars(tracefn.function(lambda x: x)))


def test_an_attribute_whose_name_holds_dots_is_no_attribute_of_another():
    class Net:
        pass

    net, part = Net(), Net()
    net.conv, part.weight = part, 7.0

    @tracefn.function
    def step(x):
        setattr(net, "conv.weight", x * 2)
        return getattr(net, "conv.weight") + net.conv.weight

    assert [step(X).tolist(), step(X + 1).tolist()] == [[7.0, 9.0, 11.0], [9.0, 11.0, 13.0]]
    assert part.weight == 7.0
    assert vars(net)["conv.weight"].tolist() == [2.0, 4.0, 6.0]
    assert not step.fallbacks


def test_a_class_attribute_of_a_class_that_is_false():
    class Sized(type):
        def __len__(cls):
            return cls.made

    class Model(metaclass=Sized):
        made = 0

        @tracefn.function
        def step(self, x):
            type(self).made += 1
            return x * self.made

    assert [Model().step(np.ones(1)).item() for _ in range(3)] == [1.0, 2.0, 3.0]


def test_a_class_attribute_where_numbers_are_guarded():
    class Model:
        made, kept = 0, []

        def __init__(self):
            self.clock, self.window = 0.0, [(0.0,)]

        @tracefn.function
        def step(self, x):
            type(self).made += 1
            self.clock += 0.5
            self.window = [e for e in self.window if e[0] > self.clock - 1]
            type(self).kept = [x]
            self.kept.append(self.made)
            return x * self.made, len(self.window), self.kept[1]

    model = Model()
    assert [model.step(np.ones(1)) for _ in range(3)] == [(1.0, 1, 1), (2.0, 0, 2), (3.0, 0, 3)]
    assert Model.kept[1] == 3


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_an_object_that_gets_another_class_when_it_is_first_used():
    """As registries do that are filled late."""

    def outcomes(decorate):
        class Ready:
            def double(self, x):
                return self.factor * x

        class Late:
            @decorate
            def __getattr__(self, name):
                self._fill()
                return getattr(self, name)

            @decorate
            def __setattr__(self, name, value):
                if name == "__class__":
                    super().__setattr__(name, value)
                else:
                    self._fill()
                    setattr(self, name, value)

            @decorate
            def _fill(self):
                self.__class__ = Ready
                self.factor = 2.0

        found = []
        for number in range(3):
            read, written = Late(), Late()
            found.append((read.double(number), type(read) is Ready))
            written.factor = number
            found.append((written.double(3.0), type(written) is Ready))
        return found

    assert outcomes(tracefn.function(on_unsupported="eager")) == outcomes(lambda f: f)
