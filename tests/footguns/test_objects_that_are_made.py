"""Objects, sets, deques and functions that traced code makes, copies and returns are new ones at each call."""

import copy
import types
from abc import ABC, ABCMeta, abstractmethod
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree
from scipy import ndimage

X = np.array([1.0, 2.0])
ROOT = None


class Vector:
    def __init__(self, x, y=0):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)


class Slotted:
    __slots__ = ("__weakref__", "a", "b", "unset")

    def __init__(self, a):
        if a.sum() > 3:
            self.a = a
        else:
            self.a = -a
        self.b = [a, a]


class Shape(ABC):
    def __init__(self, x):
        if x.sum() > 3:
            self.x = x
        else:
            self.x = x * 0.5

    @abstractmethod
    def area(self): ...

    def __call__(self, y):
        if y.sum() > 3:
            return self.area() * y
        return y


class Square(Shape):
    def area(self):
        return self.x**2


class Named(metaclass=ABCMeta):  # noqa: B024
    """Neither `__init__` nor base."""

    kind = "named"


def state(value):
    """What is in an object, with marks where one object comes twice."""
    seen = {}

    def walk(value):
        if isinstance(value, np.ndarray | np.generic | int | float | str | type(None) | type):
            return value
        if id(value) in seen:
            return ("again", seen[id(value)])
        seen[id(value)] = len(seen)
        if isinstance(value, dict):
            return (type(value).__name__, [(k, walk(v)) for k, v in value.items()])
        if isinstance(value, list | tuple | deque):
            return (type(value).__name__, [walk(v) for v in value])
        if isinstance(value, set | frozenset):
            return (type(value).__name__, sorted(value))
        names = sorted(getattr(value, "__dict__", ())) or [n for n in type(value).__slots__ if hasattr(value, n)]
        return (type(value).__name__, [(n, walk(getattr(value, n))) for n in names])

    return walk(value)


def alike(function, *calls, **options):
    """Both give equal structures at each call, and new objects each time."""
    traced = tracefn.function(function, **{"on_unsupported": "error", **options})
    given = []
    for args in calls:
        mine, theirs = traced(*args), function(*args)
        np.testing.assert_equal(state(mine), state(theirs))
        given.append(mine)
    assert len({id(g) for g in given}) == len(given)
    return given


def new_object(x):
    v = Vector(x, x.sum())
    v.more = [x * 2, "text", {"k": x}]
    return v


def sum_of_objects(x):
    return Vector(1.0, x) + Vector(x, 2) * 3


def one_object_twice(x):
    v = Vector(x)
    held = [v, v]
    v.y = held
    return held, {"v": v}


def a_ring(x):
    first, second = Vector(x), Vector(x * 2)
    first.y, second.y = second, first
    return first


def slotted(x):
    return Slotted(x)


def in_a_branch(x):
    v = Vector(x)
    if x.sum() > 3:
        v.x = v.x * 2
    for i in range(3):
        v.y = v.y + i
    return v


def abstract(x):
    s = Square(x)
    return s, s(x), s.area()


def without_init(x):
    n = Named()
    n.x = x
    return n


@pytest.mark.parametrize(
    "function", [new_object, one_object_twice, a_ring, slotted, in_a_branch, abstract, without_init]
)
def test_objects_that_are_returned(function):
    first, *_ = alike(function, (X,), (X * 2,), (X,))
    if isinstance(first, Vector):
        first.x = "changed by the user"
        alike(function, (X,))


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_objects_that_operators_make():
    alike(sum_of_objects, (X,), (X * 2,), on_unsupported="eager")


def sets(x):
    return {1, 2, x.shape[0]}, frozenset("ab")


def deques(x):
    return deque([x, x * 2, x * 3], maxlen=2), Counter("aab"), OrderedDict(b=x, a=1), defaultdict(list, a=[x])


def slices(x):
    return [slice(int(x[0]), 5), slice(None, int(x.sum()), 2), slice(1, 2)]


def test_other_containers():
    alike(sets, (X,), (np.ones(7),))
    alike(deques, (X,), (X * 2,))
    for x in (X, X * 2, np.zeros(2)):
        assert tracefn.function(slices)(x) == slices(x)


class Model:
    def __init__(self):
        self.w, self.h, self.names = np.zeros(2), [np.ones(2), 3], {"a": (1, np.ones(2))}
        self.same = self.h

    def moved(self, x):
        q = copy.deepcopy(self)
        q.w = q.w + x
        q.h[0] += x
        return q

    def shallow(self, x):
        q = copy.copy(self)
        q.w = q.w + x
        return q


IN_TWO_PLACES = [
    lambda x: (x[0], 1),
    lambda x: (1, [x[0]]),
    lambda x: Pair(x[0], 1),
    lambda x: divmod(x, 2),
    lambda x: Vector(x[0]).__add__,
    lambda x: KEPT.__add__,
    lambda x: x.sum,
    lambda x: slice(1, 2),
    lambda x: [slice(len(x), None)],
]

Pair = namedtuple("Pair", "a b")
KEPT = Vector(1.0)


