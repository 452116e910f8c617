"""Functions and objects of other libraries in a trace: opaque steps of the graph, on real values at each call."""

from ..libraries import PURE_PACKAGES, belongs_to_numpy, is_foreign_class, is_foreign_function, is_foreign_value
from .apart import put_apart
from .calls import RefusedInTry, call, is_step
from .checkpoint import Checkpoint, add_checkpoint, put_around, put_checkpoint
from .failing import undone_on_failure
from .first_run import first_run
from .kept import refuse_keeper
from .proxy import (
    OWN_NAMES,
    Foreign,
    Method,
    MethodCall,
    as_foreign,
    attribute_of,
    called_object,
    holds_foreign,
    is_foreign_type,
)
from .step import Step
from .values import value_now
from .warned import called_from, warn_step, warnings_become_steps

__all__ = [
    "called_from",
    "OWN_NAMES",
    "PURE_PACKAGES",
    "Checkpoint",
    "Foreign",
    "Method",
    "MethodCall",
    "RefusedInTry",
    "Step",
    "add_checkpoint",
    "as_foreign",
    "attribute_of",
    "belongs_to_numpy",
    "call",
    "called_object",
    "first_run",
    "holds_foreign",
    "is_foreign_class",
    "is_foreign_function",
    "is_foreign_type",
    "is_foreign_value",
    "is_step",
    "put_apart",
    "put_around",
    "put_checkpoint",
    "refuse_keeper",
    "undone_on_failure",
    "value_now",
    "warn_step",
    "warnings_become_steps",
]
