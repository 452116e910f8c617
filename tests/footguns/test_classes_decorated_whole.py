"""Classes of which every method is decorated: properties, special methods, those that Python made."""

import collections
import importlib
import sys
import types

import numpy as np
import pytest
import tracefn
from agreement import assert_alike


def decorated(cls):
    """The class with each function, property and class method in it traced."""
    for name, held in list(vars(cls).items()):
        if isinstance(held, types.FunctionType | property) and name != "__new__":
            setattr(cls, name, tracefn.function(held, on_unsupported="eager"))
        elif isinstance(held, classmethod):
            setattr(cls, name, classmethod(tracefn.function(held.__func__, on_unsupported="eager")))
    return cls


def itself(cls):
    return cls


def property_that_is_set(decorate):
    @decorate
    class Fitness:
        def __init__(self):
            self.held = ()

        @property
        def values(self):
            return tuple(v / 2 for v in self.held)

        @values.setter
        def values(self, values):
            try:
                self.held = tuple(v * 2 for v in values)
            except TypeError:
                raise TypeError("not a sequence") from None

        @values.deleter
        def values(self):
            self.held = ()

        def take(self, x):
            self.values = x.sum(), 1.0
            found = self.values
            del self.values
            self.values = (*found, 2.0)
            return self.held

    fitness = Fitness()
    return [fitness.take(np.arange(3.0) + i) for i in range(3)], fitness.held


def property_of_a_failing_trace(decorate):
    class Held:
        def __init__(self):
            self._x, self.log = np.zeros(2), []

        @property
        def x(self):
            return self._x

        @x.setter
        def x(self, value):
            self._x = np.asarray(value) + 0
            self.log.append(len(self.log))

        def step(self, x):
            self.x = x * 2
            if x[0] > 1:
                self.x = np.frombuffer(self.x.tobytes())  # no graph has this
            return self.x

    held = decorate(Held)()
    return [held.step(np.ones(2) * i) for i in range(4)], held._x, held.log


def special_methods(decorate):
    @decorate
    class Vector:
        def __init__(self, parts):
            self.parts, self.asked = list(parts), 0

        def __getitem__(self, i):
            self.asked += 1
            return self.parts[i]

        def __setitem__(self, i, value):
            self.parts[i] = value

        def __len__(self):
            return len(self.parts)

        def __contains__(self, value):
            return any(value is p for p in self.parts)

        def __add__(self, other):
            return Vector(a + b for a, b in zip(self.parts, other.parts, strict=True))

        def __call__(self, x):
            return x * self[0]

        def __str__(self):
            return f"<{self.parts[0]}>"

        def __bool__(self):
            return self.asked < 100

        def step(self, x):
            self[0] = x.sum()
            return self(x), (self + self)[0], len(self), bool(self), str(self), 3 in self

    vector = Vector([1.0, 2.0])
    return [vector.step(np.arange(3.0) + i) for i in range(3)], vector.parts, vector.asked


def attributes_of_another_object(decorate):
    """As results of statsmodels have them."""

    @decorate
    class Wrapper:
        def __init__(self, held):
            self._held = held
            self.count = 0

        def __getattribute__(self, name):
            try:
                return object.__getattribute__(self, name)
            except AttributeError:
                return getattr(object.__getattribute__(self, "_held"), name)

        def scaled(self, x):
            self.count += 1
            return x * self.factor + self.count

    class Held:
        factor = 3.0

    wrapper, x, found = Wrapper(Held()), np.arange(3.0), []
    for factor in (1.0, 1.0, 2.0):
        Held.factor = factor
        found += [wrapper.scaled(x), wrapper.factor, wrapper.count]
    with pytest.raises(AttributeError, match="Held.*missing"):
        _ = wrapper.missing
    return found


def attributes_that_are_computed(decorate):
    @decorate
    class Doubled:
        def __init__(self):
            self.n = 1

        def __getattribute__(self, name):
            value = object.__getattribute__(self, name)
            return value * 2 if name == "n" else value

    doubled = Doubled()
    return [doubled.n, doubled.n]


def unknown_attributes(decorate):
    @decorate
    class Registry:
        def __init__(self):
            self.units, self.asked = {"m": 1.0, "km": 1000.0}, []

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            self.asked.append(name)
            return self.units[name]

        def metres(self, x):
            return x * self.km + self.m

    registry = Registry()
    return [registry.metres(np.arange(2.0) + i) for i in range(3)], registry.km, registry.asked


def named_tuples(decorate):
    Point = decorate(collections.namedtuple("Point", "x y"))

    @decorate
    class Path:
        def __init__(self):
            self.points = []

        def add(self, x):
            self.points.append(Point(x[0], y=x[1]))
            return self.points[-1]

        def nearest(self, x):
            return Point(x[0], 0.0) if x[0] > 1 else Point(1.0, x[1])

    path = Path()
    found = [(path.add(np.arange(2.0) + i), path.nearest(np.arange(2.0) + i)) for i in range(4)]
    return [(type(a).__name__, *a, *b) for a, b in found], [tuple(p) for p in path.points]


