"""Native programs whose making is stopped: under way or before its turn, the NumPy program stays."""

import threading
import time

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi
from tracefn.events import BUS
from tracefn.function.execution import Execution
from tracefn.ir.graph import Graph
from tracefn.notebook.batches import Batcher
from tracefn.notebook.queries import Queries
from tracefn.runtime.tiers import build_later, stop_building
from tracefn.runtime.worker import wait_until_built

WAIT = 100
"""How long to wait for what happens, in s."""

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())


class Slow:
    """What takes all the time there is to be built."""

    plan, nodes, graph = "numpy", 1, Graph("slow", (), (), ())

    def __init__(self, name):
        self.function_id, self.signature_id = name, f"{name}/1"
        self.begun, self.cleaned = threading.Event(), threading.Event()

    def kept_native(self):
        return None

    def build_native(self):
        self.begun.set()
        try:
            while True:
                time.sleep(0.001)
        except Exception:
            pytest.fail("stopping is no failure")
        finally:
            self.cleaned.set()

    def use_native(self, program):
        pytest.fail("it was never built")


def told_of(owner):
    events = [e for e in BUS.ledger.snapshot().events if e.signature == owner.signature_id]
    return [getattr(e, "state", None) or getattr(e, "reason", "") for e in events if e.type.startswith("plan.")]


def test_what_is_under_way_ends():
    slow = Slow("slow#1")
    build_later(slow)
    assert slow.begun.wait(WAIT)
    assert stop_building(slow.signature_id)
    assert wait_until_built(WAIT) and slow.cleaned.is_set()
    assert told_of(slow) == ["queued", "building", "compiling was stopped"]


def test_what_waits_is_not_begun_and_what_comes_after_is():
    first, waiting, last = Slow("first#1"), Slow("waiting#1"), Slow("last#1")
    for owner in (first, waiting, last):
        build_later(owner)
    assert first.begun.wait(WAIT)
    assert not stop_building(waiting.signature_id)
    assert stop_building(first.signature_id)
    assert last.begun.wait(WAIT)
    assert stop_building(last.signature_id)
    assert wait_until_built(WAIT)
    assert not waiting.begun.is_set()
    assert told_of(waiting) == ["queued", "gone"]


def test_a_function_goes_on_with_its_numpy_program(monkeypatch):
    begun = threading.Event()
    made = Execution.build_native

    def build_slowly(self):
        begun.set()
        for _ in range(20_000):
            time.sleep(0.001)
        return made(self)

    monkeypatch.setattr(Execution, "build_native", build_slowly)
    f = tracefn.function(lambda x: np.tanh(x) * 2 + 1, jit="auto")
    x = np.ones(100)
    for _ in range(200):
        f(x)
    assert begun.wait(WAIT)
    concrete = f.concrete_functions[0]
    answer = Queries(Batcher(BUS.ledger, ""), None).answer(
        {"id": 1, "query": "stop_build", "signature": concrete.signature_id}
    )
    assert answer == {"id": 1, "ok": True, "result": {"was_built": True}}
    assert wait_until_built(WAIT)
    for _ in range(200):
        np.testing.assert_array_equal(f(x), np.tanh(x) * 2 + 1)
    assert concrete.plan == "numpy" and told_of(concrete)[-1] == "compiling was stopped"
