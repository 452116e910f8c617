"""The signature of a call: specs of its leaves, the cache key made of them, and how two calls differ."""

from .call import CallSignature, Parameters, leaf_spec, stable_hash
from .diff import differences
from .generalize import relaxed
from .spec import ForeignSpec, GeneratorSpec, LeafSpec, ObjectSpec, TensorSpec, ValueSpec, VariableSpec
from .table import SignatureTable

__all__ = [
    "CallSignature",
    "ForeignSpec",
    "GeneratorSpec",
    "LeafSpec",
    "ObjectSpec",
    "Parameters",
    "SignatureTable",
    "TensorSpec",
    "ValueSpec",
    "VariableSpec",
    "differences",
    "leaf_spec",
    "relaxed",
    "stable_hash",
]
