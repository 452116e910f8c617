"""`sorted`: the order that Python finds, which compares one by one and leaves equals as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.op import Op, register
from ..ir.types import TensorType, array, list_of, python, python_type
from .rules import RuleError


def _order(count: Any, keys: Sequence[Any], reverse: bool, /) -> np.ndarray[Any, Any]:
    return np.array(sorted(range(count), key=keys.__getitem__, reverse=reverse), np.intp)


def _order_rule(count: Any, keys: Any, reverse: bool, /) -> TensorType:
    return array(np.intp, (count,))


def _order_lines(target: str, arguments: list[str]) -> list[str]:
    count, keys, reverse = arguments
    return [f"{target} = np.array(sorted(range({count}), key={keys}.__getitem__, reverse={reverse}), np.intp)"]


order = register(Op("order", _order, _order_rule, style="effect", lines=_order_lines))
"""The positions of the elements of a list in the order of these keys: numbers, or tuples of them."""


def _tolist(x: Any, /) -> Any:
    return x.tolist()


def _tolist_rule(x: TensorType, /) -> TensorType:
    if x.ndim != 1:
        raise RuleError("x.tolist() of several rows is a list of lists, which the graph has none of")
    return list_of(python(python_type(x.dtype)), x.shape[0])


def _tolist_lines(target: str, arguments: list[str]) -> list[str]:
    return [f"{target} = {arguments[0]}.tolist()"]


tolist = register(Op("tolist", _tolist, _tolist_rule, style="effect", fresh_dims=True, lines=_tolist_lines))
"""`x.tolist()` of an array with one axis: a list of Python numbers."""
