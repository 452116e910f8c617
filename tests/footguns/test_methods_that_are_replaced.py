"""Methods, properties and functions with a cache that are replaced or emptied between calls: the next call sees it."""

import collections
import copy
import enum
import functools
import operator
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pytest
import tracefn

X = np.ones(2)


def make():
    class Base:
        size = 3

        def __init__(self):
            self.k = 2.0

        def scaled(self, x):
            return x * self.k

        @classmethod
        def sized(cls, x):
            return x + cls.size

        @property
        def level(self):
            return self.k

        def __call__(self, x):
            return self.scaled(x) + 1

        def __len__(self):
            return 3

    class Derived(Base):
        def scaled(self, x):
            return super().scaled(x) + 7

    return Base, Derived, Derived()


def use(o, x):
    return o.scaled(x), o.sized(x), o.level, o(x), len(o)


CHANGES = {
    "of the class": lambda base, derived, o: setattr(derived, "scaled", lambda self, x: x * 50),
    "that super() finds": lambda base, derived, o: setattr(base, "scaled", lambda self, x: x * 51),
    "of the object": lambda base, derived, o: setattr(o, "scaled", lambda x: x * 52),
    "of the class itself": lambda base, derived, o: setattr(base, "sized", classmethod(lambda cls, x: x * 53)),
    "property": lambda base, derived, o: setattr(base, "level", property(lambda self: 54)),
    "constant for a property": lambda base, derived, o: setattr(derived, "level", 55),
    "__call__": lambda base, derived, o: setattr(derived, "__call__", lambda self, x: x * 56),
    "__len__": lambda base, derived, o: setattr(base, "__len__", lambda self: 57),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_another_method(change):
    base, derived, o = make()
    traced = tracefn.function(lambda x: use(o, x))
    for _ in range(2):
        np.testing.assert_equal(traced(X), use(o, X))
    change(base, derived, o)
    np.testing.assert_equal(traced(X), use(o, X))


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_functions_with_a_cache_that_depend_on_more_than_arguments(falls_back):
    held, made = [1.0], []

    @functools.lru_cache
    def kept(k):
        made.append(k)
        return k * held[0]

    @functools.cache
    def grid(n):
        return np.linspace(0, held[0], n)

    traced = tracefn.function(lambda x: x * kept(3) + grid(2))
    assert traced(X).tolist() == [3.0, 4.0]
    held[0] = 5.0
    assert traced(X).tolist() == [3.0, 4.0]
    kept.cache_clear()
    assert traced(X).tolist() == [15.0, 16.0]
    grid(2)[0] = 100.0
    assert traced(X).tolist() == [115.0, 16.0]
    assert made == [3, 3]


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("made", [lambda k: k * 2, lambda k: [k], lambda k: np.eye(k)], ids=["number", "list", "array"])
def test_a_cache_that_is_asked_for_its_hits_in_a_trace_that_fails(made, falls_back):
    kept = functools.cache(made)

    @tracefn.function
    def step(x):
        return kept(3), kept.cache_info().hits

    assert [step(X)[1] for _ in range(2)] == [0, 1]


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_methods_called_through_their_class_or_by_name():
    def run(decorate):
        items, known = [1.0], {"a": 1.0}

        @decorate
        def step(x):
            list.append(items, x.sum())
            dict.update(known, b=x.max())
            operator.setitem(known, "c", operator.attrgetter("size")(x))
            dict.__setitem__(known, "d", x.min())
            first, second = operator.itemgetter(0, -1)(items)
            return first, second, str.format("{} {}", x[0], len(items)), x[0].__str__(), operator.mod("%s", x[0])

        return [step(X * n) for n in range(3)], items, known

    assert run(tracefn.function(on_unsupported="eager")) == run(lambda f: f)


@pytest.mark.parametrize("kind", [collections.deque, collections.UserList], ids=["deque", "UserList"])
@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_texts_of_containers(kind):
    held = kind([1, 2])
    traced = tracefn.function(lambda x: (str(held), f"{held}", x), on_unsupported="eager")
    for _ in range(3):
        assert traced(X)[:2] == (str(held), f"{held}")
        held.append(len(held))


def gone(x):
    if x.sum() > 0:
        found = x
    del found
    return x


def gone_after_a_loop(x):
    while x.sum() < 5:
        found = x
        x = x + 1
    del found
    return x


@pytest.mark.parametrize("function", [gone, gone_after_a_loop])
@pytest.mark.parametrize("number", [1.0, -1.0, 9.0])
def test_a_variable_that_is_not_set_cannot_be_deleted(function, number):
    x = np.full(2, number)
    try:
        wanted = function(x).tolist()
    except UnboundLocalError as error:
        with pytest.raises(UnboundLocalError, match=str(error)):
            tracefn.function(function)(x)
    else:
        assert tracefn.function(function)(x).tolist() == wanted


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_flags_that_are_set():
    @tracefn.function(on_unsupported="eager")
    def locked(x, write):
        y = x.copy()
        y.flags.writeable = False
        if write:
            y[0] = 3
        return y

    assert not locked(X, False).flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        locked(X, True)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Held:
    def __init__(self, value):
        self.value = value

    @property
    def level(self):
        return self.value

    def __add__(self, other):
        return self.value + other


REPLACED = {
    "enum": (lambda h: lambda x: x * h[0].value, Colour.RED, Colour.BLUE),
    "property": (lambda h: lambda x: x * h[0].level, Held(1.0), Held(2.0)),
    "operator": (lambda h: lambda x: h[0] + x, Held(1.0), Held(2.0)),
    "number": (lambda h: lambda x: x * h[0].real, 1 + 2j, 3 + 2j),
}


@pytest.mark.parametrize(("make_function", "first", "second"), REPLACED.values(), ids=REPLACED)
def test_an_item_whose_attribute_is_read(make_function, first, second):
    held = [first]
    function = make_function(held)
    traced = tracefn.function(function)
    for value in (first, second, second, first):
        held[0] = value
        np.testing.assert_array_equal(traced(X), function(X))


def test_an_operator_of_a_class():
    class Shifted(Held):
        pass

    shifted = Shifted(1.0)
    traced = tracefn.function(lambda x: shifted + x)
    assert traced(X).tolist() == [2.0, 2.0]
    Shifted.__add__ = lambda self, other: other * 5
    assert traced(X).tolist() == [5.0, 5.0]


def test_the_order_of_an_ordered_dict():
    ordered = collections.OrderedDict({"a": 1.0, "b": 2.0})
    traced = tracefn.function(lambda x: (list(ordered.items()), copy.copy(ordered), str(ordered), x))
    for name in ("a", "b", "b", "a"):
        result = traced(X)
        assert result[:2] == (list(ordered.items()), ordered) and result[2] == str(ordered)
        ordered.move_to_end(name)


def test_lambdas_of_a_line_are_told_apart_without_columns():
    program = """if True:
        import tracefn, numpy as np
        one, two, three = lambda x: 1, lambda x: 2, lambda x: x + 3
        four, five = [lambda x: abs(x) if x.sum() > k else -k * x for k in (4, 5)]
        for f in (one, two, three, four, five):
            print(tracefn.function(f)(np.ones(1)), f(np.ones(1)))
    """
    file = pathlib.Path(tempfile.mkdtemp()) / "program.py"
    file.write_text(program)
    options = {"capture_output": True, "text": True, "check": True}
    for flags in (["-X", "no_debug_ranges"], []):
        lines = subprocess.run([sys.executable, *flags, file], **options).stdout.splitlines()
        assert len(lines) == 5
        assert all(line[: len(line) // 2] == line[len(line) // 2 + 1 :] for line in lines), lines


def test_a_traced_method_that_super_finds():
    class Base:
        @tracefn.function
        def gain(self, x):
            return x * 2

    class Derived(Base):
        @tracefn.function
        def gain(self, x):
            return super().gain(x) + 1

    derived, x = Derived(), np.arange(3.0)
    for _ in range(3):
        np.testing.assert_array_equal(derived.gain(x), x * 2 + 1)
    Base.gain = lambda self, x: x * 5
    for _ in range(3):
        np.testing.assert_array_equal(derived.gain(x), x * 5 + 1)


def test_what_a_descriptor_holds_and_its_replacement():
    class Scaled:
        def __init__(self, by):
            self.by = by

        def __get__(self, owner, cls=None):
            return owner.base * self.by

    class Holder:
        base, gain = 3.0, Scaled(2.0)

    holder = Holder()
    f = tracefn.function(lambda x: x + holder.gain)
    changes = [
        lambda: None,
        lambda: setattr(vars(Holder)["gain"], "by", 5.0),
        lambda: setattr(Holder, "gain", Scaled(7.0)),
        lambda: setattr(Scaled, "__get__", lambda self, owner, cls=None: 1.0),
    ]
    for change in changes:
        change()
        for _ in range(3):
            np.testing.assert_array_equal(f(X), X + holder.gain)


def test_a_class_attribute_takes_the_place_of_getattr():
    class Open:
        def __getattr__(self, name):
            return 9.0

    found = Open()
    f = tracefn.function(lambda x: x + found.gain)
    for value in (9.0, 50.0):
        for _ in range(3):
            np.testing.assert_array_equal(f(X), X + value)
        Open.gain = 50.0


def test_the_call_of_a_metaclass():
    class Counting(type):
        def __call__(cls, *args):
            cls.made += 1
            return super().__call__(*args)

    class Made(metaclass=Counting):
        made = 0

        def __init__(self, value):
            self.value = value

    f = tracefn.function(lambda x: x + Made(3.0).value + Made.made)
    for count in range(1, 5):
        np.testing.assert_array_equal(f(X), X + 3.0 + count)
    assert Made.made == 4


@pytest.mark.parametrize(
    "use",
    [
        lambda o, x: x * o.inherited(),
        lambda o, x: (x * o.k, hasattr(o, "gain")),
        lambda o, x: (x, o.is_a(), issubclass(type(o), o.other)),
    ],
)
def test_a_class_gets_other_bases(use):
    class First:
        pass

    class Second:
        k = 1

        def inherited(self):
            return 1

    class Third:
        k = 2

        def inherited(self):
            return 2

    class Gaining:
        gain = 5

    class Derived(First, Second):
        other = Third

        def inherited(self):
            return super().inherited()

        def is_a(self):
            return isinstance(self, Third)

    o = Derived()
    for function in (use, lambda x: use(o, x)):
        args = () if function is not use else (o,)
        traced = tracefn.function(function)
        for bases in [(First, Second), (First, Third), (Gaining, Second), (Third, Second), (First, Second)]:
            Derived.__bases__ = bases
            np.testing.assert_equal(traced(*args, X), function(*args, X))
