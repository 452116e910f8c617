"""Derivatives of choosing among arrays by conditions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .common import as_array, unbroadcast

Cotangents = tuple[Any, ...]


def of_where(g: Any, out: Any, condition: Any, x: Any, y: Any) -> Cotangents:
    by_x, by_y = np.where(condition, g, 0), np.where(condition, 0, g)
    return None, unbroadcast(by_x, as_array(x)), unbroadcast(by_y, as_array(y))


def of_select(g: Any, out: Any, condlist: Any, choicelist: Any, default: Any = 0) -> Cotangents:
    """The first condition that holds takes the cotangent, the default the rest."""
    found = []
    for condition, choice in zip(condlist, choicelist, strict=True):
        found.append(unbroadcast(np.where(condition, g, 0), choice))
        g = np.where(condition, 0, g)
    return None, found, {"default": unbroadcast(g, default)}
