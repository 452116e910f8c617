"""Turns control flow into calls of operators: branches and loop bodies become functions over their variables."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator

from ...control.undefined import RETURN_VALUE
from .class_bodies import refuse_reads
from .desugar import lower, spell_out
from .expressions import ExpressionRewriter
from .jumps import lower_jumps
from .liveness import flow_of, flow_of_statement
from .parts import FunctionParts
from .pieces import as_condition, caught_by, sharing
from .piecewise import as_written, is_piecewise
from .supported import UnsupportedSyntax, check_supported
from .syntax import (
    Names,
    assign,
    assigned,
    bound_by,
    has_text,
    helper,
    load,
    nested_function,
    operator,
    placed,
    thunk,
    walk,
    walk_own,
)


def rewrite_function(function: ast.FunctionDef, class_name: str = "") -> list[ast.FunctionDef]:
    """Rewrites a function in place. `class_name` is the class that it is a method of, or ''. Returns the functions that
    are rewritten by now and no generators: it, and those in it."""
    if class_name:
        spell_out(function, class_name)
    text = function.body[: has_text(function)]
    function.body = function.body[len(text) :] or [placed(ast.Pass(), text[0])]
    parts = FunctionParts(function)
    check_supported(parts)
    names = Names(parts.names())
    lower(function, parts, names)
    never_bound: set[str] = set()
    if not is_piecewise(parts):
        bound = assigned(function.body)
        lower_jumps(function, parts, names)
        never_bound = bound - assigned(function.body) - {a.arg for a in walk(function.args) if type(a) is ast.arg}
    rewriter = _Rewriter(names, function, parts, never_bound)
    body = rewriter.block(function.body)
    place = function.body[0]
    initial = [assign(n, helper("undefined", ast.Constant(n)), place) for n in sorted(rewriter.uninitialised)]
    given = [
        placed(ast.Assign([ast.Name(n, ast.Store())], helper("parameter", load(n))), place)
        for n in sorted(parts.rebound(function.args) - rewriter.declared)
    ]
    function.body = [*text, *rewriter.accessors(place), *given, *initial, *body]
    return rewriter.functions if is_piecewise(parts) else [function, *rewriter.functions]


_UNEVEN = (ast.If, ast.For, ast.While, ast.Try, ast.TryStar, ast.With, ast.Match, ast.Delete)
"""Statements after which variables may be bound or not, or that run others more often than once."""


class _Rewriter(ExpressionRewriter):
    """`_states` has the functions that read and write some variables, where they are at hand. `_live` are those
    that may be read after the statement that is visited, `_always_live` those that may be read at any time.
    `never_bound` are variables that code behind a jump would bind, which is gone."""

    def __init__(self, names: Names, function: ast.FunctionDef, parts: FunctionParts, never_bound: set[str]) -> None:
        super().__init__(
            names,
            {n for d in parts.own(ast.Global) for n in d.names},
            {n for d in parts.own(ast.Nonlocal) for n in d.names},
        )
        # where each statement runs once, one after the other, Python itself raises for unbound names
        self._is_piecewise = is_piecewise(parts)
        is_uneven = bool(never_bound) or any(isinstance(s, _UNEVEN) for s in function.body)
        self._is_straight = self._is_piecewise or not is_uneven
        self.uninitialised = never_bound - self.declared
        self._local = set() if self._is_straight else flow_of(function.body).assigned - self.declared
        self._local |= self.uninitialised
        self._bound = {a.arg for a in walk(function.args) if type(a) is ast.arg}
        self._live: set[str] = set()
        self._always_live = parts.captured()
        self._states: dict[tuple[str, ...], tuple[str, str]] = {}
        self.functions: list[ast.FunctionDef] = []
        self.growing = set() if self._is_piecewise else parts.growing()
        self.changing = set() if self._is_piecewise else parts.changing()
        self.observed = parts.observed_outside(function.args)
        self._variables = parts.bound(function.args)
        self._writes = parts.writes()
        self._written_into = parts.written_into()
        self._augmented = [n for n in parts.own(ast.AugAssign) if type(n.target) is ast.Name]

    # --- blocks

    def block(self, body: list[ast.stmt], bound: set[str] | frozenset[str] = frozenset()) -> list[ast.stmt]:
        """The rewritten statements of a block, in which the names `bound` are bound besides those around it."""
        out: list[ast.stmt] = []
        if self._is_straight:
            for statement in body:
                result = self.visit(statement)
                out += result if isinstance(result, list) else [result]
            return out
        around, self._bound = self._bound, self._bound | bound
        states, self._states = self._states, self._states.copy()
        for statement, live in zip(body, self._live_after(body), strict=True):
            after = flow_of_statement(statement).after(self._bound)
            end, self._live = self._live, live
            result = self.visit(statement)
            out += result if isinstance(result, list) else [result]
            self._bound, self._live = after, end
        self._bound, self._states = around, states
        return out

    def _live_after(self, body: list[ast.stmt]) -> list[set[str]]:
        """For each statement of a block the names that may be read after it."""
        found = [self._live]
        for statement in reversed(body[1:]):
            found.append(flow_of_statement(statement).before(found[-1]))
        return found[::-1] if body else []

    @contextlib.contextmanager
    def _keeping(self, names: set[str]) -> Iterator[None]:
        """A part in which these names may be read at any time: an error leads to where they are read."""
        around, self._always_live = self._always_live, self._always_live | names
        yield
        self._always_live = around

    @contextlib.contextmanager
    def _round(self, loop: ast.stmt) -> Iterator[None]:
        """The body of a loop, after which its next round may read names."""
        around, self._live = self._live, self._live | flow_of_statement(loop).exposed
        yield
        self._live = around

    def _function(
        self, name: str, body: list[ast.stmt], shared: list[str], place: ast.AST, args: list[str] | None = None
    ) -> ast.stmt:
        """A function of a block, whose variables are its own but for those that are `shared` with the code around
        it."""
        states, self._states = self._states, {k: v for k, v in self._states.items() if set(k) <= set(shared)}
        inside: set[str] = set().union(*[flow_of_statement(s).assigned for s in body if isinstance(s, _UNEVEN)])
        own = sorted(inside - self.declared - set(shared))  # else the functions in it would bind those around it
        initial = [assign(n, helper("undefined", ast.Constant(n)), place) for n in own]
        statements = self.block(body, set(args or ()))
        self._states = states
        return nested_function(name, sharing(shared, [*initial, *statements]), args or [], place)

    # --- statements

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.functions += rewrite_function(node)
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        node.args.kw_defaults = [default and self.visit(default) for default in node.args.kw_defaults]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        refuse_reads(node, self._variables)
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef):
                try:
                    self.functions += rewrite_function(statement, node.name)
                except UnsupportedSyntax:
                    continue
        if node.bases:
            node.bases = [placed(ast.Starred(helper("bases", *node.bases), ast.Load()), node)]
        for keyword in node.keywords:
            if keyword.arg == "metaclass":
                keyword.value = placed(helper("metaclass", keyword.value), node)
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        self.generic_visit(node)
        if node.exc is not None:
            node.exc = placed(helper("raised", thunk(node.exc)), node.exc)
        return node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        later = [*(h.body for h in node.handlers), node.orelse, node.finalbody]
        with self._keeping(self._live.union(*[flow_of(block).exposed for block in later])):
            node.body = self.block(node.body)
        if node.handlers:
            attempt = placed(helper("attempt", thunk(caught_by(node))), node)
            node.body = [placed(ast.With([ast.withitem(attempt)], node.body), node)]
        with self._keeping(flow_of(node.finalbody).exposed):
            for handler in node.handlers:
                if not isinstance(node, ast.TryStar):
                    caught = self.visit(handler.type) if handler.type else placed(load("BaseException"), handler)
                    handler.type = placed(helper("handled", caught), handler)
                handler.body = self.block(handler.body, {handler.name} if handler.name else set())
            node.orelse = self.block(node.orelse)
        node.finalbody = self.block(node.finalbody)
        return node

    visit_TryStar = visit_Try

    def visit_With(self, node: ast.With) -> ast.AST:
        node.items = [self.visit(item) for item in node.items]
        for entry in node.items:
            entry.context_expr = placed(helper("entered", entry.context_expr), entry.context_expr)
        with self._keeping(self._live):
            node.body = self.block(
                node.body, assigned([ast.Expr(i.optional_vars) for i in node.items if i.optional_vars])
            )
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        has_attributes = any(type(n) is ast.MatchClass and (n.patterns or n.kwd_attrs) for n in ast.walk(node))
        subject = placed(helper("subject", self.visit(node.subject), ast.Constant(has_attributes)), node.subject)
        node.subject = subject
        for case in node.cases:
            bound = assigned([ast.Match(ast.Constant(0), [ast.match_case(case.pattern, None, [])])])
            case.guard = case.guard and self.visit(case.guard)
            case.body = self.block(case.body, bound)
        return node

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        names_only = all(isinstance(t, ast.Name) for t in node.targets)
        return [node] if self._is_piecewise and names_only else super().visit_Delete(node)

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        as_condition(node.test)
        if self._is_piecewise:
            return [as_written(node, self.visit, self.block)]
        shared = self._shared(node)
        test = self.visit(node.test)
        out, state = self._state(shared, node)
        body, orelse = self.names.new("if_true"), self.names.new("if_false") if node.orelse else ""
        out.append(self._function(body, node.body, shared, node))
        if orelse:
            out.append(self._function(orelse, node.orelse, shared, node.orelse[0]))
        other = load(orelse) if orelse else operator("nothing")
        call = helper("if_stmt", test, load(body), other, *state, self._name_list(shared))
        return [*out, placed(ast.Expr(call), node)]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        as_condition(node.test)
        if self._is_piecewise:
            return [as_written(node, self.visit, self.block)]
        shared, written = self._shared(node), self._written(node)
        flags = getattr(node, "stop_flags", [])
        test = self.visit(node.test)
        out, state = self._state(shared, node)
        if flags:
            left = [thunk(helper("not_", load(f))) for f in flags]
            test = helper("all_of", *left, thunk(helper("truth", test)))
        check, body = self.names.new("loop_test"), self.names.new("loop_body")
        returned = placed(ast.Return(test), node.test)
        out.append(nested_function(check, sharing(shared, [returned]), [], node))
        with self._round(node):
            out.append(self._function(body, node.body, shared, node.body[0]))
        call = helper("while_stmt", load(check), load(body), *state, self._name_list(shared), *written)
        return [*out, placed(ast.Expr(call), node)]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        if self._is_piecewise:
            return [as_written(node, self.visit, self.block)]
        shared, written = self._shared(node), self._written(node)
        flags = getattr(node, "stop_flags", [])
        iterable = self.part_of(node.iter)
        out, state = self._state(shared, node)
        item, body, check = (self.names.new(n) for n in ("item", "loop_body", "loop_test"))
        first = placed(ast.Assign([node.target], load(item)), node)
        with self._round(node):
            out.append(self._function(body, [first, *node.body], shared, node.body[0], [item]))
        stop: ast.expr = ast.Constant(None)
        if flags:
            test = helper("and_", *[thunk(helper("not_", load(f))) for f in flags])
            out.append(nested_function(check, [placed(ast.Return(test), node)], [], node))
            stop = load(check)
        call = helper("for_stmt", iterable, stop, load(body), *state, self._name_list(shared), *written)
        return [*out, placed(ast.Expr(call), node)]

    # --- variables

    def _shared(self, node: ast.stmt) -> list[str]:
        """The variables that a statement binds and that are read after it, in it before it binds them, or by functions.
        All others stay inside the functions that its blocks become."""
        flow = flow_of_statement(node)
        shared = sorted(
            n
            for n in flow.assigned - self.declared
            if n in self.names.stops or n in flow.exposed or n in self._live or n in self._always_live
        )
        self.uninitialised |= set(shared) - self._bound
        return shared

    def _written(self, node: ast.For | ast.While) -> list[ast.expr]:
        """A function that gives the objects that a loop writes into, where there are any, but for its own variables;
        and those of its variables that it changes by `op=` alone."""
        last = node.end_lineno or node.lineno
        owners = {_owner(w) for w in self._written_into if node.lineno <= w.lineno <= last}
        names = sorted({n.id for n in owners if isinstance(n, ast.Name)} - flow_of_statement(node).assigned)
        if not (names or self._writes):
            return []
        written: list[ast.expr] = [thunk(ast.Tuple([load(n) for n in names], ast.Load()))]
        targets = {a.target for a in self._augmented if node.lineno <= a.lineno <= last}
        changed = {t.id for t in targets} - bound_by([n for n in walk_own(node) if n not in targets]) if targets else ()
        return [*written, self._name_list(sorted(changed))] if changed else written

    def _state(self, shared: list[str], place: ast.stmt) -> tuple[list[ast.stmt], list[ast.expr]]:
        """Functions that read and write the variables, where there are none yet, and their names."""
        known = self._states.get(tuple(shared))
        if known is not None:
            return [], [load(n) for n in known]
        reader, writer, values = (self.names.new(n) for n in ("get_state", "set_state", "values"))
        read = [ast.Return(ast.Tuple([load(n) for n in shared], ast.Load()))]
        write: list[ast.stmt] = []
        if shared:
            targets = ast.Tuple([ast.Name(n, ast.Store()) for n in shared], ast.Store())
            write = sharing(shared, [ast.Assign([targets], load(values))])
        made: list[ast.stmt] = [
            nested_function(reader, list(read), [], place),
            nested_function(writer, write, [values], place),
        ]
        self._states[tuple(shared)] = reader, writer
        return made, [load(reader), load(writer)]

    def _name_list(self, shared: list[str]) -> ast.expr:
        shown = [RETURN_VALUE if n in self.names.results else n for n in shared]
        return ast.Tuple([ast.Constant(n) for n in shown], ast.Load())


def _owner(written: ast.expr) -> ast.expr:
    """The owner of the items that are written into: x of `x[i][j]`."""
    while isinstance(written, ast.Subscript):
        written = written.value
    return written
