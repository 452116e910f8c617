"""Classes with a `__getattribute__` or `__getattr__` of their own, which counts: they see eager code's reads alone."""

import numpy as np
import pytest
import tracefn

pytestmark = pytest.mark.usefixtures("falls_back")
SEEN = []


class SeesEachRead:
    def __init__(self):
        self.v = 0.0

    def __getattribute__(self, name):
        if name != "__class__":  # which `isinstance` asks
            SEEN.append(name)
        return object.__getattribute__(self, name)


class SeesMissingOnes:
    def __init__(self):
        self.v = 0.0

    def __getattr__(self, name):
        SEEN.append(name)
        raise AttributeError(name)


class SeesMissingSlots(SeesMissingOnes):
    __slots__ = ("v", "w")


class HasSlotsAlone:
    __slots__ = ("v", "w")

    def __init__(self):
        self.v = 0.0

    __getattr__ = SeesMissingOnes.__getattr__


def sets(o, x):
    o.v = x.sum()


def sets_another(o, x):
    o.w = x.sum()


def sets_in_branch(o, x):
    if x.sum() > 0:
        o.v = x.sum()


def sets_in_loop(o, x):
    total = x.sum()
    while total > 1:
        o.v = total
        total = total / 2


def deletes(o, x):
    o.v = x.sum()
    del o.v
    o.v = 1.0


def adds(o, x):
    o.v = o.v + x.sum()


@pytest.mark.parametrize("cls", [SeesEachRead, SeesMissingOnes, SeesMissingSlots, HasSlotsAlone])
@pytest.mark.parametrize("f", [sets, sets_another, sets_in_branch, sets_in_loop, deletes, adds])
def test_only_reads_of_eager_code_are_seen(f, cls):
    outcomes = []
    for function in (f, tracefn.function(f)):
        o = cls()
        SEEN.clear()
        for number in range(3):
            function(o, np.full(2, float(number)))
        outcomes.append([*SEEN, object.__getattribute__(o, "v")])
    assert outcomes[0] == outcomes[1]


class Imported:
    """Stands for a module that it imports when it is first asked for something: even `isinstance` asks."""

    def __init__(self, name):
        self._name, self._found = name, None

    @property
    def found(self):
        if self._found is None:
            self._found = __import__(self._name)
        return self._found

    def __getattribute__(self, name):
        if name in ("_name", "_found", "found"):
            return object.__getattribute__(self, name)
        return getattr(self.found, name)


@pytest.mark.parametrize("decorated", [("found",), ("found", "__init__"), ("found", "__getattribute__")], ids=" ".join)
def test_a_property_that_each_read_asks(decorated, monkeypatch):
    monkeypatch.setattr(Imported, "found", property(tracefn.function(Imported.found.fget)))
    for name in decorated[1:]:
        monkeypatch.setattr(Imported, name, tracefn.function(vars(Imported)[name]))
    math = Imported("math")
    scaled = tracefn.function(lambda x: x * math.tau)
    for _ in range(2):
        assert math.floor(2.5) == 2 and math.__name__ == "math"
        assert scaled(np.ones(1)) == np.pi * 2
