"""Sample and error inputs: reductions."""

import numpy as np

from ..table import error, late_error, refused, sample

A0 = np.array(3.5)
A1 = np.array([3, -1, 4, 1, 5], np.int8)
A2 = np.array([[0.5, -2.0, np.nan], [4.0, 1.0, 7.25]], np.float32)
A3 = np.arange(24, dtype=np.float64).reshape(2, 3, 4) / 7
TRUTH = np.array([[True, False], [True, True]])
COMPLEX = np.array([[1 + 2j, 3 - 1j], [0.5j, 2]])
HALF = np.array([1, 2, 3.5], np.float16)
UNSIGNED = np.array([[1, 200], [3, 4]], np.uint8)
DAYS = np.array(["2024-01-05", "2023-12-31", "NaT"], "M8[D]")
SPANS = np.array([5, 3, 9], "m8[h]")
TEXT = np.array(["b", "abc", "c"])
EMPTY = np.zeros((0, 3))
SCALAR = np.float32(2.5)
MASK = np.array([[True, False, True], [True, True, True]])
ROW_MASK = np.array([False, True, True])

TOTALS = (np.sum, np.prod, np.nansum, np.nanprod)
EXTREMA = (np.max, np.min, np.nanmax, np.nanmin)
LOGICAL = (np.all, np.any)
POSITIONS = (np.argmax, np.argmin, np.nanargmax, np.nanargmin)
MEANS = (np.mean, np.nanmean)
MOMENTS = (np.std, np.var, np.nanstd, np.nanvar)
MEDIANS = (np.median, np.nanmedian)
QUANTILES = (np.quantile, np.nanquantile)
PERCENTILES = (np.percentile, np.nanpercentile)
PLAIN = (np.ptp, np.count_nonzero, np.average)
ALL = TOTALS + EXTREMA + LOGICAL + POSITIONS + MEANS + MOMENTS + MEDIANS + PLAIN

