"""The process that builds native code: what it builds is as right, and it goes, however it or this process ends."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi, engine
from tracefn.runtime import compiler_main, tiers, worker
from tracefn.runtime.compiler import process
from tracefn.runtime.compiler.frames import Broken, Frames
from tracefn.runtime.kept_program import KeptProgram

pytestmark = [
    pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable()),
    pytest.mark.skipif(os.name != "posix", reason="there is no native code"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]
WAIT = 60
X = np.linspace(0.5, 2, 40)


@pytest.fixture
def compiler(monkeypatch):
    """A compiler of its own for the test, as quick as the machine; this process compiles nothing."""
    made = process.Compiler()
    monkeypatch.setattr(process, "NICENESS", 0)
    for module in (worker, tracefn.runtime.elsewhere):
        monkeypatch.setattr(module, "COMPILER", made)
    monkeypatch.setattr(engine, "_KNOWN", {})
    with tracefn.config.compiler("process"), tracefn.config.jit("auto"):
        yield made
        worker.wait_until_built(WAIT)
    made.end()


@pytest.fixture
def no_llvm(monkeypatch):
    monkeypatch.setattr(engine, "object_code", lambda *_: pytest.fail("LLVM works in this process"))


def built(f, *args):
    """What a function gives when its native program is in use, and what was told."""
    with tracefn.events.record() as events:
        for _ in range(2 * tiers.OFTEN):
            f(*args)
        assert worker.wait_until_built(WAIT)
    found = [e for e in events if e.type in ("plan.build", "plan.kept", "plan.ready", "error")]
    return f(*args), [getattr(e, "state", "") or getattr(e, "reason", "") or e.type for e in found]


def rows(x, y):
    h = np.tanh(x[:, None] * y + 1.0)
    total = 0.0
    for i in range(x.size):
        total += x[i] if x[i] > 1 else -y[i]
    return {"h": h / h.sum(axis=-1, keepdims=True), "total": total}, np.exp(-x) @ h


def same(found, expected):
    for (_, a), (_, b) in zip(*[tracefn.trace.tree.flatten(v, "")[0] for v in (found, expected)], strict=True):
        assert type(a) is type(b)
        np.testing.assert_allclose(a, b, rtol=1e-13)


def test_it_builds_and_this_process_does_not(compiler, no_llvm):
    f = tracefn.function(rows)
    found, told = built(f, X, X)
    assert told == ["plan.ready", "queued", "building", "plan.ready"]
    execution = f.concrete_functions[0]._execution
    assert type(execution.native) is KeptProgram and execution.native.size > 0 and execution.has_direct
    same(found, rows(X, X))
    apart = np.linspace(0.5, 2, 80)[::2]
    same(f(apart, apart), rows(apart, apart))  # which machine code leaves to Python
    g = tracefn.function(lambda x, y: np.sqrt(x) / y)
    built(g, X, X)
    with pytest.warns(RuntimeWarning, match="divide by zero") as warned:
        assert np.isinf(g(X, X * 0)).all()
    assert warned[0].filename == __file__
    told = built(tracefn.function(np.argwhere), X)[1]
    assert told[-1] == tracefn.runtime.elsewhere.NOT_BETTER


def test_it_steps_back_and_hears_no_interrupt_of_the_terminal(compiler, monkeypatch):
    monkeypatch.setattr(process, "NICENESS", 3)
    built(tracefn.function(rows), X, X)
    pid = compiler._running.process.pid
    assert os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0) + 3
    assert os.getsid(pid) == os.getsid(0)  # sessions get equal shares of the processors, whatever their niceness
    assert os.getpgid(pid) != os.getpgid(0)


def test_another_is_started_when_it_was_killed(compiler, no_llvm):
    built(tracefn.function(lambda x: np.tanh(x) + 1), X)
    killed = compiler.pid
    os.kill(killed, signal.SIGKILL)
    f = tracefn.function(lambda x: np.tanh(x) + 2)
    same(built(f, X)[0], np.tanh(X) + 2)
    assert f.concrete_functions[0].plan == "native" and compiler.pid not in (None, killed)
    with pytest.raises(ProcessLookupError):  # no zombie is left
        os.kill(killed, 0)


@pytest.mark.parametrize("start", ["import sys; sys.exit(3)", "print('no message at all' * 9)", "import nothing"])
def test_a_thread_builds_where_there_is_none(compiler, monkeypatch, start):
    monkeypatch.setattr(process, "_START", start)
    monkeypatch.setattr(process, "DEATHS", 2)
    f = tracefn.function(lambda x: np.tanh(x) + 1)
    same(built(f, X)[0], np.tanh(X) + 1)
    told = built(tracefn.function(lambda x: np.tanh(x) + 2), X)[1]
    assert f.concrete_functions[0].plan == "native" and compiler.unavailable and compiler.pid is None
    assert told == ["plan.ready", "queued", "building", "plan.ready"]


def test_a_program_that_cannot_be_started(compiler, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    f = tracefn.function(lambda x: np.tanh(x) + 1)
    told = built(f, X)[1]
    assert f.concrete_functions[0].plan == "native" and told.count("error") == 1
    monkeypatch.setattr(sys, "executable", "/usr/bin/editor")
    assert process.Compiler().unavailable


def test_it_ends_after_idling_and_comes_back(compiler, monkeypatch, no_llvm):
    monkeypatch.setattr(
        process,
        "_START",
        process._START.replace("from", "import tracefn.runtime.compiler_main as m; m.IDLE_S=.05; from"),
    )
    built(tracefn.function(lambda x: np.tanh(x) + 1), X)
    until = time.monotonic() + WAIT
    while compiler.pid is not None and time.monotonic() < until:
        time.sleep(0.02)
    assert compiler.pid is None and not compiler.unavailable
    f = tracefn.function(lambda x: np.tanh(x) + 2)
    built(f, X)
    assert f.concrete_functions[0].plan == "native" and not compiler.unavailable


@pytest.fixture
def deaf(compiler, monkeypatch):
    """A compiler that reads and never answers."""
    monkeypatch.setattr(process, "_START", "import time; time.sleep(1000)")
    yield compiler
    compiler.end()


def ask_for(f):
    """Has a function's program built; what is told of it."""
    events = []
    for _ in range(2 * tiers.OFTEN):
        f(X)
    name = f.concrete_functions[0].signature_id
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        events = [e for e in tracefn.events.BUS.ledger.snapshot().events if e.signature == name]
        if any(getattr(e, "state", "") == "building" for e in events):
            break
        time.sleep(0.01)
    return name


