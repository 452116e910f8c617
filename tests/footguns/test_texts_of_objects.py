"""Texts of objects are those of each call: of the user's, which change between calls, and of libraries, which are no
arrays."""

# ruff: noqa: F524, UP030, UP031, UP032

import collections
import dataclasses
import datetime
import decimal
import fractions
import functools
import pprint
import reprlib
import string
import types
import warnings

import numpy as np
import pytest
import tracefn

pytestmark = pytest.mark.usefixtures("falls_back")


class Shown:
    def __init__(self, a):
        self.a = a

    def __str__(self):
        return f"<{self.a}>"

    def __repr__(self):
        return "Shown(%r)" % (self.a,)


class Formatted(Shown):
    def __format__(self, spec):
        return format(self.a, spec or ".3f")


@dataclasses.dataclass
class Fields:
    a: float
    tag: str = "t"
    hidden: int = dataclasses.field(default=3, repr=False)


@dataclasses.dataclass
class WithItsOwn:
    a: float

    def __repr__(self):
        return f"a is {self.a}"


Pair = collections.namedtuple("Pair", "first a")


def f_strings(o, x):
    return f"{o} {o!r} {o!s:>12}|{x:.1f}", f"{o=}"


def specs(o, x):
    return f"{o:>9}", x


def formats(o, x):
    return "{} {!r} {0.a}".replace("{} {!r}", "{0} {0!r}").format(o), "{:.1f} {}".format(x, o), format(o)


def formats_of_parts(o, x):
    return "{k.a} {v[0].a} {w[k]}".format(k=o, v=[o, x], w={"k": o}), "{k!s:>{n}}".format_map({"k": o, "n": 9})


def percents(o, x):
    return "%s %r %.1f" % (o, o, x), "%-9s|%9r|%.2s|%%" % (o, o, o), "%*s" % (9, o)


def percents_of_names(o, x):
    return "%(o)s %(x)5.1f %(o)r" % {"o": o, "x": x}


def containers(o, x):
    return f"{[o, 1]}", str((o,)), repr({"k": [o, x]}), "%s" % [o], "{}".format({1: (o, "t")})


def tuples_and_sets(o, x):
    return f"{Pair(o, x)}", str(collections.deque([o, x])), str({o.a})


def hidden(o, x):
    return str(ValueError(o)), str({"k": o}.values()), str(np.array([o], dtype=object)), x


def changed(o, x):
    o.a = o.a + x
    return "%s" % o, "{}".format(o), f"{[o]}"


def numbers(o, x):
    return "%.2f" % o, x


def by_methods(o, x):
    o.a = o.a + 1
    return o.__str__(), object.__str__(o), o.__format__(""), [o].__str__(), list.__repr__([o]), {"k": o}.__repr__()


def by_libraries(o, x):
    o.a = o.a + 1
    return pprint.pformat({"k": [o]}), pprint.saferepr(o), reprlib.repr([o]), string.Formatter().format("{}", o)


def of_lists_of_numbers(o, x):
    o.a = o.a + x
    return reprlib.repr([o.a]), pprint.pformat({"a": o.a}), [o.a].__str__()


def of_arrays_of_objects(o, x):
    o.a = o.a + 1
    held = np.array([o], dtype=object)
    return np.array2string(held), f"{held}", np.array_repr(held), np.array_str(held), pprint.pformat(held)


def too_few(o, x):
    return "{} {}".format(o), x


USES = [
    f_strings, specs, formats, formats_of_parts, percents, percents_of_names, containers, tuples_and_sets, changed,
    numbers, too_few, hidden, by_methods, by_libraries, of_lists_of_numbers, of_arrays_of_objects,
]  # fmt: skip


