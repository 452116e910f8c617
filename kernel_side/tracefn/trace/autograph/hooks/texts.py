"""Texts in rewritten code: f-strings, `%`, and the functions and methods of `str` that are given traced values."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import itertools
import operator
import re
import string
import types
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ....ops.texts import METHODS
from ... import provided
from ...active import TRACING, current, note_address
from ...code.plain import plain
from ...origin import user_source, where
from ...reads import in_trace
from ...tensor import Tensor
from ...tensor_parts.formatting import FORMATTING
from ...tree import Parts, parts
from ...values.traced_text import Text, converted, is_traced, plain_text, text_call
from ...values.traced_text import text as made
from ..containers.contents import as_found
from ..special import inherits, is_code_of_user


def text(*parts: Any) -> Any:
    """An f-string: texts and fields, which are (value, conversion, spec)."""
    if not TRACING:
        return made(*parts)
    return made(*[_field(*p) if type(p) is tuple else p for p in parts])


def _field(value: Any, conversion: str, spec: Any) -> tuple[Any, str, Any]:
    """A field of a text, with the text that an object gives of itself in the object's place."""
    value = as_found(in_trace(value))
    cls = type(value)
    if not conversion and cls.__format__ is not object.__format__:
        function = plain(cls.__format__)
        if not is_code_of_user(function):
            if type(value) is np.ndarray and value.dtype.kind == "O":
                text_of_object(value, "__str__")  # which refuses objects that are not recorded
            return value, conversion, spec
        _uses(value, "__format__")
        return provided.callee(types.MethodType(function, value))(spec), "", ""
    given = text_of_object(value, "__str__" if conversion in ("", "s") else "__repr__")
    if given is None or (not conversion and spec != ""):  # which Python refuses
        return value, conversion, spec
    if conversion == "a":
        refuse_text("`ascii` of an object is made by its `__repr__`, and what this reads is not recorded")
    return given, "", spec


def text_of_object(value: Any, name: str) -> Any:
    """The text by an object's `__str__` or `__repr__`, rewritten. None where these are no code of the user's. Named
    tuples, dataclasses, and containers that show such a text, count as that."""
    cls = type(value)
    is_unread = isinstance(value, _UNREAD) or (isinstance(value, np.ndarray) and value.dtype.kind in "OV")
    if is_unread and (trace := current()) is not None and trace.is_outside(value):
        refuse_text(f"the text of a {cls.__name__} is made, and its contents are not recorded")
    if cls in _CONTAINERS:
        return _of_items(value) if any(map(shows_made, _items(value))) else None
    if any(map(shows_made, _hidden(value))):
        refuse_text(f"the text of a {cls.__name__} shows objects, and what their `__repr__` reads is not recorded")
    if cls.__module__ == "builtins" or cls is Tensor or cls is Text:
        return None
    inherits(value, name)
    if getattr(cls, name) is object.__str__:
        name = "__repr__"
        inherits(value, name)
    function = plain(getattr(cls, name))
    if function is object.__repr__:
        note_address()
    if not is_code_of_user(function):
        named = parts(value) if function is not object.__repr__ else None
        return _of_fields(value, named) if named is not None and named.kind in ("namedtuple", "dataclass") else None
    _uses(value, name)
    return provided.callee(types.MethodType(function, value))()


_CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque, collections.OrderedDict, collections.defaultdict)


def _items(value: Any) -> list[Any]:
    """The items that a container shows."""
    return [*value.keys(), *value.values()] if isinstance(value, dict) else list(value)


def _hidden(value: Any) -> list[Any]:
    """The parts of a value that Python or NumPy puts into its text."""
    if isinstance(value, BaseException):
        return list(value.args) if type(value).__str__ in (BaseException.__str__, KeyError.__str__) else []
    if type(value) is np.ndarray and value.dtype.kind == "O":
        return list(value.flat)
    if type(value) is slice:
        return [value.start, value.stop, value.step]
    if type(value) is types.SimpleNamespace:
        return list(vars(value).values())
    if isinstance(value, _UNREAD):
        return list(value.values() if isinstance(value, collections.abc.Mapping) else value)
    return list(value) if type(value) in _VIEWS else []


_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


