"""Bound methods of traced functions, kept, given, compared and called in many ways: as those of plain functions."""

from __future__ import annotations

import linecache

import numpy as np
import pytest
import tracefn

PROGRAM = """
import functools

import numpy as np


class Inner:
    def __init__(self, k):
        self.k = k
        self.n = 0

    @deco
    def scale(self, x):
        self.n += 1
        return x * self.k + self.n

    @deco
    @classmethod
    def cls_m(cls, x):
        return x * cls.W

    @deco
    @staticmethod
    def st(x):
        return x + 1

    W = 3.0

    def plain(self, x):
        return self.scale(x) + 1


class Sub(Inner):
    W = 4.0

    @deco
    def scale(self, x):
        return super().scale(x) * 2


a, b = Inner(2.0), Inner(5.0)
s = Sub(7.0)


class Holder:
    def __init__(self):
        self.f = a.scale
        self.fs = [a.scale, b.scale]
        self.d = {"p": a.scale}
        self.o = a
        self.part = functools.partial(a.scale)

    @deco
    def by_attr(self, x):
        return self.f(x)

    @deco
    def by_list(self, x):
        return self.fs[0](x) + self.fs[1](x)

    @deco
    def by_dict(self, x):
        return self.d["p"](x)

    @deco
    def by_obj(self, x):
        return self.o.scale(x)

    @deco
    def by_part(self, x):
        return self.part(x)

    @deco
    def same(self, x):
        return x * (2 if self.f == self.o.scale else 3)

    @deco
    def give(self, x):
        return self.o.scale

    @deco
    def give_new(self, x):
        o = Inner(x[0])
        return o.scale

    @deco
    def keep(self, x):
        self.f = self.o.scale
        return x

    @deco
    def swap(self, x):
        self.o = b if self.o is a else a
        return self.o.scale(x)

    @deco
    def mapped(self, x):
        return sum(map(self.o.scale, [x, x + 1]))

    @deco
    def ids(self, x):
        return x * len({self.f, self.o.scale, self.f})

    @deco
    def name(self, x):
        return x * len(self.f.__name__)

    @deco
    def slf(self, x):
        return x * self.f.__self__.k

    @deco
    def choose(self, x):
        m = self.o.scale if x[0] > 0 else b.scale
        return m(x)

    @deco
    def red(self, x):
        return functools.reduce(lambda acc, f: f(acc), self.fs, x)

    @deco
    def attr(self, x):
        return getattr(self.o, "sca" + "le")(x)

    @deco
    def plainc(self, x):
        return self.o.plain(x)


h = Holder()
g = a.scale


@deco
def by_name(x):
    return g(x)


@deco
def arg(f, x):
    return f(x) + 1


@deco
def make(x):
    m = Inner(3.0)
    return m.scale(x) + m.n


@deco
def apply(x):
    return np.apply_along_axis(a.scale, 0, x)


@deco
def vec(x):
    return np.vectorize(a.k.__mul__)(x)


@deco
def supers(x):
    return s.scale(x)


@deco
def classes(x):
    return Inner.cls_m(x) + Sub.cls_m(x) + a.cls_m(x) + Inner.st(x) + s.st(x)


@deco
def caught(x):
    try:
        return a.scale(None)
    except TypeError:
        return x


@deco
def srt(x):
    return sorted([x[1], x[0]], key=a.scale)[0]


NAMES = "by_attr by_list by_dict by_obj by_part same keep swap mapped ids name slf choose red attr plainc".split()


def steps():
    x = np.array([1.0, 2.0])
    out = []
    for k in range(4):
        for (
            n
        ) in NAMES:
            out.append((n, getattr(h, n)(x + k)))
        out.append(("give", h.give(x)(x)))
        out.append(("give_self", h.give(x).__self__ is h.o))
        out.append(("give_new", h.give_new(x + k)(x)))
        for f in (by_name, make, apply, supers, classes, caught, srt, vec):
            out.append((f.__name__, f(x + k)))
        out.append(("arg", arg(a.scale, x)))
        out.append(("arg2", arg(b.scale, x - k)))
        if k == 1:
            a.k = 3.0
            Inner.W = 9.0
            h.fs.reverse()
        if k == 2:
            h.d["p"] = b.scale
            globals()["g"] = b.scale
        out.append(("state", (a.k, a.n, b.n, s.n, h.o is a, h.f.__self__ is a)))
    return out
"""


def outcome(deco, name):
    linecache.cache[name] = (len(PROGRAM), None, PROGRAM.splitlines(True), name)
    namespace = {"deco": deco, "__name__": name}
    exec(compile(PROGRAM, name, "exec"), namespace)
    return namespace["steps"]()


@pytest.mark.usefixtures("falls_back")
def test_bound_methods_are_as_those_of_plain_functions():
    eager, traced = outcome(lambda function: function, "<eager methods>"), outcome(tracefn.function, "<traced methods>")
    for (name, wanted), (_, got) in zip(eager, traced, strict=True):
        np.testing.assert_array_equal(np.asarray(got, float), np.asarray(wanted, float), err_msg=name)


def test_a_static_method_that_a_call_sets_stays_one():
    class Backend:
        @classmethod
        def register(cls, name, function):
            setattr(cls, name, staticmethod(function))

    Backend.register = classmethod(tracefn.function(Backend.__dict__["register"].__func__, on_unsupported="eager"))
    add = tracefn.function(lambda x, y: x + y)
    for function in (add, np.add, lambda x, y: x + y):
        Backend.register("add", function)
        assert type(vars(Backend)["add"]) is staticmethod and Backend().add(1, 2) == 3


def test_a_class_is_given_another_name():
    class Named:
        pass

    @tracefn.function(on_unsupported="eager")
    def rename(x, name):
        Named.__name__ = name
        return x + len(Named.__name__)

    assert [rename(np.ones(1), name).tolist() + [Named.__name__] for name in ("A", "Bc", "A")] == [
        [2.0, "A"], [3.0, "Bc"], [2.0, "A"],
    ]  # fmt: skip


UNNAMED = """
class Gain:
    def of(self, x): return x * self.by
gain = Gain()
gain.by = 2.0
of = gain.of
def f(x): return gain.of(of(x))
"""


def test_a_class_made_in_a_namespace_without_a_name_is_the_users(monkeypatch):
    monkeypatch.setitem(linecache.cache, "<unnamed>", (len(UNNAMED), None, UNNAMED.splitlines(True), "<unnamed>"))
    names = {}
    exec(compile(UNNAMED, "<unnamed>", "exec"), names)
    f = tracefn.function(names["f"], on_unsupported="error")
    assert f(np.ones(2)).tolist() == [4, 4]
    names["gain"].by = 3.0
    assert f(np.ones(2)).tolist() == [9, 9]
    names["gain"].of = lambda x: x - 100
    assert f(np.ones(2)).tolist() == [-97, -97]
