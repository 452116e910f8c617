"""Rewrites of graphs. `pipeline.py` shows their order."""

from .pipeline import optimize, optimize_like
from .results import drop_results

__all__ = ["drop_results", "optimize", "optimize_like"]
