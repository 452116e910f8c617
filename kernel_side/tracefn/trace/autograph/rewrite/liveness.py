"""Liveness: which names are read before they are certainly bound, which are bound afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from .syntax import BINDING, OWN_SCOPE, assigned, bound_by, walk, walk_own

_SCOPES = frozenset(OWN_SCOPE)
_ALSO_READING = frozenset({ast.Nonlocal, ast.AugAssign, ast.NamedExpr})
"""Kinds of nodes besides names that read variables, or bind some."""
_SIMPLE = frozenset({ast.Assign, ast.Expr, ast.Return})
"""Kinds of most statements that have no others in them."""

_SAYING_MORE = frozenset({ast.comprehension, ast.alias, *_ALSO_READING, *BINDING, *_SCOPES})
"""Kinds of nodes in these that tell more than which names are read and set."""


class Flow:
    """A summary of statements in order.

    `exposed` are the names read while nothing here has certainly bound them, `bound` those that are bound afterwards,
    `unbound` those that are not bound any more, `assigned` those bound anywhere. `raises` is True where the end is not
    reached.
    """

    __slots__ = ("assigned", "bound", "exposed", "raises", "unbound")

    def __init__(self) -> None:
        self.exposed: set[str] = set()
        self.bound: set[str] = set()
        self.unbound: set[str] = set()
        self.assigned: set[str] = set()
        self.raises = False

    def after(self, bound: Iterable[str]) -> set[str]:
        """The names that are bound afterwards where these names are bound before."""
        return (set(bound) - self.unbound) | self.bound

    def _then(self, other: Flow) -> None:
        self.exposed |= other.exposed - self.bound
        self.bound = (self.bound - other.unbound) | other.bound
        self.unbound = (self.unbound - other.bound) | other.unbound
        self.assigned |= other.assigned
        self.raises = other.raises

    def before(self, read: Iterable[str]) -> set[str]:
        """The names that are read from here on where these names are read afterwards."""
        return (set(read) - self.bound) | self.exposed

    def _may(self, *others: Flow) -> None:
        """Takes blocks of which any one may run, or none."""
        for other in others:
            self.exposed |= other.exposed - self.bound
            self.unbound |= other.unbound
            self.assigned |= other.assigned

    def _either(self, *others: Flow) -> None:
        """Takes blocks of which one runs."""
        ends = [o.bound for o in others if not o.raises]
        self._may(*others)
        if ends:
            self.bound |= set.intersection(*ends)

    def _read(self, node: ast.AST | None) -> None:
        """Takes the reads of an expression; those inside functions too."""
        if node is not None:
            self._read_by(walk(node))

    def _read_by(self, nodes: list[ast.AST]) -> None:
        read = {n.id for n in nodes if type(n) is ast.Name and type(n.ctx) is ast.Load}
        if not _ALSO_READING.isdisjoint(map(type, nodes)):
            for part in nodes:
                if isinstance(part, ast.Nonlocal):
                    read.update(part.names)
                elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
                    read.add(part.target.id)
                elif isinstance(part, ast.NamedExpr):
                    self.assigned.add(part.target.id)
        self.exposed |= read - self.bound

    def _bind(self, names: set[str]) -> None:
        self.assigned |= names
        self.bound |= names


def flow_of(statements: Sequence[ast.stmt]) -> Flow:
    """The summary of a block."""
    flow = Flow()
    for statement in statements:
        flow._then(flow_of_statement(statement))
    return flow


def flow_of_statement(node: ast.stmt) -> Flow:
    """The summary of a statement, made once: it is asked for at every level of nesting."""
    known = getattr(node, "flow", None)
    if known is None:
        known = node.flow = _summary(node)  # type: ignore[attr-defined]
    return known


def _summary(node: ast.stmt) -> Flow:
    flow = Flow()
    if type(node) in _SIMPLE:
        nodes = walk(node)
        if _SAYING_MORE.isdisjoint(map(type, nodes)):
            names = [n for n in nodes if type(n) is ast.Name]
            flow.exposed = {n.id for n in names if type(n.ctx) is ast.Load}
            flow._bind({n.id for n in names if type(n.ctx) is not ast.Load})
            return flow
    if isinstance(node, ast.If):
        flow._read(node.test)
        flow._either(flow_of(node.body), flow_of(node.orelse))
    elif isinstance(node, ast.While):
        flow._read(node.test)
        flow._may(flow_of(node.body), flow_of(node.orelse))
    elif isinstance(node, ast.For):
        flow._read(node.iter)
        flow._read(node.target)
        targets = assigned([ast.Expr(node.target)])
        body = flow_of(node.body)
        flow.exposed |= body.exposed - targets
        flow.assigned |= targets
        flow.assigned |= body.assigned
        flow.unbound |= body.unbound
        flow._may(flow_of(node.orelse))
    elif isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
        flow._may(flow_of([*node.body, *node.orelse]))  # type: ignore[attr-defined]
        for handler in node.handlers:  # type: ignore[attr-defined]
            flow._read(handler.type)
            inner = flow_of(handler.body)
            flow.exposed |= inner.exposed - {handler.name}
            flow.assigned |= inner.assigned
            flow.assigned |= {handler.name} if handler.name else set()
        flow._then(flow_of(node.finalbody))  # type: ignore[attr-defined]
    elif isinstance(node, ast.With):
        for item in node.items:
            flow._read(item.context_expr)
            if item.optional_vars is not None:
                flow._read(item.optional_vars)
                flow._bind(assigned([ast.Expr(item.optional_vars)]))
        flow._then(flow_of(node.body))
    elif isinstance(node, ast.Match):
        flow._read(node.subject)
        for case in node.cases:
            bound = assigned([ast.Match(ast.Constant(0), [ast.match_case(case.pattern, None, [])])])
            inner = flow_of(case.body)
            flow._read(case.guard)
            flow.exposed |= inner.exposed - bound
            flow.assigned |= bound
            flow.assigned |= inner.assigned
    else:
        nodes = walk(node)
        flow._read_by(nodes)
        flow._bind(bound_by(nodes if _SCOPES.isdisjoint(map(type, nodes)) else walk_own(node)))
        deleted = {t.id for t in node.targets if type(t) is ast.Name} if type(node) is ast.Delete else set()
        flow.bound -= deleted
        flow.unbound |= deleted
        flow.raises = isinstance(node, ast.Raise)
    return flow
