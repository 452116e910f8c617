"""An iterator of a Dataset is advanced by each call of a graph, without a fallback."""

import numpy as np
import tracefn
from tracefn.data import Dataset


@tracefn.function
def doubled(items):
    return next(items) * 2


def test_each_call_takes_the_next_element_of_a_dataset():
    for items in (Dataset.range(5), Dataset.from_tensor_slices(np.arange(5))):
        iterator = iter(items)
        assert [int(doubled(iterator)) for _ in range(3)] == [0, 2, 4]
    assert not doubled.fallbacks
