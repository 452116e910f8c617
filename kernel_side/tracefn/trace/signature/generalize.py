"""`reduce_retracing`: a signature that also fits earlier calls, by leaving open the lengths in which they differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from .call import CallSignature
from .spec import LeafSpec, TensorSpec


def relaxed(call: CallSignature, earlier: Iterable[CallSignature]) -> CallSignature:
    """The call's signature with `None` for each length in which an earlier one differs.

    Only earlier signatures that differ in nothing but lengths count: same structure, dtypes, ranks and Python values.
    A Python value that changes therefore does not undo what is already relaxed for the other values of it, and each of
    its values starts anew.
    """
    for other in earlier:
        if other.trees == call.trees:
            merged = [_merge(a, b) for a, b in zip(call.leaves, other.leaves, strict=True)]
            if all(leaf is not None for leaf in merged):
                call = dataclasses.replace(call, leaves=tuple(leaf for leaf in merged if leaf is not None))
    return call


def _merge(call: LeafSpec, other: LeafSpec) -> LeafSpec | None:
    if not isinstance(call, TensorSpec) or not isinstance(other, TensorSpec):
        return call if call == other else None
    if call.dtype != other.dtype or len(call.shape) != len(other.shape) or not call.fits_kind(other):
        return None
    shape = [n if n == m else None for n, m in zip(call.shape, other.shape, strict=True)]
    return TensorSpec(shape, call.dtype, call.name, kind=call.kind, device=call.device)
