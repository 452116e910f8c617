"""Functions that rules call and that stand above them. The file above a name assigns it when it is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# autodiff/__init__.py
import_control_flow: Callable[[], None]

# autodiff/reverse.py
walk_back: Callable[..., list[Any]]

# gradients/grad.py, for functions that are called back when a program runs
gradient: Callable[..., Any]
