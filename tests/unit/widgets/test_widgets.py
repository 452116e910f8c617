"""The widgets: what they give their views, and what they refuse."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tracefn
import tracefn_widgets
from tracefn.errors import WidgetBundleMissingError
from tracefn_widgets import GraphView, Inspector, TimingView, bundle

FILES = ("graph.js", "inspector.js", "timing.js", "tracefn.css")


@pytest.fixture(autouse=True)
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with the names of the built files, so that these tests need no Node."""
    for name in FILES:
        (tmp_path / name).write_text(f"/* {name} */")
    monkeypatch.setattr(bundle, "STATIC", tmp_path)
    return tmp_path


@pytest.fixture
def inspect() -> Iterator[Callable[..., Any]]:
    """Makes inspectors that are closed at the end, and keep what they send."""
    made: list[Inspector] = []

    def make(*args: Any) -> tuple[Inspector, list[dict[str, Any]]]:
        sent: list[dict[str, Any]] = []
        inspector = Inspector(*args)
        inspector.send = lambda content, buffers=None: sent.append(content)  # type: ignore[method-assign]
        made.append(inspector)
        return inspector, sent

    yield make
    for each in made:
        each.close()


@tracefn.function
def doubled(x: Any) -> Any:
    return x * 2


def wait_until(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def test_importing_needs_no_bundle(built: Path) -> None:
    assert tracefn_widgets.__all__ == ["GraphView", "Inspector", "TimingView"]


@pytest.mark.parametrize("name", FILES)
def test_a_missing_bundle_says_how_to_build_it(built: Path, name: str) -> None:
    (built / name).unlink()
    doubled(np.ones(2))
    with pytest.raises(WidgetBundleMissingError, match="npm run build") as raised:
        GraphView(doubled.concrete_functions[0])
        Inspector()
        TimingView(tracefn.timing.compare(doubled, np.ones(2)))
    assert name in str(raised.value)


def test_a_graph(built: Path) -> None:
    doubled(np.ones(2))
    concrete = doubled.concrete_functions[0]
    view = GraphView(concrete.graph, height=300)
    assert view.graph == GraphView(concrete).graph == concrete.graph.to_json()
    assert view.height == 300
    state = view.get_state()
    assert (state["_esm"], state["_css"]) == ("/* graph.js */", "/* tracefn.css */")


@pytest.mark.parametrize("thing", [None, 3, {"nodes": []}])
def test_what_is_no_graph(thing: Any) -> None:
    with pytest.raises(TypeError, match="a ConcreteFunction or a traced function"):
        GraphView(thing)


def test_the_graphs_of_a_function(built: Path) -> None:
    @tracefn.function
    def halved(x):
        return x / 2

    with pytest.raises(ValueError, match="`halved` has no graph yet"):
        GraphView(halved)
    halved(np.ones(2)), halved(np.ones((2, 2)))
    first, second = halved.concrete_functions
    view = GraphView(halved)
    assert (view.graph, view.title) == (second.graph.to_json(), "#2 x: float64[2, 2]")
    assert view.others == [{"title": "#1 x: float64[2]", "graph": first.graph.to_json()}]


def test_a_timing() -> None:
    compared = tracefn.timing.compare(doubled, np.ones(2))
    assert TimingView(compared).event == compared.event().to_json()
    with pytest.raises(TypeError, match="tracefn.timing.compare"):
        TimingView({"eager": 1})  # type: ignore[arg-type]


def test_an_inspector_shows_what_was_traced(inspect: Callable[..., Any]) -> None:
    doubled(np.ones(2))
    other = tracefn.function(lambda x: x + 1, name="other")
    other(np.ones(2))
    everything, _ = inspect()
    one, _ = inspect(doubled)
    assert {event["function"] for event in one.events} == {doubled.function_id}
    assert {doubled.function_id, other.function_id} <= {event["function"] for event in everything.events}
    hashes = {event["graph_hash"] for event in one.events if event["type"] == "graph.built"}
    assert set(one.graphs) == hashes
    assert one.graphs[doubled.concrete_functions[0].graph.drawn_hash] == doubled.concrete_functions[0].graph.to_json()


def test_an_inspector_shows_traces_whose_graphs_are_gone(inspect: Callable[..., Any]) -> None:
    dropped = tracefn.function(lambda x: x - 7, name="dropped")
    dropped(np.ones(2))
    dropped.clear_cache()
    shown, _ = inspect(dropped)
    assert "graph.built" in {event["type"] for event in shown.events} and shown.graphs == {}


def test_an_inspector_sends_what_is_traced_later(inspect: Callable[..., Any]) -> None:
    fresh = tracefn.function(lambda x: x - 1, name="fresh")
    other = tracefn.function(lambda x: x + 1, name="other")
    _, sent = inspect(fresh)
    fresh(np.ones(2))
    other(np.ones(2))
    wait_until(lambda: any(e["type"] == "trace.finished" for message in sent for e in message["events"]))
    assert {e["function"] for message in sent for e in message["events"]} == {fresh.function_id}
    graphs = {name for message in sent for name in message["graphs"]}
    assert graphs == {fresh.concrete_functions[0].graph.drawn_hash}


def test_an_inspector_answers_what_its_views_ask(inspect: Callable[..., Any]) -> None:
    asked = tracefn.function(lambda x, n: x * n, name="asked")
    asked(np.ones(2), 1)
    asked(np.ones(2), 2)
    inspector, sent = inspect(asked)
    inspector._handle_custom_msg({"id": "view/1", "query": "explain", "function": asked.function_id}, [])
    inspector._handle_custom_msg({"id": "view/2", "query": "explain", "function": "gone#1"}, [])
    answers = [message["answer"] for message in sent if "answer" in message]
    assert [answer["id"] for answer in answers] == ["view/1", "view/2"]
    assert answers[0]["result"]["earlier"][0]["causes"][0]["text"] == "n: 1 → 2 (Python int)"
    assert not answers[1]["ok"]


def test_a_view_that_is_shown_later_has_all(inspect: Callable[..., Any]) -> None:
    fresh = tracefn.function(lambda x: x / 2, name="later")
    inspector, _ = inspect(fresh)
    assert inspector.events == []
    fresh(np.ones(2))
    inspector._repr_mimebundle_()
    assert "trace.started" in {event["type"] for event in inspector.events}


def test_a_closed_inspector_hears_nothing(inspect: Callable[..., Any]) -> None:
    fresh = tracefn.function(lambda x: x**2, name="closed")
    inspector, sent = inspect(fresh)
    inspector.close()
    fresh(np.ones(2))
    time.sleep(0.2)
    assert sent == []


def test_what_is_no_traced_function() -> None:
    with pytest.raises(TypeError, match="@tracefn.function"):
        Inspector(print)  # type: ignore[arg-type]


HOSTILE = "<img src=x onerror=alert(1)>"


def saved(widget: Any) -> dict[str, Any]:
    data: dict[str, Any] = widget._repr_mimebundle_()[0]
    return data


def test_a_saved_notebook_has_the_graph_as_html() -> None:
    doubled(np.ones(2))
    data = saved(GraphView(doubled.concrete_functions[0]))
    assert "application/vnd.jupyter.widget-view+json" in data and data[bundle.SAVED] == {}
    assert "doubled" in data["text/html"] and "x * 2" in data["text/html"] and "float64[2]" in data["text/html"]
    assert data["text/plain"] == str(doubled.concrete_functions[0].graph)


def test_a_graph_is_a_table_where_graphviz_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    doubled(np.ones(2))
    monkeypatch.setenv("PATH", "")
    html = saved(GraphView(doubled.concrete_functions[0]))["text/html"]
    assert "<img" not in html and "<details open>" in html and "x * 2" in html


def test_the_texts_of_the_user_are_escaped_in_saved_notebooks(inspect: Callable[..., Any]) -> None:
    f = tracefn.function(lambda d: d[HOSTILE] + 1, name=HOSTILE)
    f({HOSTILE: np.ones(2)})
    inspector, _ = inspect(f)
    for widget in (GraphView(f.concrete_functions[0]), inspector):
        html = saved(widget)["text/html"]
        assert "&lt;img src=x onerror=alert(1)&gt;" in html
        assert "<img src=x" not in html and "<script" not in html


def test_a_large_graph_is_cut_in_saved_notebooks() -> None:
    def long(x: Any) -> Any:
        for _ in [0] * 600:
            x = np.tanh(x)
        return x

    graph = tracefn.function(long).get_concrete_function(np.ones(2)).graph
    data = saved(GraphView(graph))
    assert len(data["text/html"]) < 300_000 and "more nodes" in data["text/html"]
    assert len(data["text/plain"]) < 100


def test_bodies_of_loops_are_in_saved_notebooks() -> None:
    def looped(x: Any, n: Any) -> Any:
        for _ in range(n):
            x = np.tanh(x)
        return x

    graph = tracefn.function(looped).get_concrete_function(np.ones(2), np.int64(3)).graph
    assert "np.tanh(x)" in saved(GraphView(graph))["text/html"]


def test_a_saved_notebook_has_retraces_and_timings(inspect: Callable[..., Any]) -> None:
    f = tracefn.function(lambda x: x + 1, name="f")
    f(np.ones(2))
    f(np.ones(3))
    data = saved(inspect(f)[0])
    assert "shape (2,) → (3,)" in data["text/html"] and "1 retrace" in data["text/plain"]
    comparison = tracefn.timing.compare(doubled, np.ones(2))
    data = saved(TimingView(comparison))
    assert data["text/html"] == comparison._repr_html_() and data["text/plain"] == str(comparison)
