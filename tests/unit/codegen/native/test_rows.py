"""Reductions of rows and what is computed with them for the same rows, as one kernel, against NumPy."""

import math
import warnings

import numpy as np
import pytest
import tracefn
from native_outcomes import native, numbers, same, with_warnings
from tracefn.codegen.machine import abi
from tracefn.codegen.native.pipeline import steps
from tracefn.ir.evaluate import evaluate
from tracefn.ir.verify import verify

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def log_softmax(x):
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def layer_norm(x):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


def centred(x):
    return x - x.mean(axis=-1, keepdims=True)


def to_unit_range(x):
    low = x.min(axis=-1, keepdims=True)
    return (x - low) / (x.max(axis=-1, keepdims=True) - low)


def normed(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def with_results(x):
    mean = x.mean(axis=-1, keepdims=True)
    waves = np.tanh(x - mean)
    return waves, waves.sum(axis=-1, keepdims=True), waves * waves - mean


FUNCTIONS = [softmax, log_softmax, layer_norm, centred, to_unit_range, normed, with_results]


def rows(function, *args):
    """The graph with row kernels, and these."""
    graph = tracefn.function(function, jit="off").get_concrete_function(*args).graph
    for _, run in steps():
        graph = verify(run(graph))
    return graph, [n for n in graph.nodes if n.op.name == "kernel" and n.args[0].name == "rows"]


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("char", "df")
@pytest.mark.parametrize("shape", [(3, 64), (5, 65), (1, 100), (4, 127), (7, 512), (3, 513), (2, 3, 1337), (2, 9000)])
def test_rows(function, char, shape):
    x = numbers(char, shape)
    graph, found = rows(function, x)
    assert len(found) == 1 and not [n for n in graph.nodes if n.op.name not in ("input", "kernel", "item")]
    with np.errstate(all="ignore"):
        wanted = function(x)
        same(evaluate(graph, [x])[0], wanted[0] if isinstance(wanted, tuple) else wanted, 64)
    got, wanted = native(function, x)(x), function(x)
    for a, b in zip(*[r if isinstance(r, tuple) else (r,) for r in (got, wanted)], strict=True):
        assert (type(a), a.dtype, a.shape, a.strides) == (type(b), b.dtype, b.shape, b.strides)
        precision = 4 * np.finfo(char).eps * max(16, shape[-1])  # the sum of what lies around a mean is rounding alone
        np.testing.assert_allclose(a, b, rtol=precision, atol=precision)


@pytest.mark.parametrize("function", FUNCTIONS[:6], ids=lambda f: f.__name__)
@pytest.mark.parametrize("length", [64, 65, 700])
def test_a_vector_is_a_row(function, length):
    x = numbers("d", length)
    got, wanted = native(function, x)(x), function(x)
    assert (type(got), got.dtype, got.shape) == (type(wanted), wanted.dtype, wanted.shape)
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14)


def test_all_kinds_of_operands():
    def f(x, weight, bias, each, number):
        y = x * weight + bias
        return (y - y.mean(axis=-1, keepdims=True)) * each + number, y.max(axis=-1, keepdims=True)

    args = numbers("d", (6, 50)), numbers("d", 50), numbers("f", 50), numbers("d", (6, 1)), np.float64(3)
    assert len(rows(f, *args)[1]) == 1
    same(native(f, *args)(*args), f(*args), 64)


