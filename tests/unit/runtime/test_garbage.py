"""Times at which Python does not look for garbage."""

import gc

import pytest
from tracefn.runtime.garbage import no_collection


@pytest.fixture(autouse=True)
def collector():
    gc.unfreeze()
    gc.collect()
    yield
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