def shows_made(value: Any) -> bool:
    """True for objects with a text by code of the user's, and for those that show such a text."""
    cls = type(value)
    if cls in _CONTAINERS:
        return any(map(shows_made, _items(value)))
    if any(map(shows_made, _hidden(value))):
        return True
    if cls.__module__ == "builtins" or is_traced(value):
        return False
    return is_code_of_user(cls.__repr__) or (cls.__repr__ is not object.__repr__ and parts(value) is not None)


def _uses(value: Any, name: str) -> None:
    """Notes that a method of an object gives its text: its class may get another one."""
    if (trace := current()) is not None and trace.is_outside(value):
        trace.uses_method(type(value), name, getattr(type(value), name))


def _of_items(value: Any) -> Any:
    """`[Point(1), Point(2)]`."""
    cls = type(value)
    if cls not in (list, tuple, dict):
        refuse_text(f"the text of a {cls.__name__} shows objects, and what their `__repr__` reads is not recorded")
    ends = "[]" if cls is list else "()" if cls is tuple else "{}"
    found: list[Any] = [ends[0]]
    for position, key in enumerate(value):
        found += [", "] * (position > 0)
        found += [(key, "r", ""), ": ", (value[key], "r", "")] if cls is dict else [(key, "r", "")]
    return text(*found, "," * (cls is tuple and len(value) == 1), ends[1])


def _of_fields(value: Any, named: Parts) -> Any:
    """`Point(x=1.0, y=2.0)`."""
    cls = type(value)
    if named.kind == "namedtuple":
        pairs, shown = list(zip(named.keys, named.children, strict=True)), cls.__name__
    else:
        names = [f.name for f in dataclasses.fields(cls) if f.repr]
        pairs, shown = [(n, provided.attribute(value, n)) for n in names], cls.__qualname__
    found: list[Any] = [f"{shown}("]
    for position, (field, held) in enumerate(pairs):
        found += [f"{', ' if position else ''}{field}=", (held, "r", "")]
    return text(*found, ")")


def percent(left: Any, right: Any) -> Any:
    """`left % right`, where `left` is a text."""
    right = tuple(map(as_found, right)) if type(right) is tuple else as_found(right)
    if not TRACING or current() is None:
        return left % right
    if type(left) is str:
        left, right = _of_texts(left, right)
    if is_traced(right):
        made = text_call("__mod__", left, right)
        return str(made) if FORMATTING.stack else made
    return plain_text(operator.mod, left, right)


_CONVERSION = r"(?s)%(?:\((.*?)\))?([-#0 +]*)(\*|\d+)?(?:\.(\*|\d+))?[hlL]?(.)"
"""`%(key)-10.3f`: the key, the flags, the width, the precision and the kind."""


def _of_texts(template: str, values: Any) -> tuple[str, Any]:
    """`template % values`, in which the texts that objects give of themselves are in the place of the objects."""
    given = tuple(values) if isinstance(values, tuple) else (values,)
    if not any(map(_may_be_made, given)):
        return template, values
    found, out = list(given), dict[str, Any]()
    pieces, end, count = list[str](), 0, 0
    for match in re.finditer(_CONVERSION, template):
        key, kind = match[1], match[5]
        if kind == "%":
            continue
        count += [match[3], match[4]].count("*")
        if key is None and count >= len(given):
            return template, values  # too few of them
        if key is not None and not isinstance(values, dict):
            refuse_text("`%` takes items of an object, and reads of it are not recorded")
        if key is not None and key not in values and not hasattr(type(values), "__missing__"):
            return template, values
        value = given[count] if key is None else provided.item(values, key)
        made = text_of_object(value, "__str__" if kind == "s" else "__repr__") if kind in "sra" else None
        if made is None and kind not in "sra" and _may_be_made(value) and not is_traced(value):
            refuse_text("`%` makes a number of an object, and what this reads is not recorded")
        if kind == "a" and made is not None:
            refuse_text("`ascii` of an object is made by its `__repr__`, and what this reads is not recorded")
        kind, value = (kind, value) if made is None else ("s", made)
        if key is None:
            found[count] = value
            count += 1
        else:
            out[f"{key}{kind}{count}"] = value
        name = "" if key is None else f"({key}{kind}{count})"
        start = match.start() + 1 + (0 if key is None else len(key) + 2)
        pieces += [template[end : match.start()], "%", name, template[start : match.end() - 1], kind]
        end = match.end()
        count += key is not None
    pieces.append(template[end:])
    return "".join(pieces), out or (tuple(found) if isinstance(values, tuple) else found[0])


