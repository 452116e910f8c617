"""What a call looks like: specs of its leaves, the cache key made of them, and how two calls differ."""

from .call import CallSignature, Parameters, leaf_spec
from .diff import counts, differences, distance
from .generalize import relaxed
from .spec import GeneratorSpec, LeafSpec, ObjectSpec, TensorSpec, ValueSpec, VariableSpec

__all__ = [
    "CallSignature",
    "GeneratorSpec",
    "LeafSpec",
    "ObjectSpec",
    "Parameters",
    "TensorSpec",
    "ValueSpec",
    "VariableSpec",
    "counts",
    "differences",
    "distance",
    "leaf_spec",
    "relaxed",
]
