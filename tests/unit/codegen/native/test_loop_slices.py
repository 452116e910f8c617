"""Slices, sums and small products in loops as machine code against eager Python."""

import copy

import numpy as np
import pytest
import roundings
import sizes
import tracefn
from loop_outcomes import equal, is_native, outcome
from tracefn.codegen.machine import abi
from tracefn.codegen.native.loops.code import loop_code
from tracefn.runtime.loop_kernel import LoopKernel

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RANDOM = np.random.default_rng(0)


def lu_broadcast(A):
    for k in range(len(A)):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= A[k + 1 :, k, None] * A[k, k + 1 :]


def floyd_warshall(D):
    for k in range(len(D)):
        D[:] = np.minimum(D, D[:, k, None] + D[k])


def moved_onto_itself(a):
    for _ in range(40):
        a[1:] = a[:-1]
        a[::2] = a[1::2][::-1] + a[::2]
        a[0] = a[-1] % 5
    return a


def swapped(u, v, steps):
    for _ in range(steps):
        v[1:-1] = 0.5 * (u[2:] + u[:-2])
        u, v = v, u
    return u.copy(), v.copy()


def relaxed(u):
    v = u.copy()
    for _ in range(50):
        w = 0.25 * (v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2])
        change = np.abs(w - v[1:-1, 1:-1]).max()
        v = v.copy()
        v[1:-1, 1:-1] = w
        if change < 1e-3:
            break
    return v, change


def replaced(x, M):
    for _ in range(40):
        x = M @ x
        x = x / np.sqrt(x @ x)
    return x


def clamped(b, low):
    for i in range(40):
        b[b < low + i % 3] = i
        mask = b > 8
        b[mask] = (b * 0 + 3)[mask]
    return b


def sums(b):
    total = b[0] * 0
    for i in range(40):
        total += b.sum(axis=0) + b[i % 5].sum() + b[:, i % 3].max() + b.mean() + (b > i).any()
    return total, b.sum(axis=1, keepdims=True) - total[:5, None]


def starts_beyond(a):
    for i in range(40):
        a[i : i + 3] = a[i + 2 : i + 5]
    return a


def products(A, C):
    total, norms = np.empty(len(C)), A[0] * 0
    for i in range(40):
        np.dot(A[i % 5], C, out=total)
        A[i % 5] = total / np.linalg.norm(total)
        C -= np.outer(total, A[1]) * 1e-3
        norms[i % 6] += np.linalg.norm(C[1:])
    return norms


def turned(a):
    for i in range(40):
        a = a * 0.5 + np.transpose(a, axes=[1, 0]) * i
    return a


def spread(A):
    for i in range(40):
        A[i % 5] = A[i % 5] * 0.9 + np.broadcast_to(A[i % 3].sum(), A.shape[1:]) * 0.1
    return A


PROGRAMS = [
    (spread, (RANDOM.random((5, 6)),)),
    (turned, (RANDOM.random((5, 5)),)),
    (products, (RANDOM.random((5, 6)), RANDOM.random((6, 6)))),
    (lu_broadcast, (RANDOM.random((40, 40)) + 40 * np.eye(40),)),
    (floyd_warshall, (RANDOM.random((40, 40)),)),
    (moved_onto_itself, (np.arange(10),)),
    (relaxed, (RANDOM.random((9, 11)),)),
    (replaced, (RANDOM.random(8), RANDOM.random((8, 8)))),
    (clamped, (RANDOM.integers(0, 12, (5, 7)), np.int64(2))),
    (clamped, (RANDOM.random((5, 7)) * 12, np.float64(2))),
    (sums, (RANDOM.random((5, 6)),)),
    (sums, (RANDOM.random((5, 6)).astype(np.float32),)),
]


def same(function, *args, exact=False):
    """Asserts that a function does as machine code what Python does, but for roundings, and gives the traced one."""
    traced = tracefn.function(function, jit="now")
    for _ in range(2):
        wanted, got = [outcome(f, args, __file__) for f in (function, traced)]
        assert got[1] == wanted[1]
        if exact:
            assert equal(got[0], wanted[0]), (got[0], wanted[0])
        for mine, theirs in ((got[0], wanted[0]), (got[2], wanted[2])):
            np.testing.assert_equal(_types(mine), _types(theirs))
            for x, y in zip(_flat(mine), _flat(theirs), strict=True):
                np.testing.assert_allclose(x, y, rtol=2e-5 if y.dtype == np.float32 else 1e-11)
    return traced


