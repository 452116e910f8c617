"""`%tracefn EXPRESSION`: the value of an expression, computed through a trace."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from tracefn.function import Function
from tracefn.function.bound import bound_function

_PARAMETER_TYPES = (np.ndarray, np.generic, int, float, complex, bool, str)


def traced_value(expression: str, namespace: dict[str, Any]) -> Any:
    """The value of `expression` in `namespace`, traced.

    The call of a Python function traces that function. Anything else is traced as a function of the arrays and numbers
    that it names. Raises SyntaxError where it is no expression.
    """
    file, line = _calling_line(namespace)
    tree = ast.parse(expression, "<%tracefn>", "eval")
    ast.increment_lineno(tree, line - 1)
    call = tree.body
    if isinstance(call, ast.Call):
        called = eval(compile(ast.Expression(call.func), file, "eval"), namespace)
        if isinstance(called, Function) or bound_function(called) is not None:
            return _call_with(called, call, file, namespace)
        if isinstance(called, types.FunctionType | types.MethodType):
            return _call_with(Function(called), call, file, namespace)
    return _trace_expression(tree, file, namespace)


def _call_with(called: Callable[..., Any], call: ast.Call, file: str, namespace: dict[str, Any]) -> Any:
    """Evaluate the call with its function replaced; the arguments are evaluated where and as they stand."""
    name = ast.copy_location(ast.Name("__tracefn_called__", ast.Load()), call.func)
    replaced = ast.Expression(ast.copy_location(ast.Call(name, call.args, call.keywords), call))
    return eval(compile(replaced, file, "eval"), namespace, {"__tracefn_called__": called})


def _trace_expression(tree: ast.Expression, file: str, namespace: dict[str, Any]) -> Any:
    names = dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    values = {name: namespace[name] for name in names if isinstance(namespace.get(name), _PARAMETER_TYPES)}
    parameters = [ast.arg(name) for name in values]
    arguments = ast.arguments(posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[])
    body = ast.Expression(ast.Lambda(arguments, tree.body))
    ast.copy_location(body.body, tree.body)
    python_function = eval(compile(ast.fix_missing_locations(body), file, "eval"), namespace)
    python_function.__name__ = python_function.__qualname__ = "expression"
    return Function(python_function)(*values.values())


def _calling_line(namespace: dict[str, Any]) -> tuple[str, int]:
    """File and line of the innermost running code of `namespace`: the cell that the magic stands in."""
    frame: types.FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_globals is namespace:
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return "<%tracefn>", 1
