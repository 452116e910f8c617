"""Rewrites of graphs. `pipeline.py` shows their order."""

from .pipeline import optimize

__all__ = ["optimize"]