@pytest.mark.parametrize("char", "?bHiqQ")
def test_rows_of_integers(char):
    x = numbers(char, (5, 40))
    x = x if char == "?" else x // 3
    assert len(rows(centred, x)[1]) == 1
    got, wanted = native(centred, x)(x), centred(x)
    assert got.dtype == wanted.dtype
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12 * abs(wanted).max())


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0, 1e308, 5e-324])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_special_values_and_warnings(function, value):
    x = numbers("d", (4, 70))
    f = native(function, x)
    x[1, 3] = x[2] = value
    got, wanted = with_warnings(f, x), with_warnings(function, x)
    assert [text for text, *_ in got[1]] == [text for text, *_ in wanted[1]]
    for a, b in zip(*[r if isinstance(r, tuple) else (r,) for r in (got[0], wanted[0])], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_sums_are_as_accurate_as_numpys():
    rng = np.random.default_rng(0)
    for length in (100, 3000, 32768):
        x = (rng.random((4, length)) - 0.3).astype(np.float32)
        f = native(lambda x: (x - x.sum(axis=-1, keepdims=True), x.sum(axis=-1, keepdims=True)), x)
        exact = np.array([[math.fsum(row.tolist())] for row in x])
        mine, numpys = abs(f(x)[1] - exact), abs(x.sum(axis=-1, keepdims=True) - exact)
        assert mine.max() <= 2 * numpys.max() + np.spacing(np.float32(exact.max()))


def test_results_do_not_depend_on_threads():
    x = numbers("d", (900, 1200))
    f, found = native(softmax, x), []
    before = tracefn.config.threads
    try:
        for tracefn.config.threads in (1, 2, 3):
            found.append(f(x).tobytes())
    finally:
        tracefn.config.threads = before
    assert len(set(found)) == 1


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_arguments_that_are_no_rows_in_memory(function):
    whole = numbers("d", (200, 300))
    f = native(function, whole[:150, :100].copy())
    for x in (
        whole[:100, :150].T,
        whole[::-1][:150, :100],
        whole[:150, ::3],
        np.broadcast_to(whole[0, :100], (150, 100)),
    ):
        got, wanted = f(x), function(x)
        for a, b in zip(*[r if isinstance(r, tuple) else (r,) for r in (got, wanted)], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
            assert (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)


def test_numpys_own_bits_where_they_are_asked_for():
    x = numbers("d", (40, 70))
    f = tracefn.function(softmax, jit="now", precise=True)
    np.testing.assert_array_equal(f(x), softmax(x))


def test_nothing_without_a_second_look():
    x = numbers("d", (4, 50))
    for f in (
        lambda x: x.sum(axis=-1, keepdims=True) * 2,
        lambda x: x - x.sum(axis=0),
        lambda x: (np.sqrt(x) * 2, x.max(axis=-1, keepdims=True)),
        lambda x: x - x.cumsum(axis=1),
    ):
        assert not rows(f, x)[1]


def test_results_without_their_axis():
    def f(x):
        d = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt((d * d).mean(axis=-1))
        return d * 2, spread, spread + d.max(axis=-1), 2 - spread

    for shape in ((6, 40), (2, 3, 40), (1, 40), (40, 40)):
        x = numbers("d", shape)
        assert len(rows(f, x)[1]) == 1
        for a, b in zip(native(f, x)(x), f(x), strict=True):
            assert (type(a), a.dtype, a.shape) == (type(b), b.dtype, b.shape)
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x / np.sqrt((x * x).sum(axis=1))[:, None],
        lambda x: x - x.mean(axis=-1)[..., np.newaxis],
        lambda x: x - np.expand_dims(x.max(axis=1), 1) * 2,
        lambda x: (x - x.max(1).reshape(-1, 1), x.max(1) + 1),
    ],
)
@pytest.mark.parametrize("shape", [(6, 40), (40, 40), (1, 40)])
def test_axes_that_are_added_again(f, shape):
    x = numbers("d", shape)
    assert len(rows(f, x)[1]) == 1
    got, wanted = native(f, x)(x), f(x)
    for a, b in zip(*[r if isinstance(r, tuple) else (r,) for r in (got, wanted)], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_views_that_others_see_stay_views():
    def f(x):
        total = x.sum(axis=1)
        return x - total[:, None], total, total[:, None]

    x = numbers("d", (6, 40))
    got = native(f, x)(x)
    for a, b in zip(got, f(x), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    assert np.shares_memory(got[1], got[2])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x - x.sum(axis=1)[::-1, None],
        lambda x: x - x.sum(axis=1)[None],
        lambda x: x - x.sum(axis=1),
        lambda x: (x - x.mean(axis=1, keepdims=True)) * x.max(axis=1),
        lambda x: (x - x.mean(axis=1, keepdims=True)).sum(axis=1) * np.arange(40.0) - x.mean(axis=0),
        lambda x: (x[None] - x[None].mean(axis=-1, keepdims=True)) - x[:3, None].mean(axis=-1, keepdims=True),
        lambda x: (x[None] + x[:2, None]) - (x[None] + x[:2, None]).mean(axis=-1, keepdims=True),
        lambda x: x[:1] - x[:1].mean(axis=-1, keepdims=True) + x[:, :1],
        lambda x: x - x.mean(axis=0, keepdims=True) - x.mean(axis=-1, keepdims=True),
    ],
)
def test_what_is_stretched_along_other_axes(f):
    x = numbers("d", (40, 40))
    np.testing.assert_allclose(native(f, x)(x), f(x), rtol=1e-11, atol=1e-13)


