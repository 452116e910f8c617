"""What makes an array of a NumPy scalar makes a new one, where of an array it would give a view: writes stay there."""

import numpy as np
import pytest
from agreement import assert_all_agree


def new_axis(x):
    s = x.max()
    v = s[None]
    v *= 2
    w = s[...]
    w += 1
    return s, v, w


def more_dimensions(x):
    s = x[1]
    v, w = np.atleast_2d(s), np.atleast_1d(s)
    np.add(v, v, out=v)
    w[0] = 3
    return s, v, w, x


def reshaped(x):
    s = x.sum()
    v, w, u = s.reshape(-1), np.ravel(s), np.expand_dims(s, 0)
    v[0], w[0], u[0] = 1, 2, 3
    return s, v, w, u


def converted(x):
    s = x[0]
    e, f = np.asarray(s), s.flatten()
    e += 2
    f[0] = 5
    return s, e, f, x


@pytest.mark.parametrize("function", [new_axis, more_dimensions, reshaped, converted])
def test_as_eager(function):
    x = np.arange(3.0)
    assert_all_agree(function, (x,), (x + 1,), (x[::-1],))
