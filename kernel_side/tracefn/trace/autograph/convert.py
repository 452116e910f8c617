"""Rewrites a function: from its source to a code object that takes the place of the original's."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from functools import lru_cache
from typing import Any

from .rewrite import UnsupportedSyntax, rewrite_function
from .syntax import nested_function


def to_code(function: Any) -> str:
    """The rewritten source of a function: what AutoGraph makes of it, readable Python.

    Raises ValueError where the function cannot be rewritten: its source is not to be had, or it is a generator.

    >>> import tracefn
    >>> def f(x):
    ...     return x if x > 0 else -x
    >>> print(tracefn.autograph.to_code(f))
    def f(x):
        return tracefn_autograph.if_exp(x > 0, lambda: x, lambda: -x)
    """
    function = getattr(function, "python_function", function)
    tree = _rewritten(function.__code__)
    if tree is None:
        raise ValueError(f"{function.__qualname__} has no source, or is a generator or coroutine")
    return ast.unparse(tree)


@lru_cache(maxsize=1024)
def converted_code(code: types.CodeType) -> types.CodeType | None:
    """The code object of the rewritten function, with the file name and line numbers of the original.

    None where there is no source to read, or something in it is not rewritten.
    """
    function = _rewritten(code)
    if function is None:
        return None
    function.name = "tracefn_function"  # not its own name, which is a global or a cell for a function that calls itself
    factory = nested_function("tracefn_factory", [function], list(code.co_freevars), function)
    module = ast.fix_missing_locations(ast.Module([factory], []))
    compiled = compile(module, code.co_filename, "exec")
    return _inner(_inner(compiled)).replace(co_name=code.co_name)


def _inner(code: types.CodeType) -> types.CodeType:
    return next(c for c in code.co_consts if isinstance(c, types.CodeType))


def _rewritten(code: types.CodeType) -> ast.FunctionDef | None:
    try:
        lines, start = inspect.getsourcelines(code)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):
        return None
    ast.increment_lineno(tree, start - 1)
    function = _lambda(tree, code) if code.co_name == "<lambda>" else _definition(tree, code)
    if function is None:
        return None
    try:
        rewrite_function(function)
    except UnsupportedSyntax:
        return None
    return ast.fix_missing_locations(function)


def _definition(tree: ast.Module, code: types.CodeType) -> ast.FunctionDef | None:
    function = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == code.co_name), None)
    if function is not None:
        function.decorator_list = []
        function.returns = None
        _strip(function.args)
    return function


def _lambda(tree: ast.Module, code: types.CodeType) -> ast.FunctionDef | None:
    """The lambda of this code as a function. None where another on the same lines has the same code."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and [a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)] == list(
            code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        ):
            _strip(node.args)
            compiled = compile(ast.fix_missing_locations(ast.Expression(node)), code.co_filename, "eval")
            if _inner(compiled).co_code == code.co_code or code.co_freevars:
                found.append(node)
    if len(found) != 1:
        return None
    function = nested_function("lambda_", [ast.copy_location(ast.Return(found[0].body), found[0].body)], [], found[0])
    function.args = found[0].args
    return function


def _strip(arguments: ast.arguments) -> None:
    """Drops annotations and defaults: defaults were evaluated when the function was made, and are kept with it."""
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [d and ast.Constant(None) for d in arguments.kw_defaults]