@pytest.mark.parametrize("make", IN_TWO_PLACES)
def test_a_value_in_two_places_is_one_object(make):
    kept = types.SimpleNamespace()

    @tracefn.function(on_unsupported="error")
    def returned(x):
        value = make(x)
        return value, [value]

    @tracefn.function(on_unsupported="error")
    def stored(x):
        kept.a = kept.b = make(x)
        return kept.a

    for k in range(3):
        one, [other] = returned(X + k)
        assert one is other
        assert stored(X + k) is kept.a is kept.b


def test_slices_are_one_object_in_two_places():
    kept = types.SimpleNamespace()

    @tracefn.function
    def stored(x):
        kept.a = kept.b = slice(0, len(x))

    stored(X)
    assert kept.a is kept.b
    assert kept.a == slice(0, 2)


def test_copies_of_objects():
    def run(wrap):
        p, out = Model(), []
        moved, shallow = wrap(Model.moved), wrap(Model.shallow)
        for _ in range(3):
            q = moved(p, X)
            out += [state(q), q.h is q.same, q.h is p.h]
            p.w = p.w + 1
            p.h[1] += 1
            s = shallow(p, X)
            out += [state(s), s.h is p.h]
            p = q
        return out

    np.testing.assert_equal(run(tracefn.function), run(lambda f: f))


def test_copies_of_lists():
    def life(x):
        board = [[x[0], x[1]], [x[1], x[0]]]
        other = copy.deepcopy(board)
        other[0][0] = 7.0
        shallow = copy.copy(board)
        shallow[0][1] = 5.0
        return board, other, shallow, copy.deepcopy(x), copy.copy(x)

    assert_all_agree(life, (X,), (X * 2,))


def test_a_copy_of_an_array_outside_is_read_at_each_call():
    model = Model()

    def f(x):
        return copy.deepcopy(model).w + x + copy.deepcopy(model.w)

    traced = tracefn.function(f, on_unsupported="error")
    for _ in range(3):
        np.testing.assert_array_equal(traced(X), f(X))
        model.w += 1
        np.testing.assert_array_equal(traced(X), f(X))
        model.w = model.w * 2


class Counted:
    def __deepcopy__(self, memo):
        return self


def test_what_the_class_says_of_copies():
    counted = Counted()
    traced = tracefn.function(lambda x: copy.deepcopy(counted), on_unsupported="eager")
    with pytest.warns(tracefn.errors.FallbackWarning, match="is copied"):
        assert traced(X) is counted


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_functions_that_are_defined_in_a_call():
    w = np.ones(2)

    def add(x):
        return lambda y: y + x + w

    def constant(x):
        def inner(y):
            return y if y > 0 else -y

        return inner

    for function in (add, constant):
        traced = tracefn.function(function, on_unsupported="eager")
        for x in (X, X * 2):
            np.testing.assert_array_equal(traced(x)(np.float64(-2)), function(x)(np.float64(-2)))
        w += 1
        np.testing.assert_array_equal(traced(X)(np.float64(-2)), function(X)(np.float64(-2)))


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("make", [iter, enumerate, lambda x: zip(x, "ab", strict=False)])
def test_iterators_of_arrays_show_their_memory(make):
    def keep(held, x):
        held.it = make(x)

    for function in (keep, tracefn.function(keep, on_unsupported="eager")):
        for number in (7.0, 8.0):
            held, x = types.SimpleNamespace(), np.ones(2)
            function(held, x)
            x[:] = number
            assert type(held.it) is type(make(x))
            assert next(held.it) == next(make(x))


def helper(y):
    return y if y > 0 else -y


def test_functions_from_outside_are_themselves():
    assert tracefn.function(lambda x: (helper, x))(X)[0] is helper


class Opaque(types.SimpleNamespace):
    pass


def test_the_message_names_the_protocol_and_the_function():
    with pytest.raises(tracefn.errors.UnsupportedResultError, match=r"(?s)iterator.*test_objects_that.*flatten__"):
        tracefn.function(lambda x: iter([x]), on_unsupported="error")(X)


def test_slices_of_a_library_that_an_object_keeps_are_real_ones():
    def regions(labels):
        return [Vector(at, labels.sum()) for at in ndimage.find_objects(labels)]

    traced, labels = tracefn.function(regions), np.array([[0, 1, 1], [2, 2, 0]])
    for _ in range(2):
        assert [(r.x, r.y) for r in traced(labels)] == [(r.x, r.y) for r in regions(labels)]
        assert labels[traced(labels)[0].x].tolist() == [[1, 1]]


class Entry:
    def __init__(self, value, count):
        self.value, self.count = value, count


class Entries:
    def __init__(self):
        self.made, self.last, self.count = [], None, 0

    def in_a_branch(self, x):
        if x > 0:
            self.made.append(Entry(x, self.count))
        self.count += 1
        return x

    def with_more_in_a_branch(self, x):
        self.last = Entry(x, 1)
        if x > 0:
            self.last.more = x * 2
        return x


@pytest.mark.parametrize("name", ["in_a_branch", "with_more_in_a_branch"])
def test_attributes_that_a_branch_sets(name):
    mine, theirs, run = Entries(), Entries(), getattr(Entries, name)
    traced = tracefn.function(run)

    def told(entries):
        return repr([vars(e) for e in [*entries.made, *([entries.last] if entries.last else [])]])

    for x in (1.0, -1.0, 2.0, 0.0):
        assert traced(mine, np.float64(x)) == run(theirs, np.float64(x))
        assert told(mine) == told(theirs)
    assert traced.tracing_count == 1
