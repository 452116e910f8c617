"""The difference of two graphs: nodes and edges that were added, removed and changed."""

from __future__ import annotations

import dataclasses
import difflib
from html import escape
from typing import Any

from ..events.units import count
from ..ir.graph import Graph, Node
from ..ir.json_form import attribute_texts
from ..ir.op import CAPTURE, INPUT

LONG = 2000
"""Nodes beyond which frequent ops are no anchors: finding the shortest difference would take too long."""


@dataclasses.dataclass(frozen=True, slots=True)
class GraphDiff:
    """How graph `b` differs from graph `a`. Nodes are named as in the graphs' own texts.

    `same` maps the names of nodes of `a` to those that stand for them in `b`; `changed` are (name in a, name in b, what
    changed). `removed` and `removed_edges` are of `a`, `added` and `added_edges` of `b`; an edge is (from, to). True if
    there is any difference.
    """

    a: Graph
    b: Graph
    same: dict[str, str]
    changed: tuple[tuple[str, str, str], ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    added_edges: tuple[tuple[str, str], ...]
    removed_edges: tuple[tuple[str, str], ...]

    def __bool__(self) -> bool:
        return bool(self.changed or self.added or self.removed or self.added_edges or self.removed_edges)

    def to_dict(self) -> dict[str, Any]:
        """The difference as data for JSON."""
        names = ("same", "changed", "added", "removed", "added_edges", "removed_edges")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        if not self:
            return f"no difference: {count(len(self.a), 'node')}"
        same = f"the same: {count(len(self.same) - len(self.changed), 'node')}"
        return "\n".join([same, *[f"{mark} {line}" for mark, line in self._lines()]])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        lines = "".join(f"<div>{mark} {escape(line)}</div>" for mark, line in self._lines()) or escape(str(self))
        return f'<div class="tracefn-graph-diff" style="font-family:monospace">{lines}</div>'

    def _lines(self) -> list[tuple[str, str]]:
        a, b = _calls(self.a), _calls(self.b)
        lines = [("~", f"{old} → {new}: {what}") for old, new, what in self.changed]
        lines += [("-", f"{name} = {a[name]}") for name in self.removed]
        lines += [("+", f"{name} = {b[name]}") for name in self.added]
        lines += [("-", f"{start} → {end}") for start, end in self.removed_edges]
        return lines + [("+", f"{start} → {end}") for start, end in self.added_edges]


def graph_diff(a: Graph, b: Graph) -> GraphDiff:
    """How graph `b` differs from graph `a`.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x, n: np.tanh(x) * n if n > 1 else x * n)
    >>> a, b = (f.get_concrete_function(tracefn.TensorSpec((3,)), n).graph for n in (1, 2))
    >>> graph_diff(a, b).added
    ('v0',)
    >>> print(graph_diff(b, b))
    no difference: 3 nodes
    """
    pairs = _pairs(a, b)
    same = {a.names[left]: b.names[right] for left, right in pairs}
    changed = [(a.names[left], b.names[right], what) for left, right in pairs if (what := _change(left, right))]
    old_edges = {(a.names[s], a.names[n]) for n in a.nodes for s in n.inputs}
    new_edges = {(b.names[s], b.names[n]) for n in b.nodes for s in n.inputs}
    moved = {(same[s], same[e]) for s, e in old_edges if s in same and e in same}
    back = {new: old for old, new in same.items()}
    kept = {(back[s], back[e]) for s, e in new_edges if s in back and e in back}
    matched = set(same.values())
    return GraphDiff(
        a,
        b,
        same,
        tuple(changed),
        tuple(b.names[n] for n in b.nodes if b.names[n] not in matched),
        tuple(a.names[n] for n in a.nodes if a.names[n] not in same),
        tuple(sorted(new_edges - moved)),
        tuple(sorted(old_edges - kept)),
    )


def _pairs(a: Graph, b: Graph) -> list[tuple[Node, Node]]:
    """The nodes that stand for each other, in order: the longest runs of equal ops."""
    left, right = ([_label(n) for n in g.nodes] for g in (a, b))
    head = 0
    while head < min(len(left), len(right)) and left[head] == right[head]:
        head += 1
    tail = 0
    while tail < min(len(left), len(right)) - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    middle = left[head : len(left) - tail], right[head : len(right) - tail]
    matcher = difflib.SequenceMatcher(None, *middle, autojunk=max(map(len, middle)) > LONG)
    found = list(zip(a.nodes[:head], b.nodes[:head], strict=True))
    for start, other, size in matcher.get_matching_blocks():
        positions = zip(range(head + start, head + start + size), range(head + other, head + other + size), strict=True)
        found += [(a.nodes[i], b.nodes[j]) for i, j in positions]
    if tail:
        found += zip(a.nodes[-tail:], b.nodes[-tail:], strict=True)
    return found


def _label(node: Node) -> str:
    return f"{node.op.name} {node.args[0]}" if node.op in (INPUT, CAPTURE) else node.op.name


def _change(old: Node, new: Node) -> str:
    """What is different in two nodes of one op, apart from what feeds them; empty if nothing is."""
    parts = []
    before, now = attribute_texts(old), attribute_texts(new)
    for name in dict.fromkeys((*before, *now)):
        if before.get(name) != now.get(name):
            parts.append(f"{name} {before.get(name, 'none')} → {now.get(name, 'none')}")
    if old.types != new.types:
        parts.append(f"{_types(old)} → {_types(new)}")
    for was, body in zip(old.bodies, new.bodies, strict=False):
        if was.graph.hash != body.graph.hash:
            parts.append(f"in {body.name}")
    return ", ".join(parts)


def _types(node: Node) -> str:
    return ", ".join(map(repr, node.types))


def _calls(graph: Graph) -> dict[str, str]:
    """What each node calls, by name, as the graph's JSON form has it."""
    return {node["id"]: node["call"] for node in graph.to_json()["nodes"]}
