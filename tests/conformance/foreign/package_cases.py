"""What packages do in their classes and functions that programs of one's own seldom do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import tracefn
from scipy import stats

from .harness import arrays, case


@case()
def attributes_set_by_their_special_method():
    class Filter:
        def __init__(self):
            self.q0, self.b = [1, 2, 3], (0.5, 0.5, 0.5)

        def check(self, x):
            for name in ("q0", "b"):
                self.__setattr__(name, np.copy(self.__getattribute__(name)) + x)
            setter = self.__setattr__
            setter("norm", np.linalg.norm(self.q0))
            return self.q0 * self.b

    filtered = Filter()
    return filtered.check, arrays(3, 3, 3), lambda: vars(filtered)


@case()
def attribute_deleted_by_its_special_method():
    class Holder:
        def use(self, x):
            self.kept = x + 1
            self.__delattr__("kept")
            return x * 2

    holder = Holder()
    return holder.use, arrays(3, 3), lambda: vars(holder)


@case()
def attribute_set_by_that_of_the_base_class():
    class Base:
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            super().__setattr__("changes", getattr(self, "changes", 0) + 1)

        def use(self, x):
            self.last = x * 2
            super().__setattr__("other", x)
            return self.last

    base = Base()
    return base.use, arrays(3, 3), lambda: vars(base)


@case()
def argument_with_the_name_of_a_length_in_a_branch():
    def weigh(x, k1):
        total = 0.0
        if x.sum() > 0:
            found = np.nonzero(x > 0)[0]
            total = len(found) * x[found].sum()
        return total + k1

    return weigh, [(x, np.float64(100)) for (x,) in arrays(9, 9, 9)]


@case()
def step_beside_lengths_in_branches():
    def first_order(y, x, edges):
        if np.ptp(y) == 0.0:
            return 0.0
        ranks, total = stats.rankdata(x, method="ordinal"), 0
        for j in range(len(edges) - 1):
            inside = np.where((ranks > edges[j]) & (ranks <= edges[j + 1]))[0]
            total += len(inside) * y[inside].mean() ** 2
        return total / np.var(y)

    def confidence(x, y, edges):
        chosen, found = np.random.choice(len(y), size=(5, len(y))), np.zeros(5)
        for i in range(5):
            found[i] = first_order(y[chosen[i]], x[chosen[i]], edges)
        return stats.norm.ppf(0.95) * found.std(ddof=1)

    return confidence, [(x, x**2, np.linspace(0, 20, 4)) for (x,) in arrays(20, 20, 20)]


@case()
def sum_of_many_rounds_that_begins_with_a_number():
    table = np.arange(180.0).reshape(60, 3) / 100

    def series(x):
        total = 0.0
        for row in range(table.shape[0]):
            total += table[row, 0] * np.cos(table[row, 1] + table[row, 2] * x)
        return pd.Series(total).rolling(2).sum().to_numpy()

    return series, arrays(4, 4, 4)


@case()
def inner_call_whose_results_have_lengths_of_a_library():
    @tracefn.function
    def smoothed(series):
        found = np.zeros(len(series) - 2)
        found[0] = series.diff().dropna().iloc[:2].sum()
        for i in range(1, len(found) - 1):
            found[i] = found[i - 1] / 2 + series[i]
        return np.zeros(3), found

    def lengthened(x):
        first, rest = smoothed(pd.Series(x) * 2)
        return pd.Series(np.concatenate((first, rest))).to_numpy()

    return lengthened, arrays(9, 9, 12)