def _flat(value):
    items = value if isinstance(value, list | tuple) else [value]
    return [np.asarray(v) for v in items if v is not None]


def _types(value):
    return [(type(v), getattr(v, "dtype", 0), getattr(v, "strides", 0)) for v in _flat(value)]


@pytest.mark.parametrize(("function", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_programs(function, args):
    assert is_native(same(function, *args).concrete_functions[0])


def test_a_slice_of_the_wrong_length_raises_at_its_line():
    """The kernel is left where lengths do not fit; what was written before stays."""
    traced = tracefn.function(starts_beyond, jit="now")
    wanted, got = [outcome(f, (np.arange(30),), __file__) for f in (starts_beyond, traced)]
    assert got[0] == wanted[0]
    assert got[0][0] is ValueError
    np.testing.assert_array_equal(got[2][0], wanted[2][0])


def test_a_wrong_row_raises_at_its_line():
    def rows(b, k):
        for i in range(40):
            b[i % 4] += b[k]

    same(rows, RANDOM.random((5, 6)), np.int64(-5))
    traced = tracefn.function(rows, jit="now")
    wanted, got = [outcome(f, (np.ones((5, 6)), np.int64(5)), __file__) for f in (rows, traced)]
    assert got[0] == wanted[0]
    assert got[0][0] is IndexError


def test_warnings_are_those_of_numpy():
    def divided(b):
        for i in range(40):
            b[i % 5] /= b[(i + 1) % 5]

    same(divided, np.ones((5, 6)))
    same(divided, np.zeros((5, 6)))


def test_the_same_array_comes_out():
    """What a loop returns is the argument in Python, where it wrote into it."""

    def scaled(a):
        for i in range(40):
            a[i % 5 :] *= 0.5
        return a

    traced, a = tracefn.function(scaled, jit="now"), np.ones(9)
    assert traced(a) is a
    assert is_native(traced.concrete_functions[0])


def test_arguments_that_share_memory():
    def added(a, b):
        for _ in range(40):
            a[1:] += b[:-1]

    memory = np.arange(20.0)
    for mine, theirs in ((memory[:10], memory[:10]), (memory[:10], memory[5:15])):
        traced, memory_2 = tracefn.function(added, jit="now"), memory.copy()
        same(added, np.arange(10.0), np.arange(10.0))
        first, second = [memory_2[(x.ctypes.data - memory.ctypes.data) // 8 :][:10] for x in (mine, theirs)]
        traced(first, second)
        wanted = memory.copy()
        added(*[wanted[(x.ctypes.data - memory.ctypes.data) // 8 :][:10] for x in (mine, theirs)])
        np.testing.assert_array_equal(memory_2, wanted)


@pytest.mark.sampled(3, everywhere=True)
@pytest.mark.parametrize("n", [1, 5, 17, 63, 64, 65, 511, 512, 513, 5000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_are_as_accurate_as_those_of_numpy(n, dtype):
    def summed(b):
        total = b[0, 0] * 0
        for i in range(33):
            total = total * 0 + b[i % 3].sum() + np.dot(b[i % 2], b[i % 3])
        return total, b[1:].mean(axis=1)

    b = np.random.default_rng(n).standard_normal((3, n)).astype(dtype)
    exact = b.astype(np.longdouble)
    got = tracefn.function(summed, jit="now")(b)
    scale = float((np.abs(exact[2]) + np.abs(exact[0] * exact[2])).sum()) * np.finfo(dtype).eps
    assert abs(float(got[0] - exact[2 % 3].sum() - exact[0] @ exact[2])) <= 8 * scale
    np.testing.assert_allclose(got[1], exact[1:].mean(axis=1).astype(dtype), rtol=0, atol=4 * scale / n)


def test_what_is_rounded_otherwise_is_not_exact():
    def summed(b):
        total = b[0]
        for i in range(40):
            total += b[i % 3 :].sum()
        return total

    def largest(b):
        total = b[0]
        for i in range(40):
            total += b[i % 3 :].max()
        return total

    graphs = [tracefn.function(f).get_concrete_function(np.ones(9)).graph for f in (summed, largest)]
    assert [loop_code(g).is_exact for g in graphs] == [False, True]


def test_repeated_nests_are_one_function():
    def steps(u):
        for _ in range(40):
            u[1:-1] = 0.5 * (u[2:] + u[:-2])
            u[1:-1] = 0.5 * (u[2:] + u[:-2])

    traced = same(steps, np.arange(99.0))
    (kernel,) = traced.concrete_functions[0]._execution.native.kernels
    assert kernel.text.count("define internal i32 @nest") == 3  # one computes, two copy


def steps(u, v, k):
    for _ in range(4):
        v[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]) / k
        u[1:-1, 1:-1] += v[1:-1, 1:-1]
        u[:, 0] = u[:, 1]
        v[0] = 0
    return u[1:, 1:], (u - v).max(axis=1)


def test_slices_without_a_loop():
    traced = same(steps, RANDOM.random((9, 12)), RANDOM.random((9, 12)), np.float64(1.5))
    assert traced.concrete_functions[0].native_program.count("kernel") == 1
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        traced(np.ones((9, 12)), np.ones((9, 12)), np.float64(0))


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda a: np.repeat(a, 2, 1)[:, ::2], lambda a: a[::-1]])
def test_arguments_in_any_layout(layout):
    """The kernel works on a copy, whose content the argument gets."""
    u, v = layout(RANDOM.random((9, 12))), layout(RANDOM.random((9, 12)))
    mine, theirs = [layout(x) for x in (u.copy(), v.copy())], [layout(x) for x in (u.copy(), v.copy())]
    got, wanted = tracefn.function(steps, jit="now")(*mine, np.float64(2)), steps(*theirs, np.float64(2))
    for x, y in zip((*got, *mine), (*wanted, *theirs), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12)
        assert x.strides == y.strides


def test_a_kernel_that_is_left_in_a_branch_leaves_arguments_as_they_were():
    def written(a, k):
        for i in range(40):
            a[i % 5] += 1
            if i == k:
                a[1:] = a[:-1]
                a[i] = 0
        return a

    same(written, np.arange(10.0), np.int64(3))
    traced = tracefn.function(written, jit="now")
    wanted, got = [outcome(f, (np.arange(10.0), np.int64(30)), __file__) for f in (written, traced)]
    assert got[0] == wanted[0]
    assert got[0][0] is IndexError
    np.testing.assert_array_equal(got[2][0], wanted[2][0])


def test_results_have_the_layout_of_arguments():
    def scaled(A):
        B = A.copy("K")
        for i in range(40):
            B[i % 3 :] *= 0.5
        return B

    traced, A = tracefn.function(scaled, jit="now"), RANDOM.random((5, 6))
    assert traced(A).flags.c_contiguous
    assert is_native(traced.concrete_functions[0])
    assert traced(np.asfortranarray(A)).flags.f_contiguous


def test_parts_of_arrays_in_c_order_need_no_numpy():
    def scaled(A):
        B = A.copy("K")
        for i in range(40):
            B[i % 3 :] *= 0.5
        return B

    traced, A = tracefn.function(scaled, jit="now"), RANDOM.random((5, 12))[:, ::2]
    found = traced(A)
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, scaled(A))
    (kernel,) = traced.concrete_functions[0]._execution.native.kernels
    assert not kernel._state[0]


@pytest.mark.parametrize(
    ("rows", "dtype"),
    [(n, float) for n in sizes.of((3, 8, 33), (1, 3, 4, 7, 8, 33))] + [(33, np.float32), (9, int), (3, np.uint8)],
)
def test_columns_are_combined_several_rows_at_a_time(rows, dtype):
    def f(A, x, out):
        for i in range(A.shape[1] - 1):
            part = A[:, i:]
            out[i, i:] = x @ part + part.sum(axis=0)
            out[i + 1, i:] = part.max(axis=0) - part.min(axis=0)
            out[-1, i] += part.mean(axis=0)[0]
        return out

    rng = np.random.default_rng(0)
    A, x = (rng.random((rows, 13)) * 9).astype(dtype), (rng.random(rows) * 9).astype(dtype)
    out = np.zeros((13, 13), dtype)
    traced = tracefn.function(f, jit="now")
    got = traced(A, x, out.copy())
    assert is_native(traced.concrete_functions[0])
    np.testing.assert_allclose(got, f(A, x, out.copy()), rtol=1e-5 if dtype is np.float32 else 1e-13)


def escape(z, c, count, rounds):
    for k in range(rounds):
        inside = np.abs(z) < 2
        z[inside] = z[inside] ** 2 + c[inside] / z[inside] * 0.1
        count[inside] = k
        count[~inside] += 1
    return z


def halved(x, limit):
    y = x * 1.0
    while (y > limit).any():
        large = y > limit
        y[large] = np.sqrt(y[large]) + np.log(y[large]) * 0.1
        x[large] = y[large] * 2
    return y


@pytest.mark.parametrize("dtype", [float, np.float32])
def test_elements_that_a_mask_picks(dtype, monkeypatch):
    def never(kernel):
        pytest.fail("machine code left it to NumPy")

    monkeypatch.setattr(LoopKernel, "_numpy", property(never))
    z, c = RANDOM.normal(size=(2, 30, 41)).astype(dtype)
    for function, args in (
        (escape, (z, c, np.zeros((30, 41), int), 12)),
        (halved, (np.where(z > 0, z * 50, 0).astype(dtype), 3.0)),
    ):
        got, wanted = same_but_for_roundings(function, args)
        assert all(map(roundings.are_close, got, wanted))


def same_but_for_roundings(function, args):
    traced = tracefn.function(function, jit="now")
    first, second = copy.deepcopy(args), copy.deepcopy(args)
    got, wanted = traced(*first), function(*second)
    assert is_native(traced.concrete_functions[0])
    return [got, *first], [wanted, *second]


def test_picked_elements_warn_as_numpy_does():
    def f(x, n):
        for _ in range(n):
            x[x >= 0] = 1 / x[x >= 0] - 2
        return x

    x = np.full((30, 40), -1.0)
    for wrong in (-3.0, 0.0):
        x[3, 4] = wrong
        same(f, x, 40)


def test_picked_elements_that_are_needed_otherwise():
    def counted(x, n):
        total = 0.0
        for _ in range(n):
            part = x[x > 0] * 2
            total += part.sum()
            x[x > 0] = part * 0.4
        return x, total

    def another(x, y, n):
        for _ in range(n):
            x[x > 0] = x[y > 0] * 0.5
        return x

    x = RANDOM.normal(size=(30, 40))
    for function, args in ((counted, (x, 30)), (another, (x, x.copy(), 30))):
        traced = tracefn.function(function, jit="now")
        first, second = copy.deepcopy(args), copy.deepcopy(args)
        assert all(map(roundings.are_close, _flat(traced(*first)), _flat(function(*second))))
    with pytest.raises(ValueError):
        traced(x, -x, 30)


def test_views_of_what_is_around_are_read_where_they_lie():
    def pooled(y):
        y = np.tanh(y)
        parts = [y.reshape(4, 3, 2, 3, 2)[:, :, i, :, j] for i in (0, 1) for j in (0, 1)]
        largest = np.maximum(np.maximum(parts[0], parts[1]), np.maximum(parts[2], parts[3]))
        norm = np.linalg.norm(largest)
        made = np.zeros((4, 3, 2, 3, 2))
        for k, part in enumerate(parts):
            made[:, :, k // 2, :, k % 2] += np.where(part == largest, part * norm, 0)
        return made, norm

    traced = tracefn.function(pooled, jit="now")
    y = RANDOM.normal(size=(4, 6, 6))
    assert all(map(roundings.are_close, traced(y), pooled(y)))
    kernels = [n for n in traced.get_concrete_function(y).stages()[-3].graph.nodes if n.op.name == "kernel"]
    assert {n.op.name for kernel in kernels for n in kernel.inputs}.isdisjoint({"getitem_slice", "reshape"})
