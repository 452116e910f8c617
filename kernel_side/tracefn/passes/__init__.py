"""Rewrites of graphs. `pipeline.py` shows their order."""

from .pipeline import optimize, optimize_like

__all__ = ["optimize", "optimize_like"]
