"""The errors that a user can meet: one class for each failure. A class's docstring is its help page.

Every message says what happened, where (file or cell, and line), and what to do. `docs/errors.md` is made from here.
The classes are in files by subject, and all of them are named `tracefn.errors.…`.
"""

from __future__ import annotations

from .base import TracefnError, message
from .calls import ArgumentMismatchError, InputSignatureError, ShapeMismatchError, UnsupportedArgumentError
from .checks import (
    AssertionFailedError,
    FallbackError,
    NumericsError,
    ResultsDifferError,
    RetraceError,
    VerificationError,
)
from .functions import ControlFlowError, PyFunctionResultError, UnsupportedFunctionError, UnsupportedResultError
from .gradients import GradientError, MissingDerivativeError
from .missing import DeviceUnavailableError, GraphvizMissingError, WidgetBundleMissingError
from .values import (
    InPlaceWriteError,
    LeakedTensorError,
    SymbolicDimensionError,
    TensorBoolError,
    TensorConversionError,
    TensorIterationError,
)
from .warnings import AutographWarning, FallbackWarning, RetraceWarning, TracingOnlyWarning

__all__ = [
    "message",
    "TracefnError",
    "TensorConversionError",
    "TensorBoolError",
    "TensorIterationError",
    "LeakedTensorError",
    "InPlaceWriteError",
    "UnsupportedFunctionError",
    "UnsupportedArgumentError",
    "ArgumentMismatchError",
    "ShapeMismatchError",
    "InputSignatureError",
    "SymbolicDimensionError",
    "ControlFlowError",
    "UnsupportedResultError",
    "PyFunctionResultError",
    "GradientError",
    "MissingDerivativeError",
    "AssertionFailedError",
    "NumericsError",
    "RetraceError",
    "FallbackError",
    "DeviceUnavailableError",
    "GraphvizMissingError",
    "VerificationError",
    "ResultsDifferError",
    "WidgetBundleMissingError",
    "AutographWarning",
    "FallbackWarning",
    "TracingOnlyWarning",
    "RetraceWarning",
]

for _name in __all__:
    globals()[_name].__module__ = __name__  # the name in tracebacks, pickles and filters of warnings
