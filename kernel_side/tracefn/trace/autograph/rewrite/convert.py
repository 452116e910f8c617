"""Rewrites a function: from its source to a code object that takes the place of the original's."""

from __future__ import annotations
import __future__

import ast
import contextlib
import inspect
import itertools
import linecache
import operator
import threading
import time
import types
from functools import lru_cache
from typing import Any

from ... import provided
from ...code.bytecode import instructions
from ...code.compiled import compiled_before, parsed
from ...code.rewritten import PART, REWRITTEN
from .code_names import with_names_as_written
from .edited import is_compiled_from, was_edited
from .statements import rewrite_function
from .supported import UnsupportedSyntax
from .syntax import has_text, helper, nested_function, place, placed, walk


def to_code(function: Any) -> str:
    """The source of a function as AutoGraph rewrites it, readable Python.

    Raises ValueError where the function cannot be rewritten: its source is not to be had, or it is a generator.

    >>> import tracefn
    >>> def f(x):
    ...     return x if x > 0 else -x
    >>> print(tracefn.autograph.to_code(f))
    def f(x):
        return tracefn_autograph.if_exp(tracefn_autograph.gt(x, 0), lambda: x, lambda: tracefn_autograph.neg(x))
    """
    function = getattr(function, "python_function", function)
    try:
        text = ast.unparse(ast.fix_missing_locations(_rewritten(function.__code__)[0]))
    except UnsupportedSyntax as reason:
        raise ValueError(f"{function.__qualname__} cannot be rewritten: {reason}") from None
    return text.replace(f", *{PART}", "").replace(f" *{PART}", "")  # marks alone


def do_not_convert(function: Any) -> Any:
    """Keeps AutoGraph away from a function: in traces it runs as it is written. To be used as a decorator.

    >>> import numpy as np, tracefn
    >>> @tracefn.autograph.do_not_convert
    ... def sign(x):
    ...     return 1 if x > 0 else -1
    >>> tracefn.function(lambda x: sign(x))(np.float64(2))
    Traceback (most recent call last):
    tracefn.errors.TensorBoolError: the result of `>` ...
    """
    _marked.add(_with_file(getattr(function, "python_function", function).__code__))
    return function


_marked: set[tuple[types.CodeType, str]] = set()


def _with_file(code: types.CodeType) -> tuple[types.CodeType, str]:
    """Code objects of two files can be equal."""
    return code, code.co_filename


def is_marked(code: types.CodeType) -> bool:
    """True for a function that was given to `do_not_convert`."""
    return _with_file(code) in _marked


def converted_code(code: types.CodeType) -> types.CodeType | None:
    """The code object of the rewritten function, with the file name and line numbers of the original.

    None where there is no source to read, or something in it is not rewritten (`why_not_converted` says which).
    """
    return None if is_marked(code) else _converted(*_with_file(code))


def why_not_converted(code: types.CodeType) -> str:
    """Why a function runs as it is written."""
    if is_marked(code):
        return "it is marked with `do_not_convert`"
    try:
        _rewritten(code)
    except UnsupportedSyntax as reason:
        return str(reason)
    return ""


def has_control_flow(code: types.CodeType) -> bool:
    """True if a function branches or loops. A branch on an identity, as `is None` is one, asks no value."""
    names = [name for name, _ in instructions(code)]
    return "FOR_ITER" in names or any(
        "JUMP" in name and "_IF_" in name and not name.endswith("NONE") and before != "IS_OP"
        for before, name in itertools.pairwise(names)
    )


class _Rewriting(threading.local):
    """The time that rewriting has taken in this thread so far, in ns."""

    ns = 0


REWRITING = _Rewriting()


@lru_cache(maxsize=1024)
def _converted(code: types.CodeType, file: str) -> types.CodeType | None:
    """The same, by the code and its file."""
    start = time.perf_counter_ns()
    try:
        if (kept := provided.kept_code(code)) is not None:
            return kept
        made = _compiled(code, *_rewritten(code))
        provided.note_rewritten(code, made)
        return made
    except UnsupportedSyntax:
        return None
    finally:
        REWRITING.ns += time.perf_counter_ns() - start


