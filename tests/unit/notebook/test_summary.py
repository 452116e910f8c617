"""The summary of a cell, from its events."""

from __future__ import annotations

from typing import Any

from tracefn.events import (
    Calls,
    Error,
    Event,
    Fallback,
    GraphBuilt,
    Location,
    RetraceExplained,
    SideEffect,
    TraceFinished,
    TraceStarted,
)
from tracefn.notebook.summary import Summary, TimingLine, place, summarize

REASON = "x: shape (2, 3) → (4, 3) at dimension 0; nearest earlier trace #1"


def started(signature: str, text: str = "x: float32[2, 3]", **header: Any) -> TraceStarted:
    function, _, trace = signature.partition("/")
    name = function.partition("#")[0]
    return TraceStarted(
        function=function,
        signature=signature,
        function_name=name,
        function_key=f"__main__.{name}",
        defined=Location("a.py", 1),
        trace=int(trace),
        signature_text=text,
        signature_hash="h",
        arguments=(),
        **header,
    )


def finished(signature: str, ok: bool = True, total_ns: int = 1_500_000) -> TraceFinished:
    return TraceFinished(function=signature[:3], signature=signature, ok=ok, total_ns=total_ns, phases={})


def built(signature: str) -> GraphBuilt:
    sizes = {"nodes_before": 12, "nodes_after": 9}
    return GraphBuilt(function=signature[:3], signature=signature, known_hash="9", **sizes, passes=(), graph=None)


def calls(signature: str, count: int) -> Calls:
    return Calls(function=signature[:3], signature=signature, count=count, timed=0, timed_ns=0)


def explained(signature: str) -> RetraceExplained:
    numbers = {"trace": 2, "nearest": 1, "nearest_signature": "f#1/1"}
    return RetraceExplained(function=signature[:3], signature=signature, **numbers, causes=(), text=REASON)


EVENTS: list[Event] = [
    started("f#1/1"),
    built("f#1/1"),
    finished("f#1/1"),
    started("f#1/2", "x: float32[4, 3]"),
    explained("f#1/2"),
    built("f#1/2"),
    finished("f#1/2", total_ns=900_000),
    calls("f#1/1", 3),
    calls("f#1/2", 1),
]


def test_text() -> None:
    assert str(summarize(EVENTS, {})).splitlines() == [
        "tracefn: 2 traces · 1 retrace · 2.4 ms · 4 calls",
        "f",
        "  #1  1.5 ms  12 → 9 nodes  3 calls  x: float32[2, 3]",
        "  #2  900 µs  12 → 9 nodes  1 call   x: float32[4, 3]",
        f"       retraced: {REASON}",
    ]


def test_calls_are_those_of_the_cell_and_old_signatures_are_named() -> None:
    summary = summarize([calls("g#2/1", 7)], {"g#2/1": 5}, known=[started("g#2/1", "n: 3 (int)"), finished("g#2/1")])
    assert str(summary).splitlines() == [
        "tracefn: nothing traced · 2 calls",
        "g",
        "  #1  traced before  2 calls  n: 3 (int)",
    ]


def test_a_signature_that_nobody_remembers_has_its_id() -> None:
    assert "  #4  traced before  1 call  g#2/4" in str(summarize([calls("g#2/4", 1)], {})).splitlines()


def test_a_failed_trace() -> None:
    error = Error(function="f#1", signature="f#1/1", error="TypeError", message="no such\nthing", phase="trace")
    lines = str(summarize([started("f#1/1"), error, finished("f#1/1", ok=False)], {})).splitlines()
    assert lines[2] == "  #1  1.5 ms  0 calls  x: float32[2, 3]"
    assert lines[3] == "       failed: TypeError: no such"


def test_a_trace_that_succeeds_after_one_that_failed() -> None:
    error = Error(function="f#1", signature="f#1/1", error="TypeError", message="no", phase="trace")
    failed = [started("f#1/1", "x: 'a' (str)"), error, finished("f#1/1", ok=False)]
    lines = str(summarize([*failed, started("f#1/1"), finished("f#1/1"), calls("f#1/1", 2)], {})).splitlines()
    assert lines[0] == "tracefn: 2 traces · 3 ms · 2 calls"
    assert lines[2:] == [
        "  #1  1.5 ms  0 calls  x: 'a' (str)",
        "       failed: TypeError: no",
        "  #1  1.5 ms  2 calls  x: float32[2, 3]",
    ]