def _may_be_made(value: Any) -> bool:
    """True for objects that may have a text, or a number, by code of the user's."""
    return not issubclass(type(value), _PLAIN)


_PLAIN = (str, bytes, int, float, complex, type(None), np.ndarray, np.generic)


def conversion(function: Any) -> Callable[..., Any]:
    """`str` or `repr`."""

    def convert(*args: Any, **kwargs: Any) -> Any:
        if kwargs.keys() == {"object"} and not args and function is str:
            args, kwargs = (kwargs["object"],), {}
        args = tuple(map(as_found, args))
        if len(args) == 1 and not kwargs and current() is not None:
            given = text_of_object(args[0], f"__{function.__name__}__")
            if given is not None:
                return given
        if len(args) != 1 or kwargs or current() is None or FORMATTING.stack or not is_traced(args[0]):
            return plain_text(function, *args, **kwargs)
        (value,) = args
        known = value._known() if type(value) is Tensor else None
        if known is not None:
            return function(known[0])
        return value if type(value) is Text and function is str else converted(function.__name__, value)

    return convert


def format_(value: Any, spec: Any = "", /) -> Any:
    """The built-in function `format`."""
    return text((value, "", spec))


_UNREAD = (collections.UserDict, collections.UserList, collections.ChainMap)


def refuse_text(why: str) -> NoReturn:
    raise UnsupportedFunctionError(message(why, where(user_source(3)), "Make the text outside the traced function."))


def refuse_ascii(value: Any, /) -> str:
    """The built-in function `ascii`."""
    if current() is not None and (is_traced(value) or text_of_object(value, "__repr__") is not None):
        refuse_text("`ascii` of a traced value, or of an object, is not traced")
    return plain_text(ascii, value)


def method_of_text(bound: Any) -> Callable[..., Any]:
    """A method of a `str`, which may be given traced values."""
    owner, name = bound.__self__, bound.__name__

    def call(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = tuple(map(as_found, args)), {k: as_found(v) for k, v in kwargs.items()}
        if name == "join" and len(args) == 1 and not isinstance(args[0], str):
            args = (list(args[0]),)
        if (
            name in ("format", "format_map")
            and not FORMATTING.stack
            and any(map(_may_be_made, (*args, *kwargs.values())))
        ):
            return _formatted(bound, args, kwargs)
        is_plain = FORMATTING.stack or not any(map(is_traced, (*args, *kwargs.values())))
        if is_plain or name not in METHODS or kwargs:
            return plain_text(bound, *args, **kwargs)
        return text_call(name, owner, *args)

    return call


def _formatted(bound: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`template.format(*args, **kwargs)` and `template.format_map(mapping)`. Python raises its own errors."""
    try:
        found = _fields(bound.__self__, args, args[0] if bound.__name__ == "format_map" else kwargs, itertools.count())
    except (LookupError, ValueError):
        return plain_text(bound, *args, **kwargs)
    return text(*found)


def _fields(template: str, args: tuple[Any, ...], names: Any, numbers: Iterator[int]) -> list[Any]:
    """The texts and fields of a template."""
    found: list[Any] = []
    for literal, field, spec, conversion in string.Formatter().parse(template):
        found += [literal] * bool(literal)
        if field is None:
            continue
        first, rest = re.match(r"([^.\[]*)(.*)", field, re.DOTALL).groups()  # type: ignore[union-attr]
        value = args[int(first or next(numbers))] if not first or first.isdigit() else provided.item(names, first)
        for attribute, item in re.findall(r"\.([^.\[]+)|\[([^\]]*)\]", rest):
            key = int(item) if item.isdigit() else item
            value = provided.attribute(value, attribute) if attribute else provided.item(value, key)
        inner = text(*_fields(spec, args, names, numbers)) if spec and "{" in spec else spec or ""
        found.append((value, conversion or "", inner))
    return found
