"""Templates of calls and their source."""

import numpy as np
import pytest
from tracefn.ir.template import dtype_source


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