def outcome(function, *args):
    try:
        return function(*args)
    except (TypeError, IndexError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
@pytest.mark.parametrize("cls", [Shown, Formatted, Fields, WithItsOwn], ids=lambda cls: cls.__name__)
def test_the_text_of_an_object_is_that_of_the_call(cls, use):
    mine, theirs, traced = cls(1.0), cls(1.0), tracefn.function(use)
    for x, a in [(1.0, 2.5), (2.0, -1.0), (3.0, 7.25), (4.0, 0.5)]:
        assert outcome(traced, mine, np.float64(x)) == outcome(use, theirs, np.float64(x))
        mine.a = theirs.a = a


class OnlyRepr:
    def __init__(self, a):
        self.a = a

    def __repr__(self):
        return f"OnlyRepr({self.a})"


@pytest.mark.parametrize("use", [by_methods, by_libraries, of_arrays_of_objects], ids=lambda use: use.__name__)
def test_the_text_of_an_object_with_a_repr_alone_is_that_of_the_call(use):
    mine, theirs, traced = OnlyRepr(0), OnlyRepr(0), tracefn.function(use)
    for x in (1.0, 2.0, 3.0):
        assert traced(mine, np.float64(x)) == use(theirs, np.float64(x))


def fields_of_dates(day, amount, x):
    return f"{day:%d.%m.} {amount:>8.1f} {x:.1f}", f"{day} {amount!r}", format(amount, ".2f")


def dates_in_formats(day, amount, x):
    return "{} {:%Y} {:.1f}".format(day, day, amount), "{0!s}-{1}".format(day, x), "%s|%r|%.1f" % (day, amount, x)


def dates_in_containers(day, amount, x):
    return str([day]), f"{Pair(day, amount)}", "%s" % {"k": day}, "%(d)s %(x).2f" % {"d": day, "x": x}


def dates_of_rounds(day, amount, x):
    found = []
    for k in range(3):
        found.append(f"{day + datetime.timedelta(k):%d}={amount * k}")
    return ",".join(found), x


def no_such_format(day, amount, x):
    try:
        return f"{day - day:>9}", x
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize(
    "use",
    [fields_of_dates, dates_in_formats, dates_in_containers, dates_of_rounds, no_such_format],
    ids=lambda use: use.__name__,
)
def test_the_text_of_a_librarys_object_is_that_of_the_call(use):
    traced = tracefn.function(use)
    day = datetime.date(2024, 2, 27)
    for k, amount in enumerate([decimal.Decimal("1.50"), decimal.Decimal("2"), fractions.Fraction(1, 3)]):
        args = day + datetime.timedelta(k), amount, np.float64(k)
        assert outcome(traced, *args) == outcome(use, *args)


HOLDERS = {
    "values": lambda v: {"a": v}.values(),
    "items": lambda v: {"a": v}.items(),
    "view in a tuple": lambda v: (v, {"a": v}.items()),
    "namespace": lambda v: types.SimpleNamespace(a=v),
    "error": lambda v: ValueError(v, 1),
    "slice": lambda v: slice(v, 1),
    "partial": lambda v: functools.partial(min, v),
    "proxy": lambda v: types.MappingProxyType({"a": v}),
    "chain": lambda v: collections.ChainMap({"a": v}),
    "range": lambda v: range(int(v)),
    "choice": lambda v: None if v > 1 else v,
}
"""Objects whose texts Python itself makes, of the values that they hold."""

OF_HELD = [
    lambda held: str(held),
    lambda held: f"<{held!r}>",
    lambda held: "<%s>" % (held,),
    lambda held: "<{}>".format(held),
    lambda held: ascii(held),
    lambda held: str([held]),
]


@pytest.mark.parametrize("kind", HOLDERS)
def test_the_text_of_an_object_that_holds_traced_values_is_that_of_the_call(kind):
    hold = HOLDERS[kind]
    for use in OF_HELD:
        traced = tracefn.function(lambda x, use=use: use(hold(x[0])))
        for first in (1.0, 2.0, 1.0):
            x = np.array([first])
            assert traced(x) == use(hold(x[0]))


def test_a_format_that_an_object_lacks_is_refused_where_the_text_is_not_used():
    def unused(day):
        _ = f"{day - day:>9}"
        return 1

    with pytest.raises(TypeError, match="unsupported format string"):
        tracefn.function(unused)(datetime.date(2024, 2, 27))


def test_a_fallback_adds_nothing_to_the_names_of_the_users_module():
    namespace = {"__name__": "theirs", "given": tracefn.function(lambda: iter([1]))}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        exec("found = [given() for name in globals()]", namespace)
    assert [w.category for w in told] == [tracefn.errors.FallbackWarning]
