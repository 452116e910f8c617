"""When a signature gets a native program: at once, after long or many calls, or never; and what is told of it."""

import functools
import gc
import os
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import tracefn
from native_outcomes import resident
from tracefn.codegen.machine import abi
from tracefn.runtime import native_program, tiers, worker, worth

needs_llvm = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())
X = np.arange(4.0)
SIGNATURES = int(os.environ.get("TRACEFN_SIGNATURES", "100"))


def chain(x):
    return np.sqrt(x) * 2 + x


def plan(f):
    worker.wait_until_built()
    return f.concrete_functions[0].plan


@needs_llvm
def test_now_is_before_the_first_run():
    with tracefn.events.record() as events:
        f = tracefn.function(chain, jit="now")
        f(X)
    assert plan(f) == "native"
    ready = [(e.plan, e.device) for e in events if e.type == "plan.ready"]
    assert ready == [("numpy", "cpu"), ("native", "cpu")]
    native = [e for e in events if e.type == "plan.ready"][1]
    assert native.size > 0 and native.duration_ns > 0 and "kernel0(x)" in native.source


@needs_llvm
def test_what_waits_and_what_is_built_is_told():
    started, free = threading.Event(), threading.Event()
    worker.WORKER.put(lambda: started, lambda event: (event.set(), free.wait(30)))
    started.wait(30)
    with tracefn.events.record() as events:
        f, lost = tracefn.function(chain, jit="auto"), tracefn.function(chain, jit="auto")
        for function in (f, lost):
            for _ in range(2 * tiers.OFTEN):
                function(X)
        ids = [function.concrete_functions[0].signature_id for function in (f, lost)]
        del lost, function
        gc.collect()
        free.set()
        worker.wait_until_built()
    told = [(e.signature, getattr(e, "state", e.type)) for e in events if e.type in ("plan.build", "plan.ready")]
    first, second = ([state for signature, state in told if signature == name] for name in ids)
    assert first == ["plan.ready", "queued", "building", "plan.ready"]
    assert second == ["plan.ready", "queued", "gone"]


def test_off_is_never():
    f = tracefn.function(chain, jit="off")
    for _ in range(2 * tiers.OFTEN):
        f(X)
    assert plan(f) == "numpy"
    assert f.concrete_functions[0].native_program is None


@needs_llvm
def test_many_calls_get_native_code():
    with tracefn.config.jit("auto"):
        f = tracefn.function(chain)
        f(X)
        f(X)
        assert plan(f) == "numpy"
        for _ in range(2 * tiers.OFTEN):
            f(X)
        assert plan(f) == "native"
        np.testing.assert_array_equal(f(X), chain(X))
    assert f.concrete_functions[0].calls.count == 2 * tiers.OFTEN + 3


@needs_llvm
def test_a_long_first_run_gets_native_code_in_the_background(monkeypatch):
    monkeypatch.setattr(worth, "START_NS", 0)
    big = np.ones(1 << 21)
    built_in = []

    def build(owner, original=tiers.build):
        built_in.append(threading.current_thread())
        original(owner)

    before, tiers.build = tiers.build, build
    try:
        f = tracefn.function(chain, jit="auto")
        np.testing.assert_array_equal(f(big), chain(big))
        assert plan(f) == "native"
    finally:
        tiers.build = before
    assert [t.name for t in built_in] == ["tracefn compiler"]
    np.testing.assert_array_equal(f(big), chain(big))


def slow(x):
    return np.cumsum(np.tanh(np.sin(x)) * 2) + x


@needs_llvm
@pytest.mark.parametrize("calls", [3, 5])
def test_calls_are_long_together(monkeypatch, calls):
    big = np.ones(1 << 18)
    monkeypatch.setattr(worth, "START_NS", 5_000_000)
    f = tracefn.function(slow, jit="auto")
    monkeypatch.setattr(tiers.Heat, "first_run", lambda heat, duration: None)
    for _ in range(calls):
        f(big)
    assert plan(f) == ("numpy" if calls <= tiers.RARE else "native")


@pytest.mark.parametrize(("duration_ns", "asks_at"), [(10_000_000, 4), (1_000_000, 10), (1_000, 64)])
def test_a_process_builds_when_calls_have_taken_a_quarter_of_the_time(monkeypatch, duration_ns, asks_at):
    monkeypatch.setattr(tiers.elsewhere, "is_wanted", lambda: True)
    monkeypatch.setattr(worth, "cost_ns", lambda nodes: 40_000_000)
    asked = []
    monkeypatch.setattr(tiers, "native_later", lambda owner: asked.append(calls.count))
    f = tracefn.function(chain, jit="auto")
    f(X)
    calls = f.concrete_functions[0].calls
    time = type(calls).time
    monkeypatch.setattr(type(calls), "time", lambda self, _: time(self, duration_ns))
    for _ in range(2 * tiers.OFTEN):
        f(X)
    assert asked == [asks_at]


