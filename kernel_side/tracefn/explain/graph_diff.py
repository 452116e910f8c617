"""The difference of two graphs: nodes and edges that were added, removed and changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..events.units import count
from ..ir.drawn.json_form import attribute_texts
from ..ir.graph import Graph, Node
from ..ir.op import CAPTURE, CONSTANT, INPUT
from ..records import dataclass

LONG = 2000
"""Nodes beyond which frequent ops are no anchors: finding the shortest difference would take too long."""


@dataclass(frozen=True, slots=True)
class GraphDiff:
    """How graph `b` differs from graph `a`. Nodes are named as in the graphs' own texts.

    `same` maps the names of nodes of `a` to those that stand for them in `b`; `changed` are (name in a, name in b, the
    change), and `reshaped` the names in a of those that changed in nothing but shapes. `removed` and `removed_edges`
    are of `a`, `added` and `added_edges` of `b`; an edge is (from, to). The bodies of branches and loops that stand for
    each other are compared, too: their nodes go by their paths, `v7/body/v2`. True if there is any difference.
    """

    a: Graph
    b: Graph
    same: dict[str, str]
    changed: tuple[tuple[str, str, str], ...]
    reshaped: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    added_edges: tuple[tuple[str, str], ...]
    removed_edges: tuple[tuple[str, str], ...]

    def __bool__(self) -> bool:
        return bool(self.changed or self.added or self.removed or self.added_edges or self.removed_edges)

    def to_dict(self) -> dict[str, Any]:
        """The difference as data for JSON."""
        names = ("same", "changed", "reshaped", "added", "removed", "added_edges", "removed_edges")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        if not self:
            return f"no difference: {count(len(self.a), 'node')}"
        same = f"the same: {count(len(self.same) - len(self.changed), 'node')}"
        return "\n".join([same, *[f"{mark} {line}" for mark, line in self._lines()]])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape

        lines = "".join(f"<div>{mark} {escape(line)}</div>" for mark, line in self._lines()) or escape(str(self))
        return f'<div class="tracefn-output-graph-diff" style="font-family:monospace">{lines}</div>'

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
    found = _Found()
    found.compare(a, b, "", "")
    return GraphDiff(a, b, **{name: kind(getattr(found, name)) for name, kind in _FIELDS.items()})


class _Found:
    """The difference of two graphs and of the bodies in them."""

    def __init__(self) -> None:
        self.same: dict[str, str] = {}
        self.changed: list[tuple[str, str, str]] = []
        self.reshaped: list[str] = []
        self.added: list[str] = []
        self.removed: list[str] = []
        self.added_edges: list[tuple[str, str]] = []
        self.removed_edges: list[tuple[str, str]] = []

    def compare(self, a: Graph, b: Graph, path: str, its: str) -> bool:
        """Takes in the difference of two graphs that stand at these paths. True if it is one of shapes alone."""
        old = {n: path + name for n, name in a.names.items()}
        new = {n: its + name for n, name in b.names.items()}
        pairs = _pairs(a, b)
        same = {old[left]: new[right] for left, right in pairs}
        self.same |= same
        is_reshaped = len(same) == len(a) == len(b)
        for left, right in pairs:
            of_shapes = [
                self.compare(was.graph, now.graph, f"{old[left]}/{was.name}/", f"{new[right]}/{now.name}/")
                for was, now in zip(left.bodies, right.bodies, strict=False)
            ]
            if what := _change(left, right):
                self.changed.append((old[left], new[right], what))
                if all(of_shapes) and _is_reshaped(left, right):
                    self.reshaped.append(old[left])
                else:
                    is_reshaped = False
        old_edges = {(old[s], old[n]) for n in a.nodes for s in n.inputs}
        new_edges = {(new[s], new[n]) for n in b.nodes for s in n.inputs}
        moved = {(same[s], same[e]) for s, e in old_edges if s in same and e in same}
        back = {now: was for was, now in same.items()}
        kept = {(back[s], back[e]) for s, e in new_edges if s in back and e in back}
        self.added += [new[n] for n in b.nodes if new[n] not in back]
        self.removed += [old[n] for n in a.nodes if old[n] not in same]
        self.added_edges += sorted(new_edges - moved)
        self.removed_edges += sorted(old_edges - kept)
        return is_reshaped and new_edges == moved


_FIELDS: dict[str, Any] = {
    "same": dict,
    **dict.fromkeys(("changed", "reshaped", "added", "removed", "added_edges", "removed_edges"), tuple),
}


def _pairs(a: Graph, b: Graph) -> list[tuple[Node, Node]]:
    """The nodes that stand for each other, in order: the longest runs of equal ops."""
    import difflib

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
    """The difference of two nodes of one op, apart from their operands; empty if there is none."""
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


def _is_reshaped(old: Node, new: Node) -> bool:
    """True if two nodes of one op, apart from their bodies, differ in shapes alone: of results, and in arguments that
    give them."""
    before, now = attribute_texts(old), attribute_texts(new)
    differing = {name for name in (*before, *now) if before.get(name) != now.get(name)}
    if old.op is CONSTANT:
        filled = np.concatenate([np.ravel(n.args[0].value) for n in (old, new)])
        differing -= {"value"} if np.all(filled == filled[:1]) else set()
    kinds = [[(t.dtype, t.kind, len(t.shape)) for t in n.types] for n in (old, new)]
    return differing <= _OF_SHAPE | {body.name for body in old.bodies} and kinds[0] == kinds[1]


_OF_SHAPE = frozenset({"shape", "newshape", "size"})


def _types(node: Node) -> str:
    return ", ".join(map(repr, node.types))


def _calls(graph: Graph) -> dict[str, str]:
    """The call of each node, by path, as the graph's JSON form has it."""
    found: dict[str, str] = {}

    def add(part: dict[str, Any], path: str) -> None:
        for node in part["nodes"]:
            found[path + node["id"]] = node["call"]
            for name, body in node["bodies"].items():
                add(body, f"{path}{node['id']}/{name}/")

    add(graph.to_json(), "")
    return found