def test_what_must_run_between_keeps_groups_apart():
    def f(x):
        total = x.sum(axis=-1, keepdims=True)
        y = x / np.sort(total, axis=0)
        return y - y.mean(axis=-1, keepdims=True)

    x = numbers("d", (4, 50))
    graph, found = rows(f, x)
    assert len(found) == 1
    for got in (evaluate(graph, [x])[0], native(f, x)(x)):
        np.testing.assert_allclose(got, f(x), rtol=1e-12, atol=1e-14)


def test_flags_that_nobody_wants_to_see():
    x = numbers("d", (4, 64))
    f = native(normed, x)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(f(x * 0), normed(x * 0))
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        f(x * 0)
    with warnings.catch_warnings(), pytest.raises(RuntimeWarning):
        warnings.simplefilter("error")
        f(x * 0)


def test_rows_beside_what_is_written_outside():
    def f(x, total):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        total += e.sum(axis=-1)
        return e / e.sum(axis=-1, keepdims=True), total[:, None] * x

    x, first, second = np.random.default_rng(0).normal(size=(60, 40)), np.ones(60), np.ones(60)
    traced = tracefn.function(f, jit="now")
    for got, wanted in zip(traced(x, first), f(x, second), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-13)
    np.testing.assert_allclose(first, second, rtol=1e-13)
    assert traced.concrete_functions[0].plan == "native"


@pytest.mark.parametrize("name", ["softmax", "layer norm", "lengths", "two inputs"])
def test_any_number_of_rows(name):
    def softmax(x):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    def layer_norm(x):
        return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)

    f = {
        "softmax": softmax,
        "layer norm": layer_norm,
        "lengths": lambda x: x / np.sqrt((x**2).sum(axis=-1))[..., None],
        "two inputs": lambda x: (x * 2 - x.min(axis=-1, keepdims=True), x.max(axis=-1)),
    }[name]
    for rank in (2, 3):
        spec = tracefn.TensorSpec((None,) * (rank - 1) + (80,), np.float64)
        traced = native(f, np.ones((2,) * (rank - 1) + (80,)), input_signature=[spec])
        assert [
            n.args[0].name for n in traced.concrete_functions[0]._execution.native.graph.nodes if n.op.name == "kernel"
        ] == ["rows"]
        for lengths in ((1, 1), (0, 3), (7, 5), (300, 2)):
            x = np.random.default_rng(0).random((*lengths[: rank - 1], 80)) + 0.5
            for given in (x, np.asfortranarray(x), x[::-1]):
                got, wanted = (r if isinstance(r, tuple) else (r,) for r in (traced(given), f(given)))
                for a, b in zip(got, wanted, strict=True):
                    assert (a.dtype, a.shape) == (b.dtype, b.shape)
                    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