@needs_llvm
def test_what_is_done_in_libraries_is_not_built(monkeypatch):
    def products(x):
        return np.abs(x @ x) * 2

    def chain_of_products(x, y):
        return x @ y @ y

    def told(f, *args):
        with tracefn.events.record() as events:
            f(*args)
            tiers.build_later(f.concrete_functions[0]._execution)
            worker.wait_until_built()
        return [e.reason for e in events if e.type == "plan.kept"]

    x = np.ones((700, 700))
    (reason,) = told(tracefn.function(products, jit="off"), x)
    assert reason.endswith("of its time is that of BLAS")
    assert not told(tracefn.function(products, jit="off"), x[:4, :4])
    for work, given in ((chain_of_products, (x, x)), (lambda x: np.tanh(x), (x,)), (lambda x: x.T, (x,))):
        assert worth.futile(tracefn.function(work).get_concrete_function(*given).graph) == ""
    for name in ("linalg.svd", "fft.fft", "sort"):
        work = functools.reduce(getattr, name.split("."), np)
        assert worth.futile(tracefn.function(lambda x, f=work: f(x)).get_concrete_function(x).graph)


@needs_llvm
def test_what_was_not_better_is_remembered(monkeypatch, tmp_path):
    monkeypatch.setenv("TRACEFN_CACHE", str(tmp_path))
    reasons = []
    for _ in range(2):
        with tracefn.events.record() as events:
            f = tracefn.function(lambda x: np.argwhere(x), jit="now")
            f(X)
            worker.wait_until_built()
        reasons += [e.reason for e in events if e.type == "plan.kept"]
        assert plan(f) == "numpy" and f.concrete_functions[0]._execution.has_direct
        monkeypatch.setattr(native_program, "NativeProgram", lambda *_: pytest.fail("it is built again"))
    assert reasons == ["no part of the graph is worth a kernel"] * 2


@needs_llvm
def test_what_has_no_kernel_stays_and_says_why():
    with tracefn.events.record() as events:
        f = tracefn.function(lambda x: np.sort(x), jit="now")
        f(X)
    assert plan(f) == "numpy"
    (kept,) = [e for e in events if e.type == "plan.kept"]
    assert (kept.plan, kept.reason) == ("numpy", "no part of the graph is worth a kernel")


@needs_llvm
def test_a_failed_compilation_is_an_event(monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("LLVM ERROR: no")

    monkeypatch.setattr(native_program, "NativeKernel", fail)
    with tracefn.events.record() as events:
        f = tracefn.function(chain, jit="now")
        np.testing.assert_array_equal(f(X), chain(X))
    assert plan(f) == "numpy"
    assert [e.reason for e in events if e.type == "plan.kept"] == ["RuntimeError: LLVM ERROR: no"]


def test_without_llvmlite_everything_works(monkeypatch):
    monkeypatch.setattr(abi, "unavailable", lambda: "llvmlite cannot be imported (no)")
    with tracefn.events.record() as events:
        f = tracefn.function(chain, jit="now")
        np.testing.assert_array_equal(f(X), chain(X))
    assert [e.reason for e in events if e.type == "plan.kept"] == ["llvmlite cannot be imported (no)"]


def test_wrong_modes_are_refused():
    with pytest.raises(ValueError, match="jit must be None, 'auto', 'now' or 'off', not 'fast'"):
        tracefn.function(chain, jit="fast")
    with pytest.raises(ValueError, match="'auto', 'now', 'off', not True"):
        tracefn.config.jit(True)


@needs_llvm
def test_a_signature_that_is_dropped_before_it_is_built_is_let_go():
    f = tracefn.function(chain, jit="off")
    f(X)
    concrete = f.concrete_functions[0]
    reference = weakref.ref(concrete)
    f.clear_cache()
    tiers.build_later(concrete._execution)
    del concrete
    gc.collect()
    assert worker.wait_until_built(30)
    gc.collect()
    assert reference() is None


@needs_llvm
def test_memory_of_many_signatures_is_given_back():
    f = tracefn.function(chain, jit="now", max_traces=2)

    def signatures(lengths):
        for n in lengths:
            f(np.ones(n))
        gc.collect()
        return resident()

    others = tracefn.function(chain, jit="off", max_traces=2)  # fill what is remembered of traces, up to its bounds
    for n in range(min(SIGNATURES, 6000)):
        others(np.ones(n))
    before = signatures(range(1, 180))
    grown = signatures(range(180, 180 + SIGNATURES)) - before
    # what is remembered of a trace that is gone takes 11 kB, of 1024 at most; LLVM keeps 1.5 kB for ever
    limit = 5e6 + 11e3 * min(SIGNATURES, 1024) + 1500 * SIGNATURES
    assert grown < limit, f"{SIGNATURES} kernels keep {grown / 1e6:.1f} MB"


@needs_llvm
def test_a_process_that_ends_while_a_kernel_is_built_ends():
    source = """
import numpy as np, tracefn
f = tracefn.function(lambda x: np.tanh(x) * 2 + np.sin(x) / np.exp(x), jit="auto")
f(np.ones(1 << 21))
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


@needs_llvm
def test_precise_keeps_the_bits_of_numpy():
    def eager(x):
        return np.tanh(x * 0.5 + 1) * np.exp(-x) + x * 2

    x = np.linspace(-3, 3, 10_001)
    f = tracefn.function(eager, jit="now", precise=True)
    np.testing.assert_array_equal(f(x), eager(x))
    assert plan(f) == "native"
    assert "np.tanh" in f.concrete_functions[0].native_program
    near = tracefn.function(eager, jit="now")
    np.testing.assert_allclose(near(x), eager(x), rtol=1e-13, atol=1e-15)
    assert "np.tanh" not in near.concrete_functions[0].native_program
