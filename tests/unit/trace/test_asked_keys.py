"""Code that asks a dict for one key depends on that key, and not on the others."""

import sys
import types

import numpy as np
import pytest
import tracefn

NAME = "tracefn_no_such_module"


def _is_loaded(name):
    return name in sys.modules


def by_in(x):
    return x * 2 if NAME in sys.modules else x + 1


def by_get(x):
    return x + 1 if sys.modules.get(NAME) is None else x * 2


def by_item(x):
    try:
        sys.modules[NAME]
    except KeyError:
        return x + 1
    return x * 2


def by_call(x):
    return x * 2 if _is_loaded(NAME) else x + 1


@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize("function", [by_in, by_get, by_item, by_call])
def test_another_module_is_imported(function, autograph, monkeypatch):
    traced = tracefn.function(function, autograph=autograph)
    x = np.arange(3.0)
    assert list(traced(x)) == [1, 2, 3]
    monkeypatch.setitem(sys.modules, "tracefn_another_module", types.ModuleType("another"))
    assert list(traced(x)) == [1, 2, 3]
    if autograph:
        assert traced.tracing_count == 1
    monkeypatch.setitem(sys.modules, NAME, types.ModuleType(NAME))
    assert list(traced(x)) == [0, 2, 4]
    monkeypatch.delitem(sys.modules, NAME)
    assert list(traced(x)) == [1, 2, 3]


class Scaled:
    def __init__(self, by):
        self.by = by

    def __mul__(self, x):  # NumPy and Python's operators call it as it is written
        return x * self.by if _is_loaded(NAME) else x + self.by


def test_a_special_method_asks_for_a_module(monkeypatch):
    traced = tracefn.function(lambda scaled, x: scaled * x)
    scaled, x = Scaled(2.0), np.arange(3.0)
    assert list(traced(scaled, x)) == [2, 3, 4]
    guards = traced.concrete_functions[0]._execution.target
    assert len(guards.values) + len(guards.identities) < 50
    monkeypatch.setitem(sys.modules, NAME, types.ModuleType(NAME))
    assert list(traced(scaled, x)) == [0, 2, 4]
    monkeypatch.setitem(sys.modules, NAME, types.ModuleType(NAME))
    assert list(traced(scaled, x)) == [0, 2, 4]
    monkeypatch.delitem(sys.modules, NAME)
    assert list(traced(scaled, x)) == [2, 3, 4]


class Options:
    def __init__(self):
        self.held = {"scale": 3.0}

    @tracefn.function(jit="now")
    def get(self, x):
        return x if self.held.get("shift") is None else x + self.held["shift"]

    @tracefn.function
    def item(self, x):
        try:
            return x + self.held["shift"]
        except KeyError:
            return x

    @tracefn.function
    def changed(self, x):
        self.held.pop("gone", None)
        self.held.update(scale=4.0)
        return x + self.held["shift"] if "shift" in self.held else x


@pytest.mark.parametrize("name", ["get", "item", "changed"])
def test_a_key_is_set_and_deleted(name):
    options, x = Options(), np.arange(3.0)
    method = getattr(options, name)
    assert list(method(x)) == [0, 1, 2]
    assert list(method(x)) == [0, 1, 2]
    for shift in (1, None, 2.0, ...):
        if shift in (None, ...):
            options.held.pop("shift")
            assert list(method(x)) == [0, 1, 2]
        else:
            options.held["shift"] = shift
            assert list(method(x)) == [shift, shift + 1, shift + 2]
    options.held["shift"] = ...
    with pytest.raises(TypeError, match="ellipsis"):
        method(x)


@pytest.mark.parametrize("name", ["get", "item"])
def test_unread_keys_cause_no_retrace(name):
    options, x = Options(), np.arange(3.0)
    method = getattr(options, name)
    method(x)
    options.held["other"] = object()
    assert list(method(x)) == [0, 1, 2]
    assert method.tracing_count == 1
    assert "self.held['shift']: not set" in str(method.explain())


def test_another_kind_of_dict_takes_its_place():
    from collections import defaultdict

    options, x = Options(), np.arange(3.0)
    assert list(options.item(x)) == [0, 1, 2]
    options.held = defaultdict(lambda: 5.0, options.held)
    assert list(options.item(x)) == [5, 6, 7]
