"""The ops: one family a file, one block an op. Importing the package fills the registry (`ir.op`)."""

from . import (
    axes,
    contraction,
    diagonal,
    edit,
    einsum,
    elementwise,
    gufunc,
    join,
    linalg,
    pad,
    queries,
    scalar,
    shape,
    split,
)

__all__ = [
    "axes",
    "contraction",
    "diagonal",
    "edit",
    "einsum",
    "elementwise",
    "gufunc",
    "join",
    "linalg",
    "pad",
    "queries",
    "scalar",
    "shape",
    "split",
]
