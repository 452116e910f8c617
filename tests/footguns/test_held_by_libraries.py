"""Arrays, lists, dicts, sets and texts that an object of a library holds: its own, of which a trace has copies."""

import importlib
import random
import sys
import types
import warnings

import numpy as np
import pytest
import tracefn
from pandas._libs.hashtable import Int64HashTable
from tracefn.trace import libraries

SOURCE = """
import math
import numpy as np

class Part:
    def __repr__(self):
        return "part"

class Engine:
    def __init__(self):
        self.table = {"pi": math.pi, "sin": math.sin}
        self.errors, self.names, self.seen = [], ["x", math.sin], {"u"}
        self.array, self.nested = np.arange(3.0), {"a": ([1], 2), "arrays": [np.zeros(2), np.ones(2)]}
        self.part = Part()
        self.symbols = {n: math.sin for n in map(str, range(100))}
        self.known, self.tensor, self.is_outside, self._known = {"k"}, 5.0, "yes", 3

    def has(self, name):
        return name in self.table

    def keep(self, kept):
        self.kept = kept

    def twice(self, x):
        return self.array * x

    def parts(self):
        return [self.errors, 1.0]

class Counted:
    def __init__(self, function):
        self.function, self.count = function, 0

    def __call__(self, x):
        self.count += 1
        return self.function(x)

class Remembered:
    def __init__(self, function, known):
        self.inside, self.known, self.last = Counted(function), known, 0.0

    def value(self, x):
        if x != self.known:
            self.known, self.last = x, self.inside(x)
        return self.last

def value_of(model, x):
    return model.value(x)

def center(first, second, done, fails=False):
    first -= 1
    second /= 2
    done.append(len(done))
    if fails:
        raise ValueError("no center")
    return first + second

def train(engine, x, fails=False):
    engine.errors.append(len(engine.errors))
    engine.array += 1
    engine.steps = getattr(engine, "steps", 0) + 1
    x -= 1
    if fails:
        raise ValueError("not trained")
    return x.sum()

def count(engine, x):
    engine.array += 1
    engine.names.append("z")
    if engine.array[0] == 4 and x[0] < 0:
        raise ValueError("no number")
    return x.sum() if engine.array[0] != 2 else "two"

def counting(function):
    calls, total = 0, Counted(abs)

    def called(x):
        nonlocal calls
        calls += 1
        called.count += 1
        total.count += 2
        return function(x)

    def counts():
        return calls, called.count, total.count

    called.count = 0
    return called, counts

def jump(engine, x):
    engine.nested["a"][0].append(2)
    engine.nested["arrays"][0] += 1
    engine.table["random"].random()
    engine.part.counts = engine.counting(1.0)
    x += engine.random.random() + engine.states.rand()
"""


OUTSIDE, LOG = np.zeros(2), [0]


def set_item(e, x, o):
    e.table["a"] = x
    return e.table["a"] + 1


def add_to_item(e, x, o):
    e.table["pi"] += x
    return e.table["pi"]


def delete(e, x, o):
    if "pi" in e.table:
        del e.table["pi"]
    return e.table.pop("sin", None), e.has("sin")


def update(e, x, o):
    e.table.update(a=x)
    e.table |= {"b": 1}
    return e.table.setdefault("c", x), len(e.table)


def append(e, x, o):
    e.errors.append(x)
    e.names += ["y"]
    return len(e.names)


def set_slice(e, x, o):
    e.names[:] = ["q", "r"]
    return e.names[-1:]


def named_before(e, x, o):
    table = e.table
    table["s"] = x
    return table["s"] + 1, e.has("s")


def in_a_branch(e, x, o):
    if x > 1:
        e.table["a"] = x
    return x


def add_to_set(e, x, o):
    e.seen.add("v")
    return len(e.seen)


def change_a_part(e, x, o):
    e.parts()[0].append(x)
    return e.errors[-1]


def change_inside(e, x, o):
    e.nested["a"][0].append(x)
    return e.nested["a"]


def write_an_array(e, x, o):
    e.array[0] = x
    return e.array.sum()


def write_where(e, x, o):
    array = e.array
    array[array > 1] = x
    np.add(e.array, 1, out=e.array)
    array += x
    return e.array[2]


def write_one_of_several(e, x, o):
    e.nested["arrays"][1][0] = x
    return e.nested["arrays"][1].sum()


def write_a_new_array(e, x, o):
    array = e.twice(x)
    array[0] = 5
    return array, e.array


def change_a_new_list(e, x, o):
    parts = e.parts()
    parts.append(x)
    return parts[1] + parts[2]


