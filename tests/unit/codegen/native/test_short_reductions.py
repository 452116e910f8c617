"""Reductions of few elements, done in one step for each result, against NumPy."""

import numpy as np
import pytest
import roundings
import tracefn
from native_outcomes import native, numbers, taken_in_turns, with_warnings
from tracefn.codegen.machine import abi
from tracefn.codegen.native.fusion.regions import KERNEL
from tracefn.codegen.native.pipeline import with_kernels

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)
POINTS, CENTRES = RNG.normal(size=(500, 2)), RNG.normal(size=(3, 2))


def steps_of(f, *args):
    graph = with_kernels(tracefn.function(f, jit="off").get_concrete_function(*args).graph)
    return [n for n in graph.nodes if not n.is_leaf and n.op.name != "item"]


def nearest(x, c):
    d = np.linalg.norm(x[:, None, :] - c[None, :, :], axis=2)
    return d.argmin(axis=1)


def test_distances_and_the_nearest_are_one_kernel():
    roundings.assert_alike(native(nearest, POINTS, CENTRES)(POINTS, CENTRES), nearest(POINTS, CENTRES))
    steps = steps_of(nearest, POINTS, CENTRES)
    assert len(steps) == 1 and steps[0].op is KERNEL


REDUCTIONS = {
    "sum": lambda x, **k: x.sum(**k),
    "mean": lambda x, **k: x.mean(**k),
    "max": lambda x, **k: x.max(**k),
    "min": lambda x, **k: x.min(**k),
    "prod": lambda x, **k: x.prod(**k),
    "any": lambda x, **k: x.any(**k),
    "all": lambda x, **k: (x != 0).all(**k),
    "count_nonzero": np.count_nonzero,
    "argmax": lambda x, **k: x.argmax(**k),
    "argmin": lambda x, **k: x.argmin(**k),
    "std": lambda x, **k: x.std(**k),
}


@pytest.mark.sampled(5, everywhere=True)
@pytest.mark.parametrize(("char", "name"), taken_in_turns("?fdFD", REDUCTIONS))
def test_reductions(char, name):
    if char in "FD" and name in ("max", "min", "argmax", "argmin", "prod", "std"):
        pytest.skip("left to NumPy")
    reduce = REDUCTIONS[name]

    def f(x):
        return reduce(x, axis=-1), reduce(x, axis=0), reduce(x * x, axis=1, keepdims=True)

    x = (numbers(char, (5, 6, 70), 1), numbers(char, (5, 70, 6), 2))
    for each in x:
        roundings.assert_alike(native(f, each)(each), f(each))


@pytest.mark.parametrize("axis", [(0, 1), (1, 2), (-1, 0)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_several_axes(axis, keepdims):
    def f(x):
        m = x.mean(axis=axis, keepdims=True)
        return (x + m).max(axis=axis, keepdims=keepdims), ((x - m) ** 2).max(axis=axis, keepdims=keepdims)

    shape = [300, 300, 300]
    for a in axis:
        shape[a] = 2
    x = RNG.normal(size=shape)
    roundings.assert_alike(native(f, x)(x), f(x))


def test_scalars_of_short_vectors():
    def f(x, c, k):
        return ((x - c) * k).sum(axis=1), (x * c[0]).max(axis=1), np.where(x > c, x, k).sum(axis=-1) + x[:, 0]

    c = np.array([1.0, -2.0])
    roundings.assert_alike(native(f, POINTS, c, 2.5)(POINTS, c, 2.5), f(POINTS, c, 2.5))


def test_what_else_needs_the_elements():
    def f(x):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        p = e / e.sum(axis=1, keepdims=True)
        return p, e.sum(axis=1) + 1, p.argmax(axis=1)

    x = RNG.normal(size=(200, 4))
    roundings.assert_alike(native(f, x)(x), f(x))


def test_reductions_of_what_was_reduced():
    def f(x):
        size = np.sqrt((x**2).sum(axis=1))
        return size.sum(), size.max(), (x / size[:, None]).sum(axis=1).mean()

    roundings.assert_alike(native(f, POINTS)(POINTS), f(POINTS))


def test_what_is_computed_in_a_kernel_is_not_read_elsewhere_in_it():
    def f(x):
        y = x * 2 + 1
        z = y.sum(axis=1) - y[:, 0]
        w = np.sqrt(z * z + 1)
        return y, z, w, (y * w[:, None]).sum(axis=1) + z

    roundings.assert_alike(native(f, POINTS)(POINTS), f(POINTS))


def test_special_values_of_positions():
    x = RNG.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 2.0], (5000, 4))

    def f(x):
        return x.argmin(axis=1), x.argmax(axis=1), x.max(axis=1), x.min(axis=1)

    traced = native(f, x)
    (got, warned), (wanted, by_numpy) = with_warnings(traced, x), with_warnings(f, x)
    roundings.assert_alike(got, wanted)
    assert warned == by_numpy == []


@pytest.mark.parametrize("name", ["sum", "mean", "prod"])
def test_warnings_are_numpys(name):
    f = lambda x: REDUCTIONS[name](x, axis=1)  # noqa: E731
    x = np.ones((100, 3))
    traced = native(f, x)
    assert with_warnings(traced, x)[1] == []
    x[7] = 1e308, 1e308, -np.inf
    (got, warned), (wanted, by_numpy) = with_warnings(traced, x), with_warnings(f, x)
    np.testing.assert_array_equal(got, wanted)
    assert [text for text, *_ in warned] == [text for text, *_ in by_numpy]


def test_norms():
    def f(x):
        return np.linalg.norm(x, axis=1), np.linalg.norm(x, axis=0), np.linalg.norm(x - 1, axis=-1, keepdims=True)

    for x in (POINTS, POINTS.astype(np.float32), RNG.normal(size=(50, 40)), RNG.normal(size=(3, 400))):
        roundings.assert_alike(native(f, x)(x), f(x))


def test_other_memory_layouts():
    def f(x):
        return (x * 2 + 1).sum(axis=-1), np.abs(x).max(axis=0), x.argmin(axis=2)

    for shape in ((4, 30, 3), (4, 9000, 3)):
        x = RNG.normal(size=shape)
        traced = native(f, x)
        for given in (
            x,
            np.asfortranarray(x),
            x[:, ::-1],
            x[::-1, :, ::-1],
            x.transpose(1, 0, 2).copy().transpose(1, 0, 2),
        ):
            got, wanted = traced(given), f(given)
            roundings.assert_alike(got, wanted)
            assert [a.strides for a in got] == [a.strides for a in wanted]


def test_views_of_what_is_given():
    def f(x):
        return (x[1:, ::2] - x[:-1, ::2]).sum(axis=1), x[::-1, 1:4].max(axis=1), x.T[:3].sum(axis=0)

    x = RNG.normal(size=(200, 6))
    roundings.assert_alike(native(f, x)(x), f(x))


def test_precise_reductions_are_numpys():
    x = RNG.normal(size=(1000, 7))
    f = lambda x: (np.exp(x) * x).sum(axis=1)  # noqa: E731
    np.testing.assert_array_equal(tracefn.function(f, jit="now", precise=True)(x), f(x))


def test_open_lengths_are_left_to_other_kernels():
    specs = [tracefn.TensorSpec((None, 2), np.float64), tracefn.TensorSpec((3, 2), np.float64)]
    traced = tracefn.function(nearest, jit="now", input_signature=specs)
    for size in (1, 2, 100):
        roundings.assert_alike(traced(POINTS[:size], CENTRES), nearest(POINTS[:size], CENTRES))
