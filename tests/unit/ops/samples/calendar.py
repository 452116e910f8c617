"""Sample and error inputs: dates as texts, business days."""

import numpy as np

from ..table import error, late_error, refused, sample

DAYS = np.array([["2024-02-28", "2024-02-29"], ["2024-03-02", "2024-12-25"]], "M8[D]")
DAY = np.datetime64("2024-03-01")
DAY0 = np.array("2024-03-01", "M8[D]")
NONE = np.zeros(0, "M8[D]")
SECONDS = np.array(["2024-02-29T12:30:15", "NaT"], "M8[s]")
CALENDAR = np.busdaycalendar(weekmask="1111000", holidays=["2024-12-25"])
STEPS = np.array([1, -3])

ROWS = [
    *[sample(np.is_busday, d) for d in (DAYS, DAY, DAY0, NONE)],
    sample(np.is_busday, DAYS, weekmask="Mon Sat", holidays=["2024-12-25"]),
    sample(np.is_busday, DAYS, busdaycal=CALENDAR),
    error(np.is_busday, SECONDS),
    error(np.is_busday, DAYS, weekmask="0000000"),
    error(np.is_busday, DAYS, weekmask="1000000", busdaycal=CALENDAR),
    *[sample(np.busday_offset, d, STEPS, "forward") for d in (DAYS, DAY, DAY0)],
    *[sample(np.busday_offset, DAYS, n, roll="modifiedpreceding", busdaycal=CALENDAR) for n in (0, np.int8(2))],
    sample(np.busday_offset, DAY, 1),
    late_error(np.busday_offset, DAYS, 1),
    error(np.busday_offset, DAYS, np.arange(3)).with_known_lengths(),
    error(np.busday_offset, DAYS, 1, "sideways"),
    *[sample(np.busday_count, d, DAYS) for d in (DAYS[::-1], DAY, DAY0)],
    sample(np.busday_count, DAY, DAY + 9, "1111111", [DAY + 3]),
    sample(np.busday_count, DAYS, DAY, busdaycal=CALENDAR),
    error(np.busday_count, DAYS, 3),
    error(np.busday_count, DAYS, DAYS[:, :0]).with_known_lengths(),
    *[sample(np.datetime_as_string, d) for d in (DAYS, DAY0, NONE, SECONDS)],
    *[sample(np.datetime_as_string, SECONDS, unit) for unit in ("ms", "s")],
    sample(np.datetime_as_string, SECONDS, "D", casting="unsafe"),
    sample(np.datetime_as_string, SECONDS, timezone="UTC"),
    refused(np.datetime_as_string, SECONDS, "auto"),
    error(np.datetime_as_string, SECONDS, "D", casting="no"),
    error(np.datetime_as_string, SECONDS, "W2"),
    error(np.datetime_as_string, STEPS),
]
