"""Totals of a ledger of structured records by kind, and its amounts raised in place."""

import numpy as np

SIZES = 3, 20


def ledger(records):
    totals = np.zeros(4)
    np.add.at(totals, records["kind"], records["amount"])
    large = records[records["amount"] > 2]
    records["amount"] *= 1.1
    return totals, large["kind"].astype(float).sum(), records["amount"].max()


def arguments(size, rng):
    records = np.zeros(size, [("kind", "i8"), ("amount", "f8")])
    records["kind"], records["amount"] = rng.integers(0, 4, size), 5 * rng.random(size)
    return (records,)