def keys_that_compare_themselves(decorate):
    @decorate
    class Value:
        def __init__(self, x):
            self.terms = Terms({self: 1.0})
            self.x = x

        def __eq__(self, other):
            return self.x == other.x

        def __hash__(self):
            return id(self)

        def __repr__(self):
            return f"Value({self.x})"

    @decorate
    class Terms:
        def __init__(self, factors):
            self.factors = factors

        def total(self, x):
            return sum(v.x * f for v, f in self.factors.items()) * x

    values = [Value(float(i)) for i in range(4)]
    return [v.terms.total(np.arange(2.0)) for v in values], repr(values[1])


def list_that_its_init_fills(decorate):
    @decorate
    class Row(list):
        def __init__(self, *args):
            self.label = "row"
            list.__init__(self, *args)

    def made(n):
        return Row(i * 1.5 for i in range(n))

    rows = [made(3), made(2), Row(), Row(iter("ab")), made(3)]
    for row in rows:
        list.__init__(row, (len(row), 2))
    return [(list(row), row.label) for row in rows]


def parameters_that_are_kept(decorate):
    """By their identity scikit-learn's `clone` tells whether a constructor keeps what it is given."""

    @decorate
    class Estimator:
        def __init__(self, rate=1.0, kind="none", steps=300, bounds=(1e-5, 1e5)):
            self.rate = rate
            self.kind = kind
            self.more = {"steps": steps, "all": [rate, steps, bounds]}
            self.bounds = bounds

    def kept(i):
        given = float(f"{i}.5"), f"l {i % 3}", 1000 + i, (0.5 * i, 7.0)
        made = Estimator(*given)
        rate, steps, bounds = made.more["all"]
        found = made.rate, made.kind, made.more["steps"], made.bounds, rate, bounds, steps
        return [a is b for a, b in zip(found, (*given, given[0], given[3], given[2]), strict=True)]

    return [kept(i) for i in range(6)]


class Private:
    def functions(self, x):
        def __scaled(__a, *, __by=2.0):
            return __a * __by

        def count():
            nonlocal __n
            __n += 1

        __n = 0
        count()
        return __scaled(x), (lambda __b: __b + __n)(x), __scaled.__name__

    def statements(self, x):
        import math as __math

        class __Part:
            __held = 3.0

            def held(self):
                return self.__held

        try:
            raise ValueError("private")
        except ValueError as __error:
            text = str(__error)
        match {"a": 1.0, "b": 2.0}:
            case {"a": __first, **__rest}:
                pass
        return x * __math.pi + __first, __rest, text, [__y := 2.0, __y], __Part().held()


@pytest.mark.parametrize("name", ["functions", "statements"])
def test_names_that_are_private_to_a_class_are_any_names(name):
    x = np.arange(3.0)
    eager = getattr(Private(), name)
    assert_alike(tracefn.function(eager, on_unsupported="error")(x), eager(x))


def test_defaults_are_set_by_the_names_that_are_private_to_a_class():
    class Maker:
        def of(self, function):
            def called(*args, __wrapper=None, **kwargs):
                return (__wrapper or abs)(*args, **kwargs)

            called.__kwdefaults__["_Maker__wrapper"] = function
            return called

    made = tracefn.function(Maker().of(np.negative), on_unsupported="error")
    np.testing.assert_array_equal(made(np.arange(3.0)), -np.arange(3.0))


STAND_IN = """
import sys

class Module:
    def __init__(self, module):
        self.module, self.asked = module, []

    def __getattr__(self, name):
        self.asked.append(name)
        return getattr(self.module, name)

scale = 2.0
sys.modules[__name__] = Module(sys.modules[__name__])
"""


@pytest.mark.parametrize("folder", ["own", "site-packages"])
def test_an_object_that_stands_for_a_module_is_asked_by_users_alone(folder, tmp_path, monkeypatch):
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "stand_in_of_tests.py").write_text(STAND_IN)
    monkeypatch.syspath_prepend(str(tmp_path / folder))
    monkeypatch.delitem(sys.modules, "stand_in_of_tests", raising=False)
    module = importlib.import_module("stand_in_of_tests")
    decorated(type(module))
    before = list(module.asked)
    assert [module.scale, module.scale] == [2.0, 2.0]
    assert module.asked == [*before, "scale", "scale"]


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning", "ignore::tracefn.errors.RetraceWarning")
@pytest.mark.parametrize(
    "scenario",
    [
        parameters_that_are_kept,
        property_that_is_set,
        property_of_a_failing_trace,
        special_methods,
        unknown_attributes,
        attributes_of_another_object,
        attributes_that_are_computed,
        named_tuples,
        keys_that_compare_themselves,
        list_that_its_init_fills,
    ],
)
def test_a_class_decorated_whole_does_what_it_does_undecorated(scenario):
    assert_alike(scenario(decorated), scenario(itself))
