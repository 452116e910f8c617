"""The specs that leaves of a call would have under a policy, and whether one trace can serve calls of these specs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..function import Function
from ..ir.types import Kind
from ..trace.signature import TensorSpec, ValueSpec
from .policies import BUCKETS, HOISTED, NUMBERS, OUTSIDE, STATIC
from .trial import Obstacle, trial, trial_of_lists, trial_outside

if TYPE_CHECKING:
    from .other_policies import Outcome


def obstacle(function: Function, outcome: Outcome, may_run: bool = True) -> Obstacle | None:
    """Why one trace is not proved to serve the calls that would share it under a policy; None where a trial made it."""
    if outcome.policy in (STATIC.name, HOISTED.name, BUCKETS.name):
        return None
    if outcome.policy == OUTSIDE.name:
        return trial_outside(function, outcome.casts, may_run)
    record = function._history.records[-1]
    lists = {name for name in outcome.casts if name not in record.call.paths}
    if lists:
        return trial_of_lists(function, lists, may_run)
    leaves = {}
    for path, leaf in zip(record.call.paths, record.call.leaves, strict=True):
        if path not in outcome.arguments:
            continue
        if isinstance(leaf, TensorSpec):
            leaves[path] = TensorSpec(open_shape(function, path, leaf), leaf.dtype, kind=leaf.kind, device=leaf.device)
        elif (cast := cast_spec(leaf, outcome.casts.get(path))) is not None:
            leaves[path] = cast
    return trial(function, leaves, may_run)


def open_shape(function: Function, path: str, leaf: TensorSpec) -> list[int | None]:
    """The lengths of a leaf, None for those that varied."""
    shape: list[int | None] = list(leaf.shape)
    for form, rows in function._log.forms.items():
        for number, column in enumerate(form.columns):
            if column.kind == "length" and form.paths[column.leaf] == path and column.axis < len(shape):
                if set(rows.column(number)) != {shape[column.axis]}:
                    shape[column.axis] = None
    return shape


def cast_spec(leaf: Any, cast: str | None) -> TensorSpec | None:
    """The spec of a Python number after a cast."""
    if not isinstance(leaf, ValueSpec) or cast is None:
        return None
    described = tensor_of((type(leaf.value).__name__,), cast)
    kind = Kind.ARRAY if cast.startswith("np.asarray") else Kind.SCALAR
    return None if described is None else TensorSpec((), described[0], kind=kind)


def tensor_of(described: tuple[Any, ...], cast: str | None) -> tuple[Any, int] | None:
    """(dtype, rank) of a leaf that is a tensor, or that a cast makes one."""
    if described[0] == "tensor" and described[4] == "cpu":
        return described[1], described[2]
    if cast is not None and described[0] in NUMBERS:
        name = cast.removeprefix("np.").partition("(")[0]
        return (NUMBERS[described[0]] if name == "asarray" else np.dtype(name)), 0
    return None
