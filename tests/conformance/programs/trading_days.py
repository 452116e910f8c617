"""Monthly means of prices on weekdays, and the longest gap between two of them."""

import numpy as np

SIZES = 40, 90


def trading_days(dates, prices):
    weekday = (dates.astype("datetime64[D]").view("int64") - 4) % 7
    business = weekday < 5
    kept, values = dates[business], prices[business]
    month = kept.astype("datetime64[M]")
    months = np.unique(month)
    means = np.zeros(len(months))
    for i, m in enumerate(months):
        means[i] = values[month == m].mean()
    return months, means, (kept[1:] - kept[:-1]).max()


def arguments(size, rng):
    return np.datetime64("2024-01-01") + np.arange(size), rng.random(size)
