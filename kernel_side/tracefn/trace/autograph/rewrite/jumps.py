"""Removes `break`, `continue` and `return` inside control flow: flags and guards take their place.

Afterwards every block runs from its top to its end, so that branches and loops can become functions.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...control.undefined import RETURN_VALUE
from .parts import FunctionParts
from .syntax import Names, assign, blocks, helper, is_loop, load, not_, placed


def lower_jumps(function: ast.FunctionDef, parts: FunctionParts, names: Names) -> None:
    """Rewrites the body of a function in place so that its only `return` is its last statement."""
    loops = parts.own(ast.For, ast.While)
    # a test that binds a name has become a `break` since the parts were taken
    binds = bool(parts.own(ast.NamedExpr))
    kinds: set[type] = {kind for kind in (ast.Break, ast.Continue) if binds or parts.own(kind)}
    if loops and (kinds or any(loop.orelse for loop in loops)):
        function.body = _Loops(names, kinds).block(function.body)
    if any(n is not function.body[-1] for n in parts.own(ast.Return)):
        _lower_returns(function, names)


def _own_jumps(statements: Sequence[ast.stmt], kind: type) -> bool:
    """True if there is a `break` (or `continue`) that belongs to the loop around these statements."""
    for statement in statements:
        if type(statement) is kind:
            return True
        inner = blocks(statement)
        own = [statement.orelse] if is_loop(statement) else [getattr(owner, field) for owner, field in inner]
        if inner and any(_own_jumps(block, kind) for block in own):
            return True
    return False


class _Loops:
    """Lowers `break` and `continue`, loop by loop, and `else` of loops. `kinds` are those of the two that there are."""

    def __init__(self, names: Names, kinds: set[type]) -> None:
        self._names = names
        self._kinds = kinds

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for statement in body:
            out += self._statement(statement)
        return out

    def _statement(self, s: ast.stmt) -> list[ast.stmt]:
        for owner, field in blocks(s):
            setattr(owner, field, self.block(getattr(owner, field)))
        if not is_loop(s):
            return [s]
        before: list[ast.stmt] = []
        broke = ""
        if ast.Continue in self._kinds and _own_jumps(s.body, ast.Continue):
            skip = self._names.new("continued")
            s.body = [assign(skip, ast.Constant(False), s), *_guarded(s.body, ast.Continue, skip, s)]
        if ast.Break in self._kinds and _own_jumps(s.body, ast.Break):
            broke = self._names.new("broke")
            before.append(assign(broke, ast.Constant(False), s))
            s.body = _guarded(s.body, ast.Break, broke, s)
            self._names.stops.add(broke)
            s.stop_flags = [*getattr(s, "stop_flags", []), broke]  # type: ignore[union-attr]
        after = s.orelse
        s.orelse = []
        if after and broke:
            after = [placed(ast.If(not_(load(broke)), after, []), s)]
        return [*before, s, *after]


def _guarded(body: list[ast.stmt], kind: type, flag: str, place: ast.stmt) -> list[ast.stmt]:
    """The block with each jump replaced by setting the flag, and the statements after a possible jump guarded by it."""
    out: list[ast.stmt] = []
    for index, statement in enumerate(body):
        if isinstance(statement, kind):
            out.append(assign(flag, ast.Constant(True), statement))
            return out
        jumps = _own_jumps([statement], kind)
        if jumps:
            leaves = isinstance(statement, ast.Try | ast.TryStar) and _own_jumps(statement.body, kind)
            for owner, field in list(blocks(statement)):
                if not is_loop(statement):
                    setattr(owner, field, _guarded(getattr(owner, field), kind, flag, place))
            if leaves:
                _guard_else(statement, flag)
        out.append(statement)
        rest = body[index + 1 :]
        if jumps and rest:
            guard = ast.If(not_(load(flag)), _guarded(rest, kind, flag, place), [])
            out.append(placed(guard, rest[0]))
            return out
    return out


def _guard_else(statement: ast.stmt, flag: str) -> None:
    """The `else` of a `try` does not run where the `try` has been left by a jump."""
    if isinstance(statement, ast.Try | ast.TryStar) and statement.orelse:
        statement.orelse = [placed(ast.If(not_(load(flag)), statement.orelse, []), statement.orelse[0])]


def _lower_returns(function: ast.FunctionDef, names: Names) -> None:
    done, value = names.new("returned"), names.new("result")
    body = _Returns(names, done, value).block(function.body)
    place = function.body[0]
    function.body = [
        assign(done, ast.Constant(False), place),
        assign(value, helper("undefined", ast.Constant(RETURN_VALUE)), place),
        *body,
        placed(ast.Return(helper("returned", load(done), load(value))), function.body[-1]),
    ]
    names.results.add(value)
    names.stops.add(done)


def _has_return(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Return):
        return True
    return any(_has_return(s) for owner, field in blocks(statement) for s in getattr(owner, field))


class _Returns:
    """Lowers `return`: the flag `done` is set, and `value`."""

    def __init__(self, names: Names, done: str, value: str) -> None:
        self._names = names
        self._done = done
        self._value = value

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The block with `return` replaced by setting the result, and the statements after a possible return
        guarded."""
        out: list[ast.stmt] = []
        for index, statement in enumerate(body):
            if isinstance(statement, ast.Return):
                return [*out, *self._return(statement)]
            if not _has_return(statement):
                out.append(statement)
                continue
            late = _late_returns(statement)
            site = self._names.new("returned_at") if len(late) > 1 else ""
            for number, found in enumerate(late):
                found.late = site, number  # type: ignore[attr-defined]
            leaves = isinstance(statement, ast.Try | ast.TryStar) and any(map(_has_return, statement.body))
            for owner, field in list(blocks(statement)):
                setattr(owner, field, self.block(getattr(owner, field)))
            if leaves:
                _guard_else(statement, self._done)
            if isinstance(statement, ast.For | ast.While):
                statement.stop_flags = [*getattr(statement, "stop_flags", []), self._done]  # type: ignore[union-attr]
            if site:
                out.append(assign(site, ast.Constant(0), statement))
            out.append(statement)
            return [*out, *self._after(statement, self._of_late(late, site), body[index + 1 :])]
        return out

    def _return(self, statement: ast.Return) -> list[ast.stmt]:
        done = assign(self._done, ast.Constant(True), statement)
        site, number = getattr(statement, "late", (None, 0))
        if site is None:
            return [assign(self._value, statement.value or ast.Constant(None), statement), done]
        return [assign(site, ast.Constant(number), statement), done] if site else [done]

    def _of_late(self, late: list[ast.Return], site: str) -> list[ast.stmt]:
        """The statements that set the result of a loop that has returned."""
        chain: list[ast.stmt] = []
        for number in reversed(range(len(late))):
            place, value = late[number], late[number].value or ast.Constant(None)
            chosen = [assign(self._value, value, place), assign(self._done, ast.Constant(True), place)]
            if chain:
                test = ast.Compare(load(site), [ast.Eq()], [ast.Constant(number)])
                chosen = [placed(ast.If(test, chosen, chain), place)]
            chain = chosen
        return chain

    def _after(self, statement: ast.stmt, late: list[ast.stmt], rest: list[ast.stmt]) -> list[ast.stmt]:
        """The statements after one that may have returned; `late` sets the result if it has."""
        if _never_ends(statement):
            return late or [assign(self._done, ast.Constant(True), statement)]
        inner = self.block(rest)
        if late:
            return [placed(ast.If(load(self._done), late, inner), statement)]
        if not rest:
            return []
        # `if c: return a` followed by the rest is `if c: return a else: rest`, where both sides give a result
        if isinstance(statement, ast.If) and _always_returns(statement.body, self._done) and not statement.orelse:
            statement.orelse = inner
            return []
        out: list[ast.stmt] = [placed(ast.If(not_(load(self._done)), inner, []), rest[0])]
        if _always_returns(inner, self._done):
            out.append(assign(self._done, ast.Constant(True), rest[-1]))
        return out


