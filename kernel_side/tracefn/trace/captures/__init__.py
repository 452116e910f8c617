"""What a function reads from outside its arguments: globals, closure cells, attributes."""

from .content import ContentGuard
from .numbers import Numbers
from .observe import Observer
from .paths import ArrayCapture, IdentityCapture, Path, ValueCapture
from .random_state import RandomState
from .resolve import Captures, extend, resolve
from .substitute import FunctionCopies

__all__ = [
    "ArrayCapture",
    "Captures",
    "ContentGuard",
    "FunctionCopies",
    "IdentityCapture",
    "Numbers",
    "Observer",
    "Path",
    "RandomState",
    "ValueCapture",
    "extend",
    "resolve",
]
