"""The ops: one family a file, one block an op. Importing the package fills the registry (`ir.op`)."""

from . import (
    axes,
    diagonal,
    elementwise,
    queries,
    scalar,
    shape,
)

__all__ = [
    "axes",
    "diagonal",
    "elementwise",
    "queries",
    "scalar",
    "shape",
]