def _late_returns(statement: ast.stmt) -> list[ast.Return]:
    """The `return`s of a loop that writes into arrays: their value is taken when the loop has been left. In the loop
    it would be a value of its state that shows the memory of another one."""
    if not is_loop(statement):
        return []
    found = _returns(statement)
    if found is None or any(hasattr(r, "late") for r in found):
        return []
    names = {n.id for r in found if r.value is not None for n in ast.walk(r.value) if isinstance(n, ast.Name)}
    return found if names and any(_may_write(n, names) for n in ast.walk(statement)) else []


def _returns(statement: ast.stmt) -> list[ast.Return] | None:
    """The `return`s in a statement. None where one is in a `try` or `with`, which has more to do after it."""
    if isinstance(statement, ast.Return):
        return [statement]
    if not _has_return(statement):
        return []
    if isinstance(statement, ast.Try | ast.TryStar | ast.With):
        return None
    parts = [_returns(s) for owner, field in blocks(statement) for s in getattr(owner, field)]
    return None if any(p is None for p in parts) else [r for p in parts for r in p or ()]


def _may_write(node: ast.AST, names: set[str]) -> bool:
    """True for code that may write into an array, or into one of these names."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) and node.target.id in names
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        or (isinstance(node, ast.keyword) and node.arg == "out")
    )


def _never_ends(statement: ast.stmt) -> bool:
    """True for `while True` without a `break`: it can be left by `return` alone."""
    if not isinstance(statement, ast.While) or len(getattr(statement, "stop_flags", [])) != 1:
        return False
    return isinstance(statement.test, ast.Constant) and statement.test.value is True


def _always_returns(body: list[ast.stmt], done: str) -> bool:
    """True if the (lowered) block certainly ends by setting the flag."""
    last = body[-1] if body else None
    if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name) and last.targets[0].id == done:
        return True
    return isinstance(last, ast.If) and _always_returns(last.body, done) and _always_returns(last.orelse, done)