def change_of_many(e, x, o):
    e.symbols["a"] = x
    e.symbols["a"] += 1
    del e.symbols["7"]
    e.symbols["7"] = 0
    return e.symbols["a"]


def return_one(e, x, o):
    return e.table, [e.errors]


def store_one(e, x, o):
    o["table"], o["inside"] = e.table, [e.errors]
    return x


def is_the_same(e, x, o):
    return e.table is e.table, e.table is o, e.errors is None


def change_what_it_took(e, x, o):
    mine, other = [1], {"z": 0}
    e.errors = mine
    e.keep(other)
    mine.append(x)
    other["z"] = x
    return mine is e.errors


def write_before_it_takes(e, x, o):
    OUTSIDE[0] = x
    e.array = OUTSIDE
    return e.array is OUTSIDE


def change_what_it_had(e, x, o):
    LOG.append(x)
    e.errors = LOG
    e.count = len(LOG)
    return e.count - len(e.errors), e.errors is LOG


def return_what_it_took(e, x, o):
    mine = [x]
    e.keep({"mine": mine})
    o["mine"] = mine
    return mine is e.kept["mine"]


def names_of_ours(e, x, o):
    e.tensor += x
    return e.tensor, e.is_outside, e._known, "k" in e.known, getattr(e, "tensor", 0), hasattr(e, "_tensor")


def classes_of_texts(e, x, o):
    name = e.names[0]
    return isinstance(name, str), isinstance(name, int | list), type(name), name.__class__, x


def other_questions(e, x, o):
    return callable(e), callable(e.has), isinstance(e.has, types.MethodType), np.isscalar(e.names[0]), np.isscalar(e), x


def same_objects(e, x, o):
    return e.part is e.part, e.part is e, e.part is not None, x


def same_texts(e, x, o):
    name = e.names[0]
    return name is name, e.is_outside is e.is_outside, x


def keep_what_the_caller_has(e, x, o):
    log = o.setdefault("log", [])
    log.append(x)
    e.keep(o)
    e.errors = log
    return len(log)


def special_methods(e, x, o):
    e.__init__()
    return e.__doc__, e.__module__, e.part.__str__(), e.part.__repr__(), e.part.__format__(""), x


def matched_text(e, x, o):
    match e.names[0]:
        case str():
            return x
        case _:
            return -x


def objects_it_changes(e, x, o):
    library, first = sys.modules[type(e).__module__], np.full(2, x)
    return library.train(e, first), first


def objects_it_changes_before_it_raises(e, x, o):
    library, first = sys.modules[type(e).__module__], np.full(2, x)
    try:
        library.train(e, first, fails=True)
    except ValueError:
        return first


