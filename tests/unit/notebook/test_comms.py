"""The two comms, between a real ipykernel and a client that plays the front end."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from unit.notebook.real_kernel import Kernel, real_kernel

SETUP = """
import os, threading, time
from tracefn import events
from tracefn.notebook import attach

def effect(text):
    return events.emit(events.SideEffect(kind="print", text=text, alternative="outside"))
"""


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with real_kernel() as kernel:
        kernel.run(SETUP)
        kernel.run("attach(), attach()")
        yield kernel


def texts(kernel: Kernel) -> list[str]:
    """The texts of all side effects that came, in order."""
    return [e["text"] for m in kernel.events_messages("batch") for e in m["events"] if e["type"] == "side_effect"]


def wait_for_text(kernel: Kernel, text: str) -> None:
    kernel.read_until(lambda message: text in texts(kernel))


def test_the_comm_opens_once_with_a_fixed_id_and_says_hello(kernel: Kernel) -> None:
    opened = [m["content"] for m in kernel.messages if m["msg_type"] == "comm_open"]
    assert [(c["comm_id"], c["target_name"]) for c in opened] == [("tracefn.events", "tracefn.events")]
    hello, again = kernel.events_messages("hello")
    assert hello == again == opened[0]["data"]
    assert (hello["kind"], hello["protocol"]) == ("hello", 1)


def test_5000_events_of_one_busy_cell_arrive_while_it_runs_and_none_is_lost(kernel: Kernel) -> None:
    before = len(kernel.events_messages("batch"))
    published = kernel.run(
        """
first = events.BUS.ledger.last + 1
for n in range(5000):
    effect(str(n))
    if n % 10 == 0:
        time.sleep(0.0005)
"""
    )
    assert [m for m in published if m["msg_type"] == "comm_msg"], "nothing came while the cell was running"
    kernel.read_until(lambda message: "4999" in texts(kernel))
    batches = kernel.events_messages("batch")[before:]
    assert [text for text in texts(kernel) if text.isdigit()] == [str(n) for n in range(5000)]
    numbers = [event["seq"] for batch in batches for event in batch["events"]]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert all(len(batch["events"]) <= 500 for batch in batches)
    assert [b["batch"] for b in batches] == list(range(batches[0]["batch"], batches[0]["batch"] + len(batches)))


def test_calls_come_as_totals_and_a_keyframe_ends_the_burst(kernel: Kernel) -> None:
    kernel.run("counter = events.CallCounter('f#c', 'f#c/1'); counter.count += 12")
    is_keyframe = lambda m: m["msg_type"] == "comm_msg" and m["content"]["data"].get("kind") == "keyframe"  # noqa: E731
    kernel.read_until(is_keyframe)
    keyframe = kernel.events_messages("keyframe")[-1]
    batch = kernel.events_messages("batch")[-1]
    assert keyframe["totals"]["f#c/1"]["count"] == 12
    assert (keyframe["batch"], keyframe["last"]) == (batch["batch"], batch["last"])
    assert [e["count"] for e in batch["events"] if e["signature"] == "f#c/1"] == [12]


def test_queries_are_answered(kernel: Kernel) -> None:
    kernel.open_queries("asked")
    ping = kernel.query({"id": 1, "query": "ping"}, "asked")
    assert (ping["id"], ping["ok"]) == (1, True)
    assert ping["result"]["session"] == kernel.events_messages("hello")[0]["session"]
    snapshot = kernel.query({"id": 2, "query": "snapshot"}, "asked")["result"]
    assert snapshot["dropped"] == 0
    assert snapshot["events"][-1]["seq"] == snapshot["last"] >= ping["result"]["last"]
    assert not kernel.query({"id": 3, "query": "graph", "hash": "0"}, "asked")["ok"]


def test_a_subshell_answers_while_a_cell_runs(kernel: Kernel) -> None:
    subshell = kernel.new_subshell()
    if subshell is None:
        pytest.skip("this ipykernel has no subshells")
    kernel.open_queries("busy", subshell)
    kernel.query({"id": 1, "query": "ping"}, "busy")
    kernel.run("effect('cell begins'); time.sleep(5); effect('cell ends')", wait=False)
    wait_for_text(kernel, "cell begins")
    for number in (2, 3):
        assert kernel.query({"id": number, "query": "snapshot"}, "busy")["ok"]
    assert "cell ends" not in texts(kernel)
    kernel.query({"id": 4, "query": "ping"}, "busy")
    wait_for_text(kernel, "cell ends")


def test_events_name_the_cell_and_its_line(kernel: Kernel) -> None:
    code = """

