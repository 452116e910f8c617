"""`reshape` and `ravel` give views of some arrays and copies of others: traced functions write where NumPy writes."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree, copied
from tracefn.errors import UnsupportedFunctionError

x = np.arange(24.0)
BASES = {
    "vector": x[:6].copy(),
    "strided": x[::2][:6],
    "reversed": x[5::-1],
    "matrix": x.reshape(4, 6).copy(),
    "fortran": np.asfortranarray(x.reshape(4, 6)),
    "columns": np.arange(48.0).reshape(4, 12)[:, ::2],
    "upside down": x.reshape(4, 6)[::-1],
    "cube": x.reshape(2, 3, 4).copy(),
    "turned cube": x.reshape(2, 3, 4).transpose(1, 0, 2),
    "empty": np.zeros((0, 3)),
    "one": np.ones((1, 1)),
}


def write_through_reshape(x):
    y = x.reshape(-1)
    y[:1] = 100
    return x, y


def write_through_ravel(x):
    y = x.ravel()
    y[:1] = 100
    return x, y


def write_through_a_view(x):
    y = x[::2].reshape(-1)
    y[:1] = 100
    x[...] += 1
    return x, y


def write_through_a_transposition(x):
    y, z = x.T.reshape(-1), x.T.ravel()
    y[:1] = 100
    z[:1] = 50
    return x, y, z


def read_after_a_write(x):
    y = x.T.reshape(-1)
    x[...] = 7
    return x, y


def write_into_what_was_made(x):
    z = x + 1
    z.reshape(-1)[:1] = 3
    w = z.T.copy()
    w.reshape(-1)[:1] = 5
    v = np.array(w, order="F")
    v.ravel()[:1] = 8
    return z, w, v


def write_through_the_real_part(x):
    r, i = x.real, x.imag
    r[:1] = 100
    x[-1:] += 1
    return x, r, i


def write_into_the_imaginary_part(x):
    x.imag[...] = 1
    return x


def write_through_ascontiguousarray(x):
    x[:1] = 1
    y = np.ascontiguousarray(x)
    y[-1:] = 7
    return x, y


def write_into_what_was_cast(x):
    y = x.astype(complex)
    z = x.ravel()[[0, -1, 0]].astype(int).reshape(-1, 1)
    y.reshape(-1)[:1] = 7
    z.ravel()[:1] = 8
    return x, y, z


def write_into_what_was_flattened_twice(x):
    y = x.T.ravel()
    y.ravel()[:1] = 3
    np.concatenate([y, y]).reshape(-1)[:1] = 4
    return x, y


def write_into_what_was_rolled(x):
    y, z = np.roll(x, 1, 0), np.roll(x, 1)
    y.reshape(-1)[:1] = 3
    z.ravel()[:1] = 4
    with_all_axes = np.roll(x.T, 1, tuple(range(x.ndim)))
    with_all_axes.ravel()[:1] = 5
    return x, y, z, with_all_axes


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    "function",
    [
        write_through_the_real_part,
        write_into_the_imaginary_part,
        write_through_ascontiguousarray,
        write_into_what_was_flattened_twice,
        write_into_what_was_cast,
        write_into_what_was_rolled,
        write_through_reshape,
        write_through_ravel,
        write_through_a_view,
        write_through_a_transposition,
        read_after_a_write,
        write_into_what_was_made,
    ],
)
def test_writes(function, base):
    assert_all_agree(function, (BASES[base],))


@pytest.mark.parametrize("function", [write_through_reshape, write_through_ravel, write_through_a_view])
def test_a_call_with_another_layout_has_a_trace_of_its_own(function):
    matrices = [(BASES[n],) for n in ("matrix", "fortran", "columns", "upside down")]
    assert assert_all_agree(function, *matrices, *matrices).tracing_count == 4


def test_one_axis_is_reshaped_in_place_whatever_its_length():
    assert_all_agree(
        lambda x: x[::2].reshape(-1, 1).fill(4), *[(np.zeros(n),) for n in (3, 5, 1, 0)], reduce_retracing=True
    )


def test_a_row_that_a_traced_index_picks():
    def write(x, i):
        x[i].reshape(2, -1)[0] = 5
        x[:, i].reshape(-1)[0] = 6
        return x

    assert_all_agree(write, *[(np.zeros((4, 4)), np.int64(i)) for i in (0, 2, -1)])


def test_functions_that_write_nothing_do_not_care_how_arrays_lie():
    f = tracefn.function(lambda x: (x + x.ravel()[:1], x.reshape(-1), (x * 2).reshape(3, 2).sum(axis=0)))
    x = np.arange(6.0).reshape(2, 3)
    for layout in (x, np.asfortranarray(x), x[::-1], np.repeat(x, 2, axis=1)[:, ::2], np.broadcast_to(x[0], (2, 3))):
        for got, expected in zip(f(layout), f.python_function(layout), strict=True):
            np.testing.assert_array_equal(got, expected)
            assert np.shares_memory(got, layout) is np.shares_memory(expected, layout)
    assert f.tracing_count == 1


def test_copies_leave_the_array_to_be_written_into():
    def program(z):
        flat, zeros = z.ravel(), z.imag
        z[z < 3] += 1
        for _ in range(len(z)):
            z[0] += zeros[0]
        return flat, z.T, zeros

    base = np.arange(12.0).reshape(3, 4)[:, ::2]
    traced = assert_all_agree(program, (base,))
    (given,) = copied([base])
    flat, turned, zeros = traced(given)
    assert np.shares_memory(turned, given) and not np.shares_memory(flat, given) and not zeros.flags.writeable
    assert turned.strides == given.T.strides


def test_parts_of_complex_numbers():
    assert_all_agree(write_through_the_real_part, (np.arange(4) * 1j,))
    assert_all_agree(write_into_the_imaginary_part, (np.arange(4) * 1j,), (np.zeros((0, 2)),))


def asks_how_it_lies(x):
    if not x.flags.c_contiguous:
        x = np.ascontiguousarray(x)
    turned = x.T
    return x.reshape(-1).sum(), turned.flags["F_CONTIGUOUS"], turned.flags.contiguous, turned.strides, x[::2].strides


@pytest.mark.parametrize("base", BASES)
def test_code_that_asks_how_an_array_lies(base):
    assert_all_agree(asks_how_it_lies, (BASES[base],), (BASES[base].copy(),))


def test_what_is_not_known_of_a_layout():
    with pytest.raises(UnsupportedFunctionError, match="owndata"):
        tracefn.function(lambda x: x.flags.owndata)(x)


def test_the_real_part_of_real_numbers_is_the_array():
    given = np.arange(3.0)
    real, imaginary = tracefn.function(lambda x: (x.real, x.imag))(given)
    assert real is given and imaginary is not given