def _compiled(code: types.CodeType, function: ast.FunctionDef, functions: list[ast.FunctionDef]) -> types.CodeType:
    """The code of a rewritten function, at the place of the original."""
    for each in functions:
        _tell_of_calls(each)
    function.name = REWRITTEN  # not its own name, which is a global or a cell for a function that calls itself
    factory = nested_function("tracefn_factory", [function], list(code.co_freevars), function)
    module = ast.Module([factory], [])
    place(module, code.co_firstlineno, 0)
    with compiled_before():
        compiled = compile(module, code.co_filename, "exec", dont_inherit=True, flags=code.co_flags & _FUTURES)
    return with_names_as_written(_inner(_inner(compiled)), code.co_name, code.co_qualname)


def _tell_of_calls(function: ast.FunctionDef) -> None:
    """Has a rewritten function report that it is called."""
    function.body.insert(has_text(function), placed(ast.Expr(helper("enter")), function.body[0]))


_FUTURES = __future__.annotations.compiler_flag


def _inner(code: types.CodeType) -> types.CodeType:
    return next(c for c in code.co_consts if isinstance(c, types.CodeType))


def _rewritten(code: types.CodeType) -> tuple[ast.FunctionDef, list[ast.FunctionDef]]:
    """The rewritten function, and those in it that report calls. Raises `UnsupportedSyntax` where there is none."""
    function = _written(code)
    return function, rewrite_function(function, _class_of(code.co_qualname))


def _written(code: types.CodeType) -> ast.FunctionDef:
    """The function as it is written: of a file that was edited, where the compiled code is of that."""
    if not was_edited(code.co_filename):
        return _found(code)
    for look in (lambda file: None, linecache.checkcache):  # the file as it was read before, and as it is now
        look(code.co_filename)
        with contextlib.suppress(UnsupportedSyntax):
            function = _found(code)
            if is_compiled_from(code, function, _class_of(code.co_qualname), code.co_flags & _FUTURES):
                return function
    _found(code)  # raises if there is another reason
    raise UnsupportedSyntax("its file was edited after it was imported")


def _found(code: types.CodeType) -> ast.FunctionDef:
    body = _statements(code)
    return _lambda(body, code) if code.co_name == "<lambda>" else _definition(body, code)


def definition_of(code: types.CodeType) -> ast.FunctionDef:
    """The source of a function, as a syntax tree. Raises `UnsupportedSyntax` where there is none."""
    return _definition(_statements(code), code)


def _statements(code: types.CodeType) -> list[ast.stmt]:
    """The statements at the place that a code object comes from."""
    if code.co_filename == "<string>":  # the name of all that `exec` and `eval` make
        raise UnsupportedSyntax("its source cannot be read")
    file, start = linecache.getlines(code.co_filename), code.co_firstlineno
    if file:  # only the lines of the instructions count, and they are quickly found
        with contextlib.suppress(SyntaxError, IndexError):
            found = _parsed(file[start - 1 : _end(file, code)], start)
            if code.co_name == "<lambda>" or any(isinstance(s, ast.FunctionDef) for s in found):
                return found
    try:
        return _parsed(*inspect.getsourcelines(code))
    except (OSError, TypeError):
        raise UnsupportedSyntax("its source cannot be read") from None
    except SyntaxError:  # a piece of a statement: a lambda in a call over several lines
        try:
            return _parsed(file, 1)
        except SyntaxError:
            raise UnsupportedSyntax("its source cannot be parsed") from None


def _end(file: list[str], code: types.CodeType) -> int:
    """The number of the last line. A function goes on behind its instructions where these are not reached: names that
    it assigns to there are its own everywhere."""
    end, first = _last_line(code), file[code.co_firstlineno - 1]
    if code.co_name == "<lambda>":
        return end
    indent = first[: len(first) - len(first.lstrip())]
    while end < len(file) and (file[end].startswith((indent + " ", indent + "\t")) or file[end].lstrip()[:1] in "#"):
        end += 1
    return end


