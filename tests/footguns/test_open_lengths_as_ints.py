"""A length that the signature leaves open is the int that it is at each call, whatever Python does with it."""

import copy
from fractions import Fraction

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree


def divisions(x):
    n = len(x)
    return n // n, n % n, 10 // n, 10 % n, x.size // x.shape[0], pow(n, 2, 3)


def comparisons(x):
    n = len(x)
    return n == True, n != np.float64(3), n == 5 + 0j, n == Fraction(5), n == "a", n is None  # noqa: E712


def looked_up(x):
    n = len(x)
    return n in {1, 2, 3}, {5: "five", 1: "one"}.get(n, "none"), {n: x}, x.shape in {(1,), (3,)}


def as_text(x):
    n = len(x)
    return str(n), repr(n), f"{n}", f"{n:03d} of {x.shape}", "%d" % n  # noqa: UP031


def asked_for_its_type(x):
    n = len(x)
    picked = len(x[x > 1])
    return isinstance(n, int), isinstance(picked, int), type(n) is int, np.isscalar(n), n * 2 if type(n) is int else 0


def attributes(x):
    n = len(x)
    return n.real, n.imag, n.numerator, n.bit_length(), n.conjugate(), n.to_bytes(2, "big"), copy.deepcopy(n)


def ranges_and_slices(x):
    n = len(x)
    return slice(n), np.s_[1:n], range(n)[-1:], range(1, n + 3)[1], x[np.s_[: n - 1]]


def sections(x):
    return np.split(x, len(x)), np.array_split(x, len(x) // 2), np.histogram(x, len(x))


def one_element(x):
    return x.item(), x[None].item()


def broadcast_numbers(x):
    made = np.broadcast_to(1.0, x.shape)
    made[:] = 2


FUNCTIONS = [
    divisions, comparisons, looked_up, as_text, asked_for_its_type, attributes, ranges_and_slices, sections,
    one_element, broadcast_numbers,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("lengths", [(5, 7, 0, 1, 2, 3), (1, 3, 0, 2), (0, 2, 1)], ids=str)
def test_as_eager(function, lengths):
    signature = [tracefn.TensorSpec((None,), np.float64)]
    assert_all_agree(function, *[(np.arange(n) * 1.5,) for n in lengths], input_signature=signature)


def types_of_values(x, s):
    return type(x) is np.ndarray, type(x.sum()) is np.float64, type(s) is np.int64, type(x)([2]).shape


def test_the_type_of_a_traced_value_is_that_of_the_call():
    assert_all_agree(types_of_values, (np.ones(3), np.int64(2)))


def test_a_length_that_values_decide_has_no_number_while_tracing():
    with pytest.raises(tracefn.errors.SymbolicDimensionError, match="only values decide"):
        tracefn.function(lambda x: {len(x[x > 1]): 1})(np.ones(3))


def test_a_text_that_is_only_printed_needs_no_trace_for_each_length(capsys):
    @tracefn.function(input_signature=[tracefn.TensorSpec((None,), np.float64)])
    def printing(x):
        print(len(x), x.shape)
        return x + 1

    for n in (2, 3):
        printing(np.ones(n))
    assert len(printing.concrete_functions) == 1
    assert capsys.readouterr().out == "SymbolicInt(n) (SymbolicInt(n),)\n"


def an_argument_or_new(x, y):
    total = 0.0
    for i in range(1, len(x)):
        y = y * x
        total = total + y[i % len(y)]
    y += 1
    return x, y, total


@pytest.mark.parametrize("lengths", [(1, 3, 0, 2), (3, 0, 1)], ids=str)
def test_an_array_that_no_round_replaces_is_written_into(lengths):
    signature = [tracefn.TensorSpec((None,), np.float64)] * 2
    assert_all_agree(
        an_argument_or_new, *[(np.arange(n) * 1.5, np.ones(n)) for n in lengths], input_signature=signature
    )


def products_of_lengths(x):
    n, single = np.prod(x.shape), x.astype(np.float32)
    return n, n + 1, n // 2, 2 * n, n / 2, np.max(x.shape), single.sum() / n, single * n, int(n), f"{n} {n!r}", type(n)


def products_as_lengths(x):
    n = np.prod(x.shape)
    return np.zeros(n), x.reshape(n // 1, 1), x[: n - 1], x.reshape(int(n)), n == 3, n.item(), 1 if n > 2 else 0


def arrays_of_lengths(x):
    return np.cumsum(x.shape), np.pad(x.shape, 1), np.mean(x.shape), np.sort((3, len(x))), np.array_equal(x.shape, (3,))


@pytest.mark.parametrize("function", [products_of_lengths, products_as_lengths, arrays_of_lengths])
def test_numpy_of_lengths(function):
    signature = [tracefn.TensorSpec((None,), np.float64)]
    assert_all_agree(function, *[(np.arange(n) * 1.5,) for n in (5, 7, 0, 1, 2, 3)], input_signature=signature)
