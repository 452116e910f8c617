"""Templates of calls and their source."""

import numpy as np
import pytest
from tracefn.ir.template import Ref, SliceOf, dtype_source, key


@pytest.mark.parametrize(
    "dtype",
    [
        np.dtype(np.float32),
        np.dtype(">i4"),
        np.dtype("U5"),
        np.dtype("M8[ms]"),
        np.dtypes.StringDType(),
        np.dtypes.StringDType(na_object=np.nan),
        np.dtypes.StringDType(na_object=None, coerce=False),
    ],
    ids=repr,
)
def test_the_source_of_a_dtype_gives_the_dtype(dtype: np.dtype) -> None:
    assert eval(dtype_source(dtype), {"np": np}) == dtype


def test_keys_tell_equal_bounds_of_slices_of_several_types_apart() -> None:
    bounds = [
        (1, None, None),
        (True, None, None),
        (1.0, None, None),
        (None, 1, None),
        (Ref(1), None, None),
        ((1,), 0, 1),
    ]
    assert len({key(SliceOf(*found)) for found in bounds}) == len(bounds)
    assert key(SliceOf(1, -1, None)) == key(SliceOf(1, -1, None))
