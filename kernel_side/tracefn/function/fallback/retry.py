"""A program that raises: whether the Python function can do the call from the start instead, which raises as eager code
does, at the user's own line, and leaves the state that eager code leaves."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ...errors import NumericsError, UnsupportedFunctionError, message
from ...ir.bail_out import BailOut
from ...ir.graph import Node
from ...ir.infer import may_raise
from ...ops.containers import LOCAL
from ...ops.foreign import foreign
from ...trace.context import Trace
from ...trace.foreign import Checkpoint, put_around, put_checkpoint

_TAKEN_BACK = frozenset({"update"})
_HARMLESS = frozenset({"raise_error", "checkpoint", *LOCAL})


class Retry(NamedTuple):
    """`restore` undoes the program so far, `leave` leaves it as it is. `always`: any error restarts the call, not only
    a bail-out."""

    restore: Callable[[], None]
    always: bool
    leave: Callable[[], None]

    @property
    def is_free(self) -> bool:
        """True where there is nothing to take back."""
        return self.restore is _nothing

    @property
    def checkpoint(self) -> Checkpoint | None:
        """The node of the program that knows how to take it back."""
        owner = getattr(self.restore, "__self__", None)
        return owner if isinstance(owner, Checkpoint) else None

    @property
    def is_simple(self) -> bool:
        """True where there is nothing to take back but by a checkpoint, and nothing to leave."""
        return (self.is_free or self.checkpoint is not None) and self.leave is _nothing

    def takes(self, error: BaseException) -> bool:
        """True if the call is retried. Eager code does not check numerics: a retry would hide a NumericsError."""
        if isinstance(error, NumericsError):
            return False
        return isinstance(error, BailOut) or (self.always and isinstance(error, Exception))


def simple_retry(always: bool, checkpoint: Checkpoint | None) -> Retry:
    """That of a program that does nothing but compute its results, and write into arrays if it has a checkpoint."""
    return Retry(_nothing if checkpoint is None else checkpoint.restore, always, _nothing)


def retry_of(trace: Trace, stores: bool, falls_back: bool) -> Retry | None:
    """How calls of a traced program start anew. None where its effects cannot be taken back, or where there is
    something to take back and nothing in it can raise.

    `stores` says that a call changes state when the program has ended. Arrays from outside and random generators are as
    they were with a checkpoint, which joins the nodes where there is none. Iterators that have twins stay where they
    are until the program ends, if the call may start anew.
    Without `falls_back`, a program with in-place writes and no bodies has no retry: its arrays hold the writes before
    the error, and need no copies. Branches and loops write at their end, so programs with them have a retry.
    """
    impure = [n for n in _impure(trace.nodes) if n.op is not foreign or n.args[0].lasts]
    advances = [n for n in impure if n.op is foreign and _is_given_back(trace, n)]
    if not advances and {n.op.name for n in impure} <= _HARMLESS:  # to ask each node whether it may raise takes longer
        return simple_retry(True, None if trace.foreign is None else trace.foreign.checkpoint)
    found = _way_back(trace, [n for n in impure if n not in advances], stores, falls_back)
    twins = [n.args[0].function for n in advances if n.args[0].function.has_twin]
    if found is None or not twins:
        return found
    for advance in twins:
        advance.waits = True
    ahead = trace.ahead
    put_around(trace, ahead.begin, ahead.end)

    def restore() -> None:
        ahead.begin()
        found.restore()

    return Retry(restore, found.always, ahead.end)


def _is_given_back(trace: Trace, node: Node) -> bool:
    """True for a step that advances an iterator, which a call that raises after it finds as it was. Without a twin that
    takes a call which comes to this step again: nothing may raise that a program might do later than eager code."""
    has_twin = getattr(node.args[0].function, "has_twin", None)
    if has_twin is not False:
        return bool(has_twin)
    before = itertools.takewhile(lambda n: n is not node, trace.nodes)
    return not any(n.pure and may_raise(n) for n in before)


def _way_back(trace: Trace, impure: list[Node], stores: bool, falls_back: bool) -> Retry | None:
    names = {node.op.name for node in impure}
    known = None if trace.foreign is None else trace.foreign.checkpoint
    bails = trace.foreign is not None and known is not None and bool(trace.foreign.steps)
    if not falls_back and "update" in names and not any(n.bodies for n in trace.nodes):
        return Retry(known.restore, False, _nothing) if bails and known is not None else None
    lasting = {n.op.name for n in impure if n.op.name not in _TAKEN_BACK | _HARMLESS and n.op.style != "draw"}
    raises = any(map(may_raise, trace.nodes)) or "raise_error" in names
    changes = stores or "update" in names
    if lasting and raises and (changes or trace.taken):
        raise UnsupportedFunctionError(
            message(
                f"a call may raise after it has done `{min(lasting)}`, which cannot be taken back",
                fix="Raise before, or leave that to the caller.",
            )
        )
    if lasting or not raises:
        return Retry(known.restore, False, _nothing) if bails and known is not None else None
    if names <= _HARMLESS:
        return Retry(_nothing if known is None else known.restore, True, _nothing)
    if "checkpoint" in names and known is not None:
        return Retry(known.restore, True, _nothing)
    if not changes:
        return None
    checkpoint = Checkpoint()
    put_checkpoint(trace, checkpoint)
    return Retry(checkpoint.restore, True, _nothing)


def _nothing() -> None: ...


def _impure(nodes: Iterable[Node]) -> Iterable[Node]:
    for node in nodes:
        bodies = node.bodies if node.op.style == "control" else ()
        if not bodies and not node.op.pure:
            yield node
        for body in bodies:
            yield from _impure(body.graph.nodes)
