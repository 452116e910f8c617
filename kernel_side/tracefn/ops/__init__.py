"""The ops: one family a file, one block an op. Importing the package fills the registry (`ir.op`)."""

from . import (
    axes,
    diagonal,
    edit,
    elementwise,
    join,
    pad,
    queries,
    scalar,
    shape,
    split,
)

__all__ = [
    "axes",
    "diagonal",
    "edit",
    "elementwise",
    "join",
    "pad",
    "queries",
    "scalar",
    "shape",
    "split",
]