FUNCTIONS = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__ and callable(f)]


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """The class of an installed package."""
    folder = tmp_path / "site-packages"
    (folder / "engines_of_tests").mkdir(parents=True)
    (folder / "engines_of_tests" / "__init__.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "engines_of_tests", raising=False)
    return importlib.import_module("engines_of_tests").Engine


_MUTABLE = (list, dict, set, np.ndarray)


def outcomes(function, engine):
    """Results and state of some calls, with what is held in several places."""
    found, LOG[:] = [], [0]
    for number in range(3):
        if number != 1:  # the object of another call, or the same
            e, o = engine(), {}
        result = function(e, float(number), o)
        held = {id(v): name for name, v in vars(e).items() if isinstance(v, _MUTABLE)}
        reached = [o, *o.values(), *[p for v in o.values() if isinstance(v, list) for p in v]]
        for part in result if isinstance(result, tuple) else [result]:
            reached += [part, *(part if isinstance(part, list) else ())]
        found.append(repr((result, vars(e), o, [held.get(id(v)) for v in reached if isinstance(v, _MUTABLE)])))
    return found


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_containers_of_a_library_are_its_own(function, engine):
    with warnings.catch_warnings(action="ignore"):
        traced = outcomes(tracefn.function(function, on_unsupported="eager"), engine)
    expected = outcomes(function, engine)
    assert traced == expected


def test_what_a_library_makes_anew_stays_in_the_graph(engine):
    new = tracefn.function(lambda e, x: (change_a_new_list(e, x, None), write_a_new_array(e, x, None)[0].sum()))
    assert new(engine(), 2.0) == (3.0, 11.0) and not new.fallbacks


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("fails", [False, True])
def test_arrays_and_lists_that_a_library_writes_are_written_once(fails, engine):
    center = sys.modules[engine.__module__].center
    traced = tracefn.function(lambda first, second, done: center(first, second, done, fails), on_unsupported="eager")
    for _ in range(3):
        first, second, done = np.arange(2.0), np.ones(2), ["a"]
        try:
            traced(first, second, done)
        except ValueError:
            assert fails
        assert first.tolist() == [-1, 0] and second.tolist() == [0.5, 0.5] and done == ["a", 1]


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_what_a_library_has_done_at_a_call_that_is_made_again_is_done_once(engine):
    count = sys.modules[engine.__module__].count

    def counted(e, x):
        try:
            return count(e, x * 2), x + 1
        except ValueError:
            return x

    traced, one, other = tracefn.function(counted, on_unsupported="eager"), engine(), engine()
    for number in (0.0, 1.0, 2.0, -1.0, 3.0):
        assert str(traced(one, np.full(2, number))) == str(counted(other, np.full(2, number)))
        assert (one.array.tolist(), one.names) == (other.array.tolist(), other.names)


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("is_pure", [False, True])
@pytest.mark.parametrize("known", [None, 1.0], ids=["while tracing", "at a later call"])
def test_objects_inside_an_object_of_a_library_change_once(known, is_pure, engine, monkeypatch):
    """The callback counts, which no step does: its changes, and those of the library around it, are taken back."""
    monkeypatch.setattr(libraries, "PURE_PACKAGES", {engine.__module__} if is_pure else set())
    calls, library = [], sys.modules[engine.__module__]
    model = library.Remembered(lambda x: calls.append(x) or x * 2.0, known)
    traced = tracefn.function(lambda model, x: library.value_of(model, x) + 1.0, on_unsupported="eager")
    for number in (1.0, 2.0, 3.0):
        assert traced(model, np.float64(number)) == (1.0 if number == known else 2 * number + 1)
        assert len(calls) == model.inside.count == number - (known or 0)


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("is_pure", [False, True])
def test_all_that_an_object_of_a_library_holds_changes_once(is_pure, engine, monkeypatch):
    monkeypatch.setattr(libraries, "PURE_PACKAGES", {engine.__module__} if is_pure else set())
    library = sys.modules[engine.__module__]

    def outcomes(jump):
        model, found = engine(), []
        model.random, model.states = np.random.default_rng(0), np.random.RandomState(1)
        model.table["random"] = random.Random(2)
        model.counting, counts = library.counting(abs)
        for _ in range(3):
            array = np.zeros(2)
            jump(model, array)
            found += [array.tolist(), repr(model.nested), model.table["random"].random(), counts()]
        return found

    traced = tracefn.function(lambda model, x: library.jump(model, x), on_unsupported="eager")
    assert outcomes(traced) == outcomes(library.jump)


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("is_pure", [False, True])
def test_variables_around_a_function_of_a_library_change_once(is_pure, engine, monkeypatch):
    monkeypatch.setattr(libraries, "PURE_PACKAGES", {engine.__module__} if is_pure else set())
    library, calls = sys.modules[engine.__module__], []
    called, counts = library.counting(lambda x: calls.append(x) or x * 2)
    plain, counts_of_plain = library.counting(abs)

    def apply(function, x):
        return library.value_of(types.SimpleNamespace(value=function), x) + 1

    traced = tracefn.function(apply, on_unsupported="eager")
    for number in range(1, 4):
        assert traced(called, np.float64(number)) == 2 * number + 1
        assert traced(plain, np.float64(number)) == number + 1
        assert counts() == counts_of_plain() == (number, number, 2 * number) and len(calls) == number


class Dice(random.Random):
    """A class of the user's made of one in C: its state is no attribute."""

    def two(self):
        return self.random() + self.gauss(0, 1)


class Table(Int64HashTable):
    pass


def filled(table, key):
    table.set_item(key, key)
    return table


FORMS_OF_CLASSES_IN_C = {
    "method": (lambda: Dice(3), lambda dice, x: dice.random() * x, lambda dice, k: None),
    "own method": (lambda: Dice(3), lambda dice, x: dice.two() * x, lambda dice, k: None),
    "read": (lambda: filled(Table(), 0), lambda table, x: table.get_item(0) * x, lambda t, k: t.set_item(0, k)),
    "length": (Table, lambda table, x: len(table) * x, filled),
    "key": (Table, lambda table, x: x if 2 in table else -x, filled),
    "made": (Table, lambda table, x: len(filled(Table(), 1) if x > 1 else Table()) * x, filled),
}


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("form", FORMS_OF_CLASSES_IN_C)
def test_classes_made_of_one_in_c_have_the_state_of_the_call(form):
    make, ask, change = FORMS_OF_CLASSES_IN_C[form]

    def results(function):
        owner, found = make(), []
        asked = function(lambda x: ask(owner, x))
        for k in range(4):
            change(owner, k)
            found.append(asked(np.float64(k)))
        return found

    with tracefn.config.on_unsupported("eager"):
        assert results(tracefn.function) == results(lambda f: f)