def _last_line(code: types.CodeType) -> int:
    inner = [_last_line(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    return max([code.co_firstlineno, *inner, *filter(None, map(_END_LINE, code.co_positions()))])


_END_LINE = operator.itemgetter(1)


def _parsed(lines: list[str], start: int) -> list[ast.stmt]:
    """The statements of a piece of a file that begins in line `start`. Their columns are those of the file."""
    indented = lines[0][:1].isspace()
    above = "\n" * (start - 1 - indented)  # so that lines have their own numbers
    if indented and start == 1:
        raise SyntaxError("an indented first line")
    body = parsed("".join([above, "if True:\n" if indented else "", *lines])).body
    if indented and isinstance(body[0], ast.If):
        return body[0].body
    return body


def _class_of(qualname: str) -> str:
    """The class that a function is defined in, directly or in a method: '' for none."""
    parts = qualname.split(".")
    classes = [p for p, after in zip(parts, parts[1:], strict=False) if after != "<locals>" and p != "<locals>"]
    return classes[-1] if classes else ""


def _definition(body: list[ast.stmt], code: types.CodeType) -> ast.FunctionDef:
    for statement in body:
        if isinstance(statement, ast.FunctionDef) and _is_of(statement, code):
            statement.decorator_list = []
            statement.returns = None
            _strip(statement.args)
            return statement
    raise UnsupportedSyntax("it is a coroutine, or its source has changed")


def _is_of(node: ast.FunctionDef, code: types.CodeType) -> bool:
    """True if a definition has the name and the parameters of a code object: files change after they are imported."""
    given = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    wanted = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    private = [n for n in given if n.startswith("__")]
    return node.name == code.co_name and (given == wanted or bool(private))


def _lambda(body: list[ast.stmt], code: types.CodeType) -> ast.FunctionDef:
    """The lambda of this code as a function: the smallest that spans all places where its instructions come from."""
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    places = [(line, column, to, end) for line, to, column, end in code.co_positions() if line and end]
    found: list[tuple[int, ast.Lambda]] = []
    for node in (n for s in body for n in walk(s)):
        if not isinstance(node, ast.Lambda):
            continue
        value = node.body
        first, last = (value.lineno, value.col_offset), (value.end_lineno, value.end_col_offset)
        given = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        if given == names and all(first <= p[:2] and p[2:] <= last for p in places):
            found.append(((last[0] - first[0]) * 10_000 + last[1] - first[1], node))  # type: ignore[operator]
    if not places:  # some versions of Python give none for a constant, and `-X no_debug_ranges` for nothing
        found = [
            (size, n)
            for size, n in found
            if n.lineno == code.co_firstlineno and _contents(_code_alone(n)) == _contents(code)
        ]
        if len({ast.dump(n) for _, n in found}) > 1:
            raise UnsupportedSyntax("its line has several lambdas like it")
    if not found:
        raise UnsupportedSyntax("the source of the lambda is not found")
    node = min(found, key=lambda pair: pair[0])[1]
    _strip(node.args)
    function = nested_function("lambda_", [placed(ast.Return(node.body), node.body)], [], node)
    function.args = node.args
    return function


def _code_alone(node: ast.Lambda) -> types.CodeType:
    """The code of a lambda by itself."""
    with compiled_before():
        whole = compile(ast.Expression(node), "<lambda>", "eval")
    return next(c for c in whole.co_consts if isinstance(c, types.CodeType) and c.co_name == "<lambda>")


def _contents(code: types.CodeType) -> Any:
    """The constants and names of a code object; variables of outer functions are among the names."""
    inner = [_contents(c) if isinstance(c, types.CodeType) else (type(c).__name__, repr(c)) for c in code.co_consts]
    return inner, {*code.co_names, *code.co_freevars}


def _strip(arguments: ast.arguments) -> None:
    """Drops annotations and defaults: defaults were evaluated when the function was made, and are kept with it."""
    for argument in walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [d and ast.Constant(None) for d in arguments.kw_defaults]


provided.definition_of = definition_of
