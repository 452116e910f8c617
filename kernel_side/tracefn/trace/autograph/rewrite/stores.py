"""Assignments to more than local variables become calls: attributes, items, globals, variables of outer functions."""

from __future__ import annotations

import ast

from ..augmented import NAMES
from .syntax import Names, Transformer, assign, helper, index_value, load, nested_function, placed, walk

_OF_OWNERS = {"attribute": "owner_attribute", "item": "owner_item", "tested_item": "owner_item"}
"""The hooks of reads, and those where a part of the value is read or changed next."""


class StoreRewriter(Transformer):
    """Rewrites assignments, `op=` and `del`. `globals_` and `outer` are the names declared global and nonlocal."""

    def __init__(self, names: Names, globals_: set[str], outer: set[str]) -> None:
        self.names = names
        self._globals = globals_
        self._outer = {n: (names.new(f"get_{n}"), names.new(f"set_{n}")) for n in sorted(outer)}
        self.declared = globals_ | outer
        self.growing: set[str] = set()
        self.changing: set[str] = set()
        self.observed: set[str] = set()
        self.aliases: set[int] = set()

    def accessors(self, place: ast.AST) -> list[ast.stmt]:
        """Functions that read and write the variables of outer functions."""
        out: list[ast.stmt] = []
        for name, (get, set_) in self._outer.items():
            value = self.names.new("value")
            out.append(nested_function(get, [ast.Return(load(name))], [], place))
            out.append(nested_function(set_, [ast.Nonlocal([name]), assign(name, load(value), place)], [value], place))
        return out

    def wraps(self, node: ast.Name) -> list[str]:
        """The helpers that are given the value of a name, in order."""
        names = ["alias"] if id(node) in self.aliases else []
        if node.id in self.observed and not hasattr(node, "is_owner"):
            names.insert(0, "tested_name" if hasattr(node, "is_condition") else "whole")
        return names

    def owner_of(self, node: ast.expr) -> ast.expr:
        """An expression of whose value a part is read or changed next, or a method called."""
        node.is_owner = True  # type: ignore[attr-defined]
        visited: ast.expr = self.visit(node)
        call = visited.func if isinstance(visited, ast.Call) else None
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(call, ast.Attribute):
            call.attr = _OF_OWNERS.get(call.attr, call.attr)
        return visited

    def part_of(self, node: ast.expr) -> ast.expr:
        """An argument of a call: rewritten functions note the parts that they read of it, others read all. Or the
        iterable of a loop, or the value of a variable, of which the same is noted."""
        is_part = isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
        found: ast.expr = self.owner_of(node) if is_part else self.visit(node)
        return found

    def _is_plain(self, target: ast.expr) -> bool:
        if isinstance(target, ast.Name):
            return target.id not in self.declared
        if isinstance(target, ast.Starred):
            return self._is_plain(target.value)
        return isinstance(target, _SEQUENCES) and all(map(self._is_plain, target.elts))

    def _store(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """The statements that assign a value to a target."""
        if self._is_plain(target):
            return [placed(ast.Assign([target], value), target)]
        if isinstance(target, ast.Tuple | ast.List):
            later: list[ast.stmt] = []
            plain = self._unpacked(target, later, self._reads_what_it_binds(target))
            return [placed(ast.Assign([plain], value), target), *later]
        if isinstance(target, ast.Attribute):
            call = helper("store_attribute", value, self.visit(target.value), ast.Constant(target.attr))
        elif isinstance(target, ast.Subscript):
            call = helper("store_item", value, self.owner_of(target.value), self._index(target.slice))
        elif isinstance(target, ast.Name) and target.id in self._globals:
            call = helper("store_global", value, ast.Call(load("globals"), [], []), ast.Constant(target.id))
        else:
            get, set_ = self._outer[target.id]  # type: ignore[attr-defined]
            call = helper("store_outer", value, load(get), load(set_), ast.Constant(target.id))  # type: ignore[attr-defined]
        return [placed(ast.Expr(placed(call, target)), target)]

    def _index(self, index: ast.expr) -> ast.expr:
        visited: ast.expr = self.visit(index)
        return index_value(visited)

    def _reads_what_it_binds(self, target: ast.expr) -> bool:
        """True for `c.next, c = …`: which object the attribute is of depends on the order."""
        names = [n for n in walk(target) if isinstance(n, ast.Name)]
        bound = {n.id for n in names if isinstance(n.ctx, ast.Store)}
        return any(n.id in bound for n in names if isinstance(n.ctx, ast.Load))

    def _unpacked(self, target: ast.expr, later: list[ast.stmt], in_order: bool) -> ast.expr:
        """A target of plain names alone, for those that are not; `later` is given the stores from them. Where it
        matters, all are stored `in_order`."""
        if isinstance(target, ast.Tuple | ast.List):
            return type(target)([self._unpacked(e, later, in_order) for e in target.elts], ast.Store())
        if isinstance(target, ast.Starred):
            return ast.Starred(self._unpacked(target.value, later, in_order), ast.Store())
        if self._is_plain(target) and not in_order:
            return target
        name = self.names.new("part")
        later += self._store(target, load(name))
        return ast.Name(name, ast.Store())

    @staticmethod
    def _aliases(node: ast.Assign, names: list[ast.Name]) -> set[int]:
        """The ids of the names whose values two variables hold afterwards: of `y` in `z = y`. `names` are those in the
        targets."""
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        found = [v for v in values if type(v) is ast.Name]
        return {id(v) for v in found if all(n.id != v.id for n in names)}

    def _held_by(self, node: ast.Assign, names: list[ast.Name], is_unpacked: bool) -> list[list[str] | None]:
        """For each value of an assignment the targets that it reads: `x` in `x = f(x)`. None for values that need no
        look."""
        values = node.value.elts if is_unpacked and isinstance(node.value, _SEQUENCES) else [node.value]
        bound = {n.id for n in names if type(n.ctx) is ast.Store} - self.declared
        return [None if isinstance(v, _NEW) else sorted(bound & _read_for_certain(v)) for v in values]

    @staticmethod
    def _to_bind(name: str, value: ast.expr, held: list[str] | None) -> ast.expr:
        return value if held is None else placed(helper(name, value, *map(load, held)), value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        if self._is_plain(node.target):
            return self.generic_visit(node)
        (statement,) = self._store(node.target, self.visit(node.value))
        assert isinstance(statement, ast.Expr)
        return statement.value

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        names = [n for t in node.targets for n in walk(t) if type(n) is ast.Name]
        is_unpacked = any(isinstance(t, _SEQUENCES) for t in node.targets)
        self.aliases, held = self._aliases(node, names), self._held_by(node, names, is_unpacked)
        node.value = self.part_of(node.value)
        self.aliases = set()
        is_display = isinstance(node.value, _DISPLAYS)
        if is_unpacked and not is_display:
            node.value = placed(_items_for(node.targets, node.value), node.value)
        for target in node.targets:
            node.value = self._growing_list(target, node.value)
        if is_unpacked and not is_display:
            node.value = self._to_bind("unpacked", node.value, held[0] or [])
        elif is_unpacked and isinstance(node.value, _SEQUENCES):
            pairs = zip(node.value.elts, held, strict=True)
            node.value.elts = [self._to_bind("bound", value, names) for value, names in pairs]
        else:
            node.value = self._to_bind("bound", node.value, held[0])
        if any(map(_is_nested, node.targets)):
            return self._in_steps(node)
        if all(map(self._is_plain, node.targets)):
            return [node]
        if len(node.targets) == 1:
            return self._at(self._store(node.targets[0], node.value), node)
        name = self.names.new("value")
        stores = [s for t in node.targets for s in self._store(t, load(name))]
        return self._at([assign(name, node.value, node), *stores], node)

    def _in_steps(self, node: ast.Assign) -> list[ast.stmt]:
        """`a, (b, c) = v` as `a, part = v` and `b, c = part`, each of which reads the items of its value."""
        later: list[ast.stmt] = []
        targets = [self._parts_named(t, later) if _is_nested(t) else t for t in node.targets]
        first = ast.Assign(targets, node.value)
        name = self.names.new("value")
        if len(targets) > 1 or not self._is_plain(targets[0]):
            stores = [s for t in targets for s in self._store(t, load(name))]
            first_stores = [assign(name, node.value, node), *stores]
        else:
            first_stores = [first]
        rest = [s for other in later for s in self.visit_Assign(placed(other, node))]  # type: ignore[arg-type]
        return self._at([*first_stores, *rest], node)

    def _parts_named(self, target: ast.expr, later: list[ast.stmt]) -> ast.expr:
        """A target with a name in the place of each target in it that is itself unpacked."""
        assert isinstance(target, ast.Tuple | ast.List)
        found: list[ast.expr] = []
        for part in target.elts:
            if isinstance(part, ast.Tuple | ast.List):
                name = self.names.new("part")
                later.append(ast.Assign([part], load(name)))
                found.append(ast.Name(name, ast.Store()))
            else:
                found.append(part)
        return type(target)(found, ast.Store())

    def _growing_list(self, target: ast.expr, value: ast.expr) -> ast.expr:
        """The value, with a list display that a variable grows from as a list that the graph may keep."""
        if isinstance(target, ast.Name) and target.id in self.growing and _makes_list(value):
            return placed(helper("new_list", value, ast.Constant(value.col_offset)), value)
        if isinstance(target, ast.Name) and target.id in self.changing:
            return _new_container(value)
        if isinstance(value, ast.Tuple) and isinstance(target, _SEQUENCES):
            if len(value.elts) == len(target.elts):
                value.elts = [self._growing_list(t, v) for t, v in zip(target.elts, value.elts, strict=True)]
        return value

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        assert node.value is not None, "those without a value are lowered"
        return self.visit_Assign(placed(ast.Assign([node.target], node.value), node))

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        op, target = ast.Constant(type(node.op).__name__), node.target
        before: list[ast.stmt] = []
        if isinstance(target, ast.Name):
            old = self.visit(placed(load(target.id), target))
        elif isinstance(target, ast.Attribute):
            owner = self.names.new("owner")
            before.append(assign(owner, self.visit(target.value), node))
            target = ast.Attribute(load(owner), target.attr, ast.Store())
            old = helper("attribute", load(owner), ast.Constant(target.attr))
        else:
            owner, key = self.names.new("owner"), self.names.new("key")
            before += [assign(owner, self.owner_of(target.value), node), assign(key, self._index(target.slice), node)]
            # read before the value is computed, which may raise or write
            old = helper("changing_item", load(owner), load(key))
            call = helper("augment_item", op, load(owner), load(key), old, self.visit(node.value))
            return self._at([*before, ast.Expr(call)], node)
        value = placed(helper("augmented", op, old, self.visit(node.value)), node)
        if isinstance(target, ast.Name):
            return self._at(self._store(target, value), node)
        call = helper("store_attribute", value, load(owner), ast.Constant(target.attr))
        return self._at([*before, ast.Expr(call)], node)

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                out.append(assign(target.id, helper("undefined", ast.Constant(target.id)), node))
            elif isinstance(target, ast.Attribute):
                call = helper("delete_attribute", self.visit(target.value), ast.Constant(target.attr))
                out.append(ast.Expr(call))
            elif isinstance(target, ast.Subscript):
                out.append(ast.Expr(helper("delete_item", self.owner_of(target.value), self._index(target.slice))))
            else:
                out.append(ast.Delete([target]))
        return self._at(out, node)

    @staticmethod
    def _at(statements: list[ast.stmt], place: ast.AST) -> list[ast.stmt]:
        return [placed(s, place) for s in statements]


def _read_for_certain(node: ast.AST) -> set[str]:
    """The names that are read by whatever computes a call's arguments."""
    found: set[str] = set()
    waiting = [node]
    for part in waiting:
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Call):
            waiting += [part.func, *part.args, *[k.value for k in part.keywords]]
        elif isinstance(part, _OF_ONE_VALUE):
            waiting.append(part.value)
        elif isinstance(part, _SEQUENCES):
            waiting += part.elts
    return found


_SEQUENCES = (ast.Tuple, ast.List)
_DISPLAYS = (*_SEQUENCES, ast.Constant)
_OF_ONE_VALUE = (ast.Attribute, ast.Subscript, ast.Starred)

_NEW = (ast.Constant, ast.Name, ast.UnaryOp, ast.Compare, ast.JoinedStr, ast.Lambda, ast.Starred)
"""Expressions whose values nothing else holds, and names, which `alias` sees to."""


def _items_for(targets: list[ast.expr], value: ast.expr) -> ast.expr:
    """The items of a value that is unpacked: as many as the one target has parts, where none of these has a star."""
    parts = targets[0].elts if len(targets) == 1 and isinstance(targets[0], _SEQUENCES) else []
    if not parts or any(isinstance(part, ast.Starred) for part in parts):
        return helper("elements_of", value)
    return helper("parts_of", value, ast.Constant(len(parts)))


def _is_nested(target: ast.expr) -> bool:
    """True for `a, (b, c)`."""
    return isinstance(target, _SEQUENCES) and any(isinstance(e, _SEQUENCES) for e in target.elts)


def _new_container(value: ast.expr) -> ast.expr:
    """The value, with one that may be a new deque, set or dict as one that the graph may keep."""
    column = ast.Constant(getattr(value, "col_offset", -1))  # calls that rewriting adds have none
    if isinstance(value, ast.Dict) and None not in value.keys:
        pairs: list[ast.expr] = [ast.Tuple(list(p), ast.Load()) for p in zip(value.keys, value.values, strict=True)]  # type: ignore[arg-type]
        return placed(helper("new_dict", ast.List(pairs, ast.Load()), column), value)
    if isinstance(value, ast.Set) and not all(map(_is_constant, value.elts)):  # else Python has an order for them
        return placed(helper("new_set", ast.List(value.elts, ast.Load()), column), value)
    if isinstance(value, ast.Call | ast.DictComp | ast.SetComp | ast.Set) and column.value != -1:
        return placed(helper("new_container", value, column), value)
    return value


def _is_constant(value: ast.expr) -> bool:
    return all(
        isinstance(part, ast.Constant | ast.Tuple | ast.UnaryOp | ast.unaryop | ast.Load) for part in ast.walk(value)
    )


def _makes_list(value: ast.expr) -> bool:
    """True for `[...]`, `list(...)`, and `*` and `+` of these."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult | ast.Add):
        return _makes_list(value.left) or _makes_list(value.right)
    if isinstance(value, ast.Call):  # rewritten by now
        if isinstance(value.func, ast.Attribute) and value.func.attr in (NAMES["Add"], NAMES["Mult"]):
            return any(map(_makes_list, value.args))
        return any(isinstance(n, ast.Name) and n.id == "list" for n in (value.func, *getattr(value.func, "args", ())))
    return isinstance(value, ast.List)