ROWS = [
    *[sample(f, a) for f in ALL for a in (A1, A3, HALF, UNSIGNED, A0, SCALAR)],
    *[sample(f, A3, axis) for f in ALL for axis in (0, -1)],
    *[sample(f, A3, axis=1, keepdims=True) for f in ALL],
    *[error(f, A3, axis=3) for f in ALL],
    *[error(f, A3, 1.5) for f in ALL],
    *[sample(f, A3, axis=a) for f in ALL if f not in POSITIONS for a in ((0, 2), (), (2, -2, 0))],
    *[error(f, A3, axis=(0, 0)) for f in ALL if f not in POSITIONS],
    *[error(f, A3, axis=(0, 1)) for f in POSITIONS],
    *[sample(f, A2) for f in ALL if f is not np.average],
    *[sample(f, TRUTH, axis=0) for f in ALL if f not in (np.ptp, *MEDIANS)],
    *[sample(f, COMPLEX, axis=1) for f in ALL if f not in (np.nanmedian,)],
    *[sample(f, EMPTY, axis=1) for f in ALL if f not in (np.average, np.nanvar, np.nanstd)],
    *[sample(f, EMPTY, axis=0) for f in (*TOTALS, *LOGICAL, *MEANS, *MOMENTS, *MEDIANS, np.count_nonzero)],
    *[error(f, EMPTY, axis=0) for f in (*EXTREMA, *POSITIONS, np.ptp)],
    *[error(f, EMPTY) for f in (*EXTREMA, *POSITIONS, np.ptp)],
    *[error(f, TEXT) for f in (*TOTALS, *MEANS, *MOMENTS)],
    *[sample(f, [A1, A1]).hidden_from_dispatch() for f in (np.sum, np.max, np.mean)],
    # totals
    *[sample(f, a, dtype=d) for f in TOTALS for a in (A1, A2) for d in (np.float64, "c8", np.float16)],
    *[sample(f, A2, axis=0, where=MASK, initial=2) for f in TOTALS],
    *[sample(f, A3, axis=(0, 1), keepdims=True, where=np.array([True, False, True, True])) for f in TOTALS],
    *[sample(f, A1, initial=np.float32(2.5)) for f in TOTALS],
    *[sample(f, a, axis=0) for f in TOTALS for a in (A0, SCALAR)],
    *[error(f, A2, where=np.ones((3, 2), bool)) for f in TOTALS],
    *[error(f, A2, where=np.ones((4, 2, 3), bool)) for f in TOTALS],
    *[error(f, A2, where=np.ones((2, 3))) for f in TOTALS],
    *[error(f, A2, initial=np.ones(3)) for f in TOTALS],
    *[error(f, A2, dtype="no such dtype") for f in TOTALS],
    *[error(f, DAYS) for f in TOTALS],
    *[sample(f, SPANS) for f in (np.sum, np.mean, np.max, np.min, np.ptp, np.argmax, np.median, np.count_nonzero)],
    *[sample(f, DAYS) for f in (np.max, np.min, np.argmax, np.argmin, np.nanmax, np.any)],
    *[sample(f, TEXT) for f in (np.any, np.all, np.argmax, np.argmin, np.count_nonzero)],
    *[error(f, TEXT) for f in EXTREMA],
    error(np.sum, A1, 0, None, None, False, 0, True, 5),
    error(np.sum, A1, no_such_argument=1),
    # extrema
    *[sample(f, A3, axis=1, where=A3 > 1, initial=1) for f in EXTREMA],
    *[sample(f, EMPTY, initial=-1.5) for f in EXTREMA],
    *[sample(f, UNSIGNED, initial=7) for f in EXTREMA],
    *[sample(f, A1, 0, keepdims=True) for f in (np.amax, np.amin)],
    *[error(f, A3, where=A3 > 1) for f in EXTREMA],
    *[error(f, A3, initial=1, where=np.ones(3, bool)) for f in EXTREMA],
    # logical
    *[sample(f, A3, axis=-1, where=np.ones((3, 1), bool)) for f in LOGICAL],
    *[error(f, A3, where=np.ones((1, 2, 3, 4), bool)) for f in LOGICAL],
    # positions
    *[sample(f, A3, keepdims=True) for f in POSITIONS],
    *[sample(f, A2, 1) for f in POSITIONS],
    *[late_error(f, np.array([np.nan, np.nan])) for f in (np.nanargmax, np.nanargmin)],
    # means and moments
    *[sample(f, A2, 1, dtype=np.float64, where=MASK) for f in MEANS],
    *[error(f, A0, axis=0) for f in (np.mean, np.median)],
    *[error(f, A2, where=np.ones(2, bool)) for f in MEANS],
    *[error(f, A3, dtype="U3") for f in MEANS],
    *[sample(f, A2, ddof=1, axis=0, keepdims=True) for f in MOMENTS],
    *[sample(f, A1, dtype=np.float32) for f in MOMENTS],
    *[sample(f, A3, 0, correction=1) for f in MOMENTS],
    *[sample(f, A3, 0, mean=np.mean(A3, 0, keepdims=True)) for f in MOMENTS],
    *[sample(f, A3, where=A3 > 1) for f in MOMENTS],
    *[error(f, A3, ddof=1, correction=2) for f in MOMENTS],
    *[error(f, A3, 0, mean=np.ones((1, 3, 3))) for f in MOMENTS],
    # medians, quantiles
    *[refused(f, A3.copy(), overwrite_input=True) for f in MEDIANS],
    *[sample(f, np.zeros(0, np.int64)) for f in MEDIANS],
    *[
        sample(f, A3, q)
        for f in QUANTILES
        for q in (0.5, [0.25, 0.75], np.array([[0.1], [0.9]]), np.float32(0.5), 1, ())
    ],
    *[sample(f, A3, q, axis=(0, 1)) for f in PERCENTILES for q in (50, [25, 75], np.array([10, 90], np.float32))],
    sample(np.percentile, A3, [[10], [90]], axis=(0, 1)),
    *[sample(f, A3, [[10], [90]], axis=1) for f in PERCENTILES],
    refused(np.nanpercentile, A3, [[10], [90]], axis=(0, 1)),
    *[sample(f, A2, 0.5, axis=1, keepdims=True) for f in QUANTILES],
    *[sample(f, A2, [0.5, 0.9], -1, keepdims=True, method="lower") for f in QUANTILES],
    *[sample(f, a, 0.3) for f in QUANTILES for a in (A0, SCALAR, HALF, A1, UNSIGNED)],
    *[sample(f, A1, 0.3, method="inverted_cdf", weights=np.arange(5)) for f in QUANTILES],
    sample(np.quantile, A3, [0.3], 1, method="inverted_cdf", weights=[1, 2, 3]),
    *[error(f, A1, 0.3, method="inverted_cdf", weights=np.arange(4)) for f in QUANTILES],
    *[error(f, A3, 0.3, axis=1, method="inverted_cdf", weights=np.ones(2)) for f in QUANTILES],
    *[error(f, A1, 0.3, weights=np.arange(5)) for f in QUANTILES],
    *[error(f, A1, 1.5) for f in QUANTILES],
    *[late_error(f, A1, np.array([1.5])) for f in QUANTILES],
    *[error(f, A1, 150) for f in PERCENTILES],
    *[error(f, A1, 0.5, method="no such method") for f in QUANTILES + PERCENTILES],
    *[error(f, COMPLEX, 0.5) for f in QUANTILES + PERCENTILES],
    *[refused(f, A1.copy(), 0.5, overwrite_input=True) for f in QUANTILES + PERCENTILES],
    error(np.quantile, EMPTY, 0.5),
    # averages, ranges, counts
    sample(np.average, A3, axis=1, weights=np.arange(1, 4)),
    sample(np.average, A3, weights=A3),
    sample(np.average, A3, (1, 2), weights=np.ones((3, 4), np.float32), returned=True),
    sample(np.average, A3, axis=-1, weights=[1, 2, 3, 4], keepdims=True, returned=True),
    sample(np.average, A1, returned=True),
    sample(np.average, A2.astype(np.complex64), 0, returned=True),
    error(np.average, A3, weights=np.arange(3)),
    error(np.average, A3, axis=1, weights=np.arange(4)),
    error(np.average, A3, axis=1, weights=np.ones((2, 3, 3))),
    late_error(np.average, A1, weights=np.zeros(5)),
    error(np.ptp, TRUTH),
    error(np.ptp, TEXT),
    sample(np.count_nonzero, A3, axis=(0, 1), keepdims=True),
    sample(np.count_nonzero, EMPTY),
]
