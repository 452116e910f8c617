"""Functions of NumPy that do nothing but call a method of their array, or of a ufunc: a program calls that, in a third
of the time for small arrays."""

from __future__ import annotations

from ..ir.graph import Node
from ..ir.template import Ref
from ..ir.text import Literal, Names, argument_sources, keyword_sources
from ..ir.types import Kind


def method_source(node: Node, names: Names, literal: Literal) -> str | None:
    """The call that computes a node: `v0.max(axis=1)`, `np.add.reduce(v0, axis=None)`. None where there is none."""
    method = node.op.method
    if method is None or node.op.style != "function" or not node.args or not isinstance(node.args[0], Ref):
        return None
    given = node.inputs[node.args[0].index].types[0]
    if given.kind is not Kind.ARRAY or not method.keywords.issuperset(k for k, _ in node.kwargs):
        return None
    if method.warns and given.dtype.kind not in "biu":
        return _reduction_source(node, given.ndim, names, literal)
    array, *rest = argument_sources(node, names, literal)
    named = [keyword.removeprefix("a_") for keyword in keyword_sources(node, names, literal)]  # of `clip`
    return f"{array}.{node.op.name}({', '.join(rest + named)})"


def _reduction_source(node: Node, ndim: int, names: Names, literal: Literal) -> str | None:
    """The call of a ufunc's `reduce`, which does the work: there an overflow warns at the user's line. It goes over the
    first axis where none is given."""
    how = node.op.combines
    if how is None or how.is_running or len(node.args) > 1:
        return None
    arguments = [*argument_sources(node, names, literal), *keyword_sources(node, names, literal)]
    if ndim != 1 and all(keyword != "axis" for keyword, _ in node.kwargs):
        arguments.append("axis=None")
    return f"np.{how.ufunc.__name__}.reduce({', '.join(arguments)})"
