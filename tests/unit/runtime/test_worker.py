"""The thread that works in the background: what comes first, and what waits until nothing else is to be done."""

import subprocess
import sys
import threading
import time

import pytest
from tracefn.runtime import worker
from tracefn.runtime.worker import AT_REST, Worker


@pytest.fixture
def own():
    made = Worker()
    yield made
    made.stop()


def put(own, done, name, **given):
    own.put(lambda: done, lambda done: done.append(name), **given)


def test_work_at_rest_comes_last_and_after_a_pause(own, monkeypatch):
    monkeypatch.setattr(worker, "PAUSE_S", 0.02)
    done, is_last = [], threading.Event()
    put(own, done, "at rest", size=AT_REST)
    own.put(lambda: done, lambda _: is_last.set(), size=AT_REST)
    put(own, done, "large", size=9)
    put(own, done, "small", size=1)
    assert is_last.wait(30)
    assert done[-1] == "at rest" and sorted(done) == ["at rest", "large", "small"]


def test_who_waits_does_not_wait_for_the_pause(own, monkeypatch):
    monkeypatch.setattr(worker, "PAUSE_S", 3600)
    done = []
    put(own, done, "at rest", size=AT_REST)
    assert own.wait(30) and done == ["at rest"]


def test_work_at_rest_is_done_at_the_end(own, monkeypatch):
    monkeypatch.setattr(worker, "PAUSE_S", 3600)
    done = []
    put(own, done, "at rest", size=AT_REST)
    own.stop()
    assert done == ["at rest"]
    put(own, done, "after it")
    assert own.wait(30) and done == ["at rest", "after it"]


def test_work_dropped_at_exit_blocks_no_wait(own):
    done, begun, goes_on = [], threading.Event(), threading.Event()
    own.put(lambda: begun, lambda begun: (begun.set(), goes_on.wait(30)))
    assert begun.wait(30)
    put(own, done, "before the end")
    ends = threading.Thread(target=own.stop)
    ends.start()
    while own._arriving.qsize() < 2:
        time.sleep(0.001)
    put(own, done, "after it")
    put(own, done, "after it, at rest", size=AT_REST)
    goes_on.set()
    ends.join()
    assert own.wait(1) and done == []


def test_the_end_of_a_process_waits_for_work_at_rest():
    source = """
from tracefn.runtime import worker
worker.PAUSE_S = 3600
worker.WORKER.put(lambda: print, lambda say: say("done", flush=True), size=worker.AT_REST)
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.returncode) == ("done", 0), done.stderr
