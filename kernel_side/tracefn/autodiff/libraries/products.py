"""The rules of products with sparse matrices from outside."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

from ...trace import provided

Rule = Callable[..., Any]


def turned_product(matrix: Any, x: Any) -> Any:
    """The product of a transposed sparse matrix and an array."""
    return matrix.T @ x


def rule_of_product(function: Any, owner: Any) -> Rule | None:
    """The rule of a product with a sparse matrix from outside, or None."""
    sparse = sys.modules.get("scipy.sparse")
    if sparse is None or not sparse.issparse(owner):
        return None
    if function is operator.matmul:
        return _product
    return _of_turned if function is turned_product else None


def _product(g: Any, out: Any, a: Any, b: Any) -> Any:
    if sys.modules["scipy.sparse"].issparse(a):
        return None, provided.call_foreign(turned_product, (a, g), {}, reads=True)
    axes = tuple(reversed(range(g.ndim)))
    return provided.call_foreign(operator.matmul, (b, g.transpose(axes)), {}, reads=True).transpose(axes), None


def _of_turned(g: Any, out: Any, matrix: Any, x: Any) -> Any:
    return None, provided.call_foreign(operator.matmul, (matrix, g), {}, reads=True)
