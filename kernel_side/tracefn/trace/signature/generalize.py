"""`reduce_retracing`: a signature that also fits earlier calls, by leaving open the lengths in which they differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from .call import CallSignature
from .spec import LeafSpec, TensorSpec


def relaxed(call: CallSignature, earlier: Iterable[CallSignature]) -> CallSignature:
    """The call's signature with `None` for each length in which an earlier one differs.

    Each argument counts for itself: of all earlier signatures of the same structure, those in which it has the same
    dtype and rank. A Python value or another array that changes meanwhile does not undo relaxed lengths.
    """
    leaves = list(call.leaves)
    tensors = [i for i, leaf in enumerate(leaves) if isinstance(leaf, TensorSpec)]
    for other in earlier:
        if other.trees == call.trees:
            for i in tensors:
                leaves[i] = _merge(leaves[i], other.leaves[i])
    changed = any(leaves[i] is not call.leaves[i] for i in tensors)
    return dataclasses.replace(call, leaves=tuple(leaves)) if changed else call


def _merge(call: LeafSpec, other: LeafSpec) -> LeafSpec:
    if not isinstance(call, TensorSpec) or not isinstance(other, TensorSpec) or call.shape == other.shape:
        return call
    if call.dtype != other.dtype or len(call.shape) != len(other.shape) or not call.fits_kind(other):
        return call
    shape = [n if n == m else None for n, m in zip(call.shape, other.shape, strict=True)]
    return TensorSpec(shape, call.dtype, call.name, kind=call.kind, device=call.device)
