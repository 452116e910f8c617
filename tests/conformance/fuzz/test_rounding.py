"""What machine code may differ by in the sums of random programs: rounding, and no more."""

import numpy as np
import pytest
from conformance.fuzz.rounding import settled, spreads

X = np.array([0.1, 0.7, -0.3, -0.5]) * 100


def of_sum(x):
    return x.sum()


@pytest.mark.parametrize(("off_by", "is_rounding"), [(1e-14, True), (1e-11, False)])
def test_a_sum_that_cancels_is_known_up_to_its_terms(off_by, is_rounding):
    spread, _ = spreads(of_sum, lambda: [X.copy()])
    total = of_sum(X)
    assert (settled(total + off_by, total, spread) == total) is np.bool_(is_rounding)


def test_numbers_of_single_precision_have_larger_units():
    x = np.array([1e6, 0.5, -1e6], np.float32)
    spread, _ = spreads(of_sum, lambda: [x.copy()])
    assert 0.1 < spread < 100


def test_results_of_another_shape_are_no_rounding():
    def program(x):
        return x * 2 if x.sum() > 0 else x.sum()

    assert spreads(program, lambda: [X.copy()]) == []


def test_a_large_jump_is_no_rounding():
    spread, _ = spreads(lambda x: np.float64(x.sum() > of_sum(X)), lambda: [X.copy()])
    assert spread == 0