def here():
    import sys
    frame = sys._getframe()
    return events.emit(events.SideEffect(
        kind="print", text="located", alternative="", location=events.locate(frame.f_code.co_filename, frame.f_lineno)))
number = here().location.cell_number
"""
    kernel.run(code, cell_id="my-cell")
    wait_for_text(kernel, "located")
    found = [e for m in kernel.events_messages("batch") for e in m["events"] if e.get("text") == "located"]
    location = found[-1]["location"]
    assert location["cell"] == "my-cell"
    assert code.splitlines()[location["line"] - 1].lstrip().startswith(("return events.emit", "kind="))
    assert location["cell_number"] == kernel.reply["content"]["execution_count"]


def test_a_trace_names_the_cell_that_runs_wherever_the_call_stands(kernel: Kernel) -> None:
    kernel.run("import tracefn\nf = tracefn.function(lambda x: x)\ndef call(n): f(n)\ncall(1)", cell_id="defines")
    kernel.run("call(2)\neffect('called')", cell_id="calls")
    wait_for_text(kernel, "called")
    found = [e for m in kernel.events_messages("batch") for e in m["events"] if e["type"] == "trace.started"]
    assert [(e["location"]["cell"], e["cell"]) for e in found[-2:]] == [("defines", "defines"), ("defines", "calls")]


def test_the_body_of_a_cell_magic_is_located_in_the_whole_cell(kernel: Kernel) -> None:
    code = "%%capture\nimport sys\nspot = events.locate(sys._getframe().f_code.co_filename, sys._getframe().f_lineno)\n"
    kernel.run(code, cell_id="captured")
    count = kernel.reply["content"]["execution_count"]
    kernel.run("effect(f'{spot.cell} {spot.line} {spot.cell_number}')")
    wait_for_text(kernel, f"captured 3 {count}")


def test_a_forked_child_neither_sends_nor_hangs(kernel: Kernel) -> None:
    published = kernel.run(
        """
effect("before the fork")
child = os.fork()
if child == 0:
    effect("in the child")
    attach()
    os._exit(0)
print(os.waitpid(child, 0)[1])
effect("after the fork")
"""
    )
    wait_for_text(kernel, "after the fork")
    assert [m["content"]["text"] for m in published if m["msg_type"] == "stream"] == ["0\n"]
    assert texts(kernel)[-2:] == ["before the fork", "after the fork"]


def test_a_front_end_that_closes_the_comm_does_not_end_the_stream(kernel: Kernel) -> None:
    kernel.send_comm("comm_close", {"comm_id": "tracefn.events", "data": {}})
    kernel.run("effect('after the close')")
    wait_for_text(kernel, "after the close")
    kernel.client.shell_channel.send(kernel.client.session.msg("comm_info_request", {"target_name": "tracefn.events"}))
    assert list(kernel._reply_of_type("comm_info_reply")["content"]["comms"]) == ["tracefn.events"]


def test_a_thread_that_outlives_its_cell_is_still_heard(kernel: Kernel) -> None:
    kernel.run("threading.Timer(0.3, effect, ['from a thread']).start()")
    wait_for_text(kernel, "from a thread")


def test_importing_tracefn_in_a_kernel_is_enough() -> None:
    with real_kernel() as kernel:
        kernel.run("import tracefn, numpy as np\nf = tracefn.function(lambda x: x + 1, name='f')\nf(np.ones(2))")
        kernel.read_until(lambda message: kernel.events_messages("keyframe"))
        batches = kernel.events_messages("batch")
        events = [event for batch in batches for event in batch["events"]]
        assert events[0]["type"] == "trace.started"
        (built,) = [event for event in events if event["type"] == "graph.built"]
        (graph,) = [graph for batch in batches for graph in batch["graphs"].values()]
        assert (graph["hash"], graph["name"]) == (built["graph_hash"], "f")


def test_a_kernel_that_ends_leaves_no_complaint() -> None:
    with real_kernel() as kernel:
        kernel.run(SETUP + "attach(); effect('last words')")
        begin = time.monotonic()
        kernel.client.shutdown()
        while kernel.manager.is_alive() and time.monotonic() < begin + 10:
            time.sleep(0.05)
        assert not kernel.manager.is_alive()
