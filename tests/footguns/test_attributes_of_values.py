"""What a value has at the call it has while it is traced, and nothing else; errors name its class as Python does."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree

FUNCTIONS = {
    "a Python float has no sum": lambda x, t: float(x[1]).sum(),
    "a Python bool has no shape": lambda x, t: np.array_equal(x, x).shape,
    "an array has no foo": lambda x, t: x.foo,
    "a scalar has no foo": lambda x, t: x.sum().foo,
    "a scalar has no length": lambda x, t: len(x.sum()),
    "a Python int has no length": lambda x, t: len(int(x[1])),
    "a scalar is not iterable": lambda x, t: [v + 1 for v in x.sum()],
    "texts have lengths": lambda x, t: (len(t[1]), [len(s) for s in t]),
    "parts of numbers": lambda x, t: (float(x[1]).real, int(x[1]).imag, x.sum().shape, x.sum().dtype),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_eager(name):
    assert_all_agree(FUNCTIONS[name], (np.arange(4.0), np.array(["b", "abc"])))


def writes_into_a_scalar(x):
    x[0][0] = 1


def test_a_scalar_is_not_written_into():
    assert_all_agree(writes_into_a_scalar, (np.arange(3.0),))


def test_methods_of_texts_are_refused():
    with pytest.raises(tracefn.errors.UnsupportedFunctionError, match=r"Use np.strings.upper\(x\)"):
        tracefn.function(lambda t: t[0].upper())(np.array(["a"]))
