"""Takes the time out of how many traces are made: on a slow machine Python functions would run instead of some.

It is a startup file of IPython, too, for kernels that have not imported tracefn yet."""

from __future__ import annotations

import importlib.machinery
import sys
from types import ModuleType
from typing import Any

STORMS = "tracefn.function.fallback.storms"
EARLY = "tracefn.function.fallback.early"
"""A module that the other one imports."""


def switch_off(storms: ModuleType) -> None:
    """Functions make traces however long these take: only their number makes a storm."""
    module: Any = storms
    module.OWN_PATIENCE = module.OWN_PATIENCE_WITHOUT_ARRAYS = {module.FEW_CALLS: ()}
    module.PATIENCE_WITHOUT_ARRAYS_NS = module.PATIENCE_NS
    early: Any = sys.modules[EARLY]
    early.PATIENCE_NS = early.MANY = 10**18


class WhenImported:
    """A finder of `sys.meta_path` that switches the budgets off when their module is imported."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != STORMS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        loader: Any = spec and spec.loader
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            switch_off(module)

        loader.exec_module = exec_module
        return spec


if __name__ == "__main__":  # IPython runs its startup files like this
    sys.meta_path.insert(0, WhenImported)