def last_told(name):
    assert worker.wait_until_built(WAIT)
    events = [e for e in tracefn.events.BUS.ledger.snapshot().events if e.signature == name]
    return [getattr(e, "state", "") or getattr(e, "reason", "") for e in events if e.type.startswith("plan.")][-1]


def test_what_is_no_longer_wanted_is_stopped(deaf):
    f, g = tracefn.function(lambda x: np.tanh(x) + 1), tracefn.function(lambda x: np.tanh(x) + 2)
    name, other = ask_for(f), ask_for(g)
    assert tiers.stop_building(name)
    assert not worker.wait_until_built(0.01)
    del g
    gc.collect()
    assert last_told(name) == "compiling was stopped" and last_told(other) == "gone"
    same(f(X), np.tanh(X) + 1)


def test_small_work_need_not_wait_for_large(monkeypatch):
    small_is_done, sent, ended = threading.Event(), [], threading.Event()

    def answer(told, blobs):
        if told["nodes"] > compiler_main.SMALL:
            assert small_is_done.wait(WAIT)
        return str(told["nodes"])

    class Sent:
        def write(self, answer):
            sent.append(answer)
            (small_is_done if answer == "30" else ended if answer == "9000" else threading.Event()).set()

    monkeypatch.setattr(engine, "CONTENTS", None)
    monkeypatch.setattr(compiler_main, "_answer", answer)
    server = compiler_main.Server(Sent())
    with server._changed:  # all are there before the first begins
        for number, nodes in enumerate((9000, 1000, 30, 20)):
            server.take({"id": number, "kind": "program", "nodes": nodes}, [])
    assert ended.wait(WAIT) and sent == ["20", "30", "1000", "9000"]


