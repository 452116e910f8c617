"""Whether the call that is traced comes to a step: not where a node before it raises."""

from __future__ import annotations

from ...errors import UnsupportedFunctionError, message
from ...ir.infer import may_raise
from ...ir.op import LEAVES
from ..context import Trace
from ..origin import user_source, where
from .values import values_of


def refuse_if_it_raises(trace: Trace, what: str) -> None:
    """Refuses a step that cannot be undone where the call raises before it, or may do so: the Python function, which
    then does the call, would not come to it."""
    nodes = [n for n in trace.root.nodes if n.op not in LEAVES and (n.bodies or may_raise(n))]
    try:
        values_of(trace).try_all(trace.root, nodes)
    except Exception as error:
        text = f"{what} after what may raise: {str(error).partition(chr(10))[0] or type(error).__name__}"
        raise UnsupportedFunctionError(message(text, where(user_source(4)), "Do that first.")) from error
