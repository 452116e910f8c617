"""Times at which Python does not look for garbage, and what it may clear when it does."""

import gc
import weakref

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi
from tracefn.function.tracing import new_trace
from tracefn.runtime.calls.native_eager_entry import method_binder
from tracefn.runtime.garbage import no_collection


@pytest.fixture(autouse=True)
def collector():
    gc.unfreeze()
    gc.collect()
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()
    gc.enable()


def generation_of(thing):
    return next((k for k in range(3) if any(o is thing for o in gc.get_objects(generation=k))), None)


def test_nothing_is_collected_within():
    with no_collection():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_stays_for_good_is_old_at_once():
    with no_collection():
        young = [[]]
    with no_collection(for_good=True):
        old = [[]]
    assert generation_of(old) == 2
    assert gc.get_freeze_count() == 0
    assert young


def test_what_the_first_traces_leave_is_old_at_once(monkeypatch):
    monkeypatch.setattr(new_trace, "_FIRST", iter([True]))
    gc.set_threshold(1_000_000)
    traced = [tracefn.function(lambda x, k=k: x + k, jit="off").get_concrete_function(np.ones(2)) for k in range(2)]
    assert [generation_of(each.graph.nodes) == 2 for each in traced] == [True, False]


def test_what_somebody_has_frozen_stays_so():
    gc.freeze()
    frozen = gc.get_freeze_count()
    with no_collection(for_good=True):
        pass
    assert gc.get_freeze_count() == frozen


def test_a_collector_that_is_off_stays_off():
    gc.disable()
    with no_collection(for_good=True):
        young = [[]]
    assert not gc.isenabled()
    assert generation_of(young) == 0


@pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())
def test_the_definition_of_a_function_of_machine_code_outlives_the_function():
    def in_a_cycle():
        function = method_binder(lambda *args: function)
        assert function(len, "ab", str)() == 2
        assert not gc.is_tracked(function.__self__[-1])  # the collector clears what it tracks before the function goes
        return weakref.ref(function)

    functions = [in_a_cycle() for _ in range(20)]
    gc.collect()
    assert [function() for function in functions] == [None] * 20
