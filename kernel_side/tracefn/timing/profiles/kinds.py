"""The kinds of work of the steps of a program."""

from __future__ import annotations

from tracefn.ir.graph import Node

KINDS = {
    "kernel": "native kernels",
    "linalg": "BLAS and LAPACK",
    "numpy": "NumPy steps",
    "copy": "copies",
    "python": "Python",
}
"""The kinds, in words. 'python' is the user's Python and that of libraries, and the work between the steps."""

_LINALG = frozenset(
    {"matmul", "dot", "vdot", "inner", "outer", "tensordot", "kron", "einsum", "vecdot", "matvec", "vecmat"}
)
_COPIES = frozenset(
    {"copy", "astype", "flatten", "ascontiguousarray", "asfortranarray", "array", "concatenate", "stack", "hstack"}
    | {"vstack", "dstack", "column_stack", "repeat", "tile", "roll", "take", "getitem_mask", "getitem_advanced"}
    | {"setitem", "copyto_in_place"}
)
_PYTHON = frozenset({"py_function", "numpy_function", "foreign", "foreign_pure", "foreign_ufunc", "print"})
"""Besides them, the handling of variables by loops and branches, and operators of Python numbers."""


def kind_of(node: Node, statement: str) -> str:
    """The kind of a statement that a program has for a node."""
    name = node.op.name
    if name == "kernel":
        return "kernel"
    if name in _PYTHON or node.op.style in ("builtin", "control", "list") or name.startswith("operator."):
        return "python"
    if name in _COPIES or statement.partition(";")[0].rstrip().endswith(".copy('K')"):
        return "copy"
    return "linalg" if name in _LINALG or name.startswith("linalg.") else "numpy"
