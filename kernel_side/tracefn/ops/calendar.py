"""Dates as texts, and calendars of business days."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.op import op
from .rules import RuleError, TensorType, as_one, broadcast_shapes, operand, perhaps, probed

_STATIC = frozenset({"weekmask", "holidays", "busdaycal", "roll", "unit", "timezone", "casting"})
_WEEK = "1111100"


def _calendar(weekmask: Any, holidays: Any, busdaycal: Any) -> dict[str, Any]:
    """The arguments that are given: NumPy refuses a calendar beside a week."""
    given = {"weekmask": weekmask, "holidays": holidays, "busdaycal": busdaycal}
    return {k: v for k, v in given.items() if v is not None and v != [] and not (k == "weekmask" and v == _WEEK)}


@op(np.is_busday, static=_STATIC)
def is_busday(
    dates: Any, weekmask: Any = _WEEK, holidays: Any = None, busdaycal: Any = None, out: Any = None
) -> TensorType:
    return probed(operand(dates).shape, np.is_busday, as_one(dates), **_calendar(weekmask, holidays, busdaycal))


@op(np.busday_offset, static=_STATIC, raises=perhaps)
def busday_offset(
    dates: Any,
    offsets: Any,
    roll: Any = "raise",
    weekmask: Any = _WEEK,
    holidays: Any = None,
    busdaycal: Any = None,
    out: Any = None,
) -> TensorType:
    shape = broadcast_shapes(operand(dates).shape, operand(offsets).shape)
    roll = "forward" if roll == "raise" else roll  # the stand-in for a date may be no business day
    calendar = _calendar(weekmask, holidays, busdaycal)
    return probed(shape, np.busday_offset, as_one(dates), as_one(offsets), roll, **calendar)


@op(np.busday_count, static=_STATIC)
def busday_count(
    begindates: Any,
    enddates: Any,
    weekmask: Any = _WEEK,
    holidays: Any = [],  # noqa: B006
    busdaycal: Any = None,
    out: Any = None,
) -> TensorType:
    shape = broadcast_shapes(operand(begindates).shape, operand(enddates).shape)
    calendar = _calendar(weekmask, holidays, busdaycal)
    return probed(shape, np.busday_count, as_one(begindates), as_one(enddates), **calendar)


@op(np.datetime_as_string, static=_STATIC)
def datetime_as_string(arr: Any, unit: Any = None, timezone: Any = "naive", casting: Any = "same_kind") -> TensorType:
    if unit == "auto":
        raise RuleError("the unit 'auto' depends on the values: name one, as 's' or 'D'")
    return probed(operand(arr).shape, np.datetime_as_string, as_one(arr), unit, timezone, casting)