def test_many_signatures_are_not_all_shown() -> None:
    made: list[Event] = []
    for n in range(1, 41):
        made += [started(f"f#1/{n}", f"n: {n} (int)"), finished(f"f#1/{n}", total_ns=1_000_000), calls(f"f#1/{n}", 2)]
    summary = summarize(made, {})
    lines = str(summary).splitlines()
    assert lines[0] == "tracefn: 40 traces · 40 ms · 80 calls"
    assert len(lines) == 2 + 4 + 1 + 8
    assert lines[6] == "  … 28 more signatures: 28 ms, 56 calls"
    assert (lines[5].split()[0], lines[7].split()[0], lines[-1].split()[0]) == ("#4", "#33", "#40")
    html = summary._repr_html_()
    assert html.count("<tr>") == 1 + 4 + 1 + 8
    assert "28 more signatures" in html


def test_a_long_signature_is_cut_between_arguments() -> None:
    text = ", ".join(f"weights[{n}]: float64[3, 3]" for n in range(64))
    (line,) = str(summarize([started("f#1/1", text)], {})).splitlines()[2:]
    assert line.endswith("float64[3, 3], …")
    assert len(line) < 160


def test_an_error_elsewhere_is_not_the_summarys() -> None:
    error = Error(error="TypeError", message="other", phase="call")
    assert "other" not in str(summarize([*EVENTS, error], {}))


def test_side_effects_timings_and_notes_come_last() -> None:
    effect = SideEffect(
        kind="print", text="print(x) ran", alternative="Call it outside.", location=Location("a.py", 3, "id", 7)
    )
    timings = [TimingLine("f#1", "f", "eager 1 µs")]
    summary = summarize([*EVENTS, effect], {}, timings=timings).with_notes(["g was left alone."])
    assert str(summary).splitlines()[-3:] == [
        "f: eager 1 µs",
        "In cell [7] line 3: print(x) ran. Call it outside.",
        "g was left alone.",
    ]


def test_nothing_happened() -> None:
    summary = summarize([], {})
    assert str(summary) == "tracefn: no traced function was called"
    assert "<table" not in summary._repr_html_()


def test_html_has_the_facts_and_escapes_what_users_wrote() -> None:
    evil = "s: '<img src=x onerror=alert(1)>' (str)"
    summary = summarize([started("f#1/1", evil), finished("f#1/1")], {}).with_notes(["<b>note</b>"])
    html = summary._repr_html_()
    assert "<img" not in html and "<b>" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert "1.5 ms" in html and "1 trace" in html


def test_html_sets_no_colours() -> None:
    html = summarize(EVENTS, {})._repr_html_()
    assert REASON in html
    assert "background" not in html
    assert html.count("color") == html.count("color:inherit")


def test_notes_make_a_new_summary() -> None:
    summary = summarize([], {})
    assert summary.with_notes(["a"]).notes == ("a",)
    assert isinstance(summary, Summary) and summary.notes == ()


def test_places() -> None:
    assert place(None) == ""
    assert place(Location("a.py", 3)) == "a.py, line 3: "


def fell_back(signature: str, attempt: str | None = "f#1/1", text: str = "x: int64[3]") -> Fallback:
    return Fallback(
        function="f#1",
        signature=signature,
        attempt=attempt,
        location=Location("a.py", 3),
        error="TensorConversionError",
        reason="argument `x` was read with .tobytes()",
        fix="Return it.",
        signature_text=text,
        trace_ns=2_000_000 if attempt else 0,
        eager_ns=5_000 if attempt else 0,
    )


def test_calls_that_run_eagerly_have_reason_line_fix_and_time() -> None:
    events = [started("f#1/1", "x: int64[3]"), finished("f#1/1", ok=False), fell_back("f#1/eager1")]
    counted = Calls(function="f#1", signature="f#1/eager1", count=12, timed=2, timed_ns=8_000)
    assert str(summarize([*events, counted], {"f#1/eager1": 2})).splitlines() == [
        "tracefn: nothing traced · 10 calls, of these 10 eager calls",
        "f",
        "  eager  2 ms  40 µs  10 calls  x: int64[3]",
        "       runs eagerly: a.py, line 3: argument `x` was read with .tobytes(). Return it.",
    ]
    html = summarize([*events, counted], {})._repr_html_()
    assert "runs eagerly: a.py, line 3" in html
    later = str(summarize([counted], {"f#1/eager1": 2}, known=events)).splitlines()
    assert later[2:] == [
        "  eager  40 µs  10 calls  x: int64[3]",
        "       runs eagerly: a.py, line 3: argument `x` was read with .tobytes(). Return it.",
    ]


def test_a_function_with_graphs_and_eager_calls() -> None:
    failed = [started("f#1/2", "x: int64[3]"), finished("f#1/2", ok=False), fell_back("f#1/eager1", "f#1/2")]
    always = [fell_back("f#1/eager2", None, "any"), calls("f#1/eager2", 4)]
    lines = str(summarize([*EVENTS[:3], *failed, started("f#1/2"), *always], {})).splitlines()
    assert [line.split()[0] for line in lines[2:] if not line.startswith("     ")] == ["eager", "eager", "#1", "#2"]