SCRIPT = """
import os, sys, time, signal
import numpy as np, tracefn
from tracefn.runtime import worker
from tracefn.runtime.compiler import process
process.NICENESS = 0
def build(k):
    f = tracefn.function(lambda x: np.tanh(x) + k, jit="auto")
    for _ in range(200):
        f(np.ones(4))
    return f
{0}
"""


def run(body, **environment):
    started = time.monotonic()
    environment = os.environ | {"TRACEFN_COMPILER": "process", "TRACEFN_JIT": "auto", "HOME": "/nowhere"} | environment
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT.format(body)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT, env=environment)
    assert done.stderr == ""
    return done.stdout.split(), time.monotonic() - started


def is_gone(pid):
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":  # its new parent has not looked yet
                    return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells of processes")
def test_it_ends_with_its_parent():
    # A child that was forked holds the pipe open.
    body = """
build(1); worker.wait_until_built(90)
print(process.COMPILER.pid, flush=True)
child = os.fork()
if child == 0:
    os.close(1); os.close(2); time.sleep(1); os._exit(0)
os.kill(os.getpid(), signal.SIGKILL)
"""
    ((pid,), _) = run(body)
    assert is_gone(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells of processes")
def test_a_process_ends_at_once_and_with_it_its_compiler():
    # The compiler is at work and does not answer.
    body = """
process._START = "import time; time.sleep(1000)"
build(1)
while process.COMPILER.pid is None: time.sleep(0.01)
print(process.COMPILER.pid, time.monotonic(), flush=True)
"""
    (pid, at_the_end), _ = run(body)
    assert time.monotonic() - float(at_the_end) < 4
    assert is_gone(pid)


def test_a_child_that_is_forked_has_its_own():
    body = """
build(1); worker.wait_until_built(90)
mine = process.COMPILER.pid
child = os.fork()
if child == 0:
    assert process.COMPILER.pid is None
    f = build(2)
    print(worker.wait_until_built(90), f.concrete_functions[0].plan, process.COMPILER.pid != mine, flush=True)
    os._exit(0)
os.waitpid(child, 0)
f = build(3)
print(worker.wait_until_built(90), f.concrete_functions[0].plan, process.COMPILER.pid == mine, flush=True)
"""
    assert run(body)[0] == ["True", "native", "True"] * 2


def test_messages_that_are_none_are_found():
    key = b"k" * 16
    for spoil in (lambda b: b[:10], lambda b: b[:-1], lambda b: b[:-1] + b"x", lambda b: b"\xff" * len(b), None):
        (reads, writes), (_, other) = os.pipe(), (0, 0)
        whole = os.pipe()
        Frames(0, whole[1], key if spoil else b"another key 1234").write(b"content")
        os.close(whole[1])
        content = os.read(whole[0], 1 << 16)
        os.write(writes, spoil(content) if spoil else content)
        os.close(writes)
        with pytest.raises(Broken):
            Frames(reads, other, key).read()
        os.close(reads)
        os.close(whole[0])


def test_many_threads_ask(compiler, no_llvm):
    functions = [tracefn.function(lambda x, k=k: np.tanh(x) * k + x.sum()) for k in range(6)]
    with tracefn.events.record() as events:
        # The call that asks is a sampled one, and a sample is skipped where an entry is replaced between two calls.
        threads = [threading.Thread(target=lambda f=f: [f(X) for _ in range(4 * tiers.OFTEN)]) for f in functions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for f in functions:
            for _ in range(2 * tiers.OFTEN):
                f(X)
        assert worker.wait_until_built(WAIT)
    told = [(e.signature, e.type, getattr(e, "state", "")) for e in events if e.type.startswith("plan")]
    assert [f.concrete_functions[0].plan for f in functions] == ["native"] * 6, told
    for k, f in enumerate(functions):
        same(f(X), np.tanh(X) * k + X.sum())


def test_wrong_words_are_refused():
    with pytest.raises(ValueError, match="compiler must be one of 'process', 'thread', 'off', not 'fork'"):
        tracefn.config.compiler("fork")


def test_off_builds_nothing():
    with tracefn.config.compiler("off"), tracefn.config.jit("auto"):
        f = tracefn.function(lambda x: np.tanh(x) + 1)
        told = built(f, X)[1]
    assert told[-1] == "the compiler is off" and f.concrete_functions[0].plan == "numpy"
