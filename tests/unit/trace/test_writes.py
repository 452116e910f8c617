"""Writing into arrays: what a traced function leaves in its arguments, in captured arrays and in views, and returns."""

import copy
import linecache

import numpy as np
import pytest
import tracefn
from tracefn.errors import InPlaceWriteError

A = np.arange(12.0).reshape(3, 4)


def outcome(function, args):
    try:
        return function(*args), None
    except Exception as error:
        return None, error


def assert_as_eager(function, *args, traces=1):
    """Two calls, each with its own copies, return and leave what eager calls do; errors have the same type."""
    traced = tracefn.function(function)
    for _ in range(2):
        mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
        (got, error), (wanted, expected) = outcome(traced, mine), outcome(function, theirs)
        assert type(error) is type(expected), error
        np.testing.assert_equal(got, wanted)
        for left, right in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(left, right)
    if expected is None:
        assert traced.tracing_count == traces


def writes(statement):
    """The function of `x` and `y` that does this and returns `x`."""
    text, file, namespace = f"def f(x, y):\n    {statement}\n    return x", f"<{statement}>", {"np": np}
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), namespace)
    return namespace["f"]


STATEMENTS = """
x[0] = 5; x[-1, 2] = y[0]; x[1:-1, ::2] = 3; x[:, 0] = y[:3]; x[...] = y; x[None] = 1; x[()] = 2; x[2:, 1:] += 1
x[1:-1, ::2] += y[1]; x[[0, 2], :] *= 2; x[x > 4] = 0; x[x > 4] = y[0]; x[x > 4] -= 10; x[[0, 0]] += 1
x.flat[3] = 7; x.flat[::5] = -1; x.flat = y; x.flat[[1, 2]] = [8, 9]; x.T[...] = 4; x.T[0] = 6; x[1].T[2:] = 1
np.add(x, 1, out=x); np.add(x, y, x); np.multiply(x[0], 2, out=x[1]); np.sqrt(x, out=x[::-1]); x += y; x *= x; x -= x[0]
np.copyto(x, y); np.copyto(x, 3, where=x > 2); np.put(x, [0, 5], [7, 8]); np.put(x, [0, 99], 1, mode='clip')
np.place(x, x > 3, [1, 2]); np.putmask(x, x > 3, x * 2); np.fill_diagonal(x, 9); x.put([1], 4)
np.put_along_axis(x, np.array([[0], [1], [0]]), 5, axis=1); np.add.at(x, [0, 0, 1], 1)
np.subtract.at(x, ([0, 1], [0, 1]), y[:2])
np.negative.at(x, [0, 2]); np.maximum.at(x, (slice(None), 0), 5); x.sort(); x[::-1].sort(axis=0); x[0].partition(2)
x.fill(3); x[1].fill(y[2]); x[1:] = x[:-1]; x[:-1] = x[1:]; x[:, 1:] += x[:, :-1]; x[::-1] = x
x[...] = x.T.reshape(3, 4)
np.cumsum(x, axis=0, out=x); np.sum(x, axis=0, out=x[0]); np.clip(x, 2, 5, out=x); np.matmul(x[:, :3], x[:3], out=x)
np.divmod(x, 2, out=(x, x[::-1].copy())); np.add(x, 1, out=x, where=x > 3); np.add.reduce(x, axis=0, out=x[1])
x[np.array(0)] -= y; x[np.array(1), 1:] *= 2; x[..., np.array(-1)] += 1; x[np.array(2)][0] = 7
k = np.asarray(np.argmax(y)); v = x[k]; v += 1; x[0] = v; x[k, ::2] -= 3; x[k, 1] += y[0]
for k in range(3): i = np.asarray(k); x[i] += x[i - 1]; v = x[:, i]; v *= 2; y[i] += v[0]
v = x[1:]; v[0] = 1; w = v[:, ::2]; w += 2; x[2, 2] = w[0, 0]; v[...] = w[0, 0]
v = x.reshape(-1); v[3] = 1; u = x.ravel(); u[::2] = v[1]; v *= 2
a, b = x[:1], x[1:]; a[...] = b[0]; b += a; c = np.swapaxes(x, 0, 1); c[0] = a[0, 1]
for row in x: row += 1
x.flat[1:] = x.reshape(-1)[:-1]; x[::-1].flat = x; np.fill_diagonal(x, x.ravel()[:3])
v = x.reshape(-1); v[::-1][v > -1] = v; v[1:][[True] * 11] = v[:-1]
x[0, 0], x[1, 1] = x[1, 1], x[0, 0]; x[[0, 1]] = x[[1, 0]]
""".strip()


@pytest.mark.parametrize("statement", STATEMENTS.splitlines())
def test_each_kind_of_write(statement):
    parts = statement.split("; ") if not statement.startswith(("v =", "a, b", "for")) else [statement]
    for part in parts:
        assert_as_eager(writes(part), A, np.array([10.0, 20.0, 30.0, 40.0]))


ERRORS = """
x[3] = 1; x[0, 9] += 1; x[[0, 5]] = 1; x[y] = 1; x[:, :2] = y; x[0] = 'a'; np.add(x, 1, out=x[0]); np.add(x, y, out=y)
np.copyto(x, x[:, :2]); np.fill_diagonal(x[0], 1); np.put(x, [99], 1); x[0, 0][...] = 1; x.flat[99] = 1
np.broadcast_to(x, (2, 3, 4))[0] = 1; x.diagonal()[0] = 1; np.add.at(x, [7], 1); x.T[9] = 1; x.sort(axis=5)
x //= 'a'; np.add(x.astype(int), 1.5, out=x.astype(int)); x[0] = [1, 2]; x[np.array([True])] = 1; x.fill(y)
x.fill(x[:1, :1]); x.astype(int).fill([1])
""".strip()


@pytest.mark.parametrize("statement", ERRORS.replace("\n", "; ").split("; "))
def test_errors_are_numpys(statement):
    function = writes(statement)
    with pytest.raises(Exception) as expected:
        function(A.copy(), np.arange(4.0))
    x, y = A.copy(), np.arange(4.0)
    with pytest.raises(expected.type):
        tracefn.function(function)(x, y)
    np.testing.assert_array_equal(x, A)


def test_what_was_written_before_an_error_stays():
    def f(x, i):
        x[0] = 9
        y = x[i]
        x[1] = 8
        return y

    assert_as_eager(f, A, np.int64(1))
    assert_as_eager(f, A, np.int64(7))


def test_the_argument_itself_comes_back():
    x = A.copy()
    f = tracefn.function(lambda x: (x.__iadd__(1), x[1:], x))
    whole, part, again = f(x)
    assert whole is x and again is x and np.shares_memory(part, x)


def test_only_what_is_written_changes():
    def f(x, y):
        z = x.copy()
        z[0] = y[0]
        return z

    assert_as_eager(f, A, np.arange(4.0))


SHARING = {
    "apart": lambda z: (z, z.copy()),
    "the same": lambda z: (z, z),
    "a tail": lambda z: (z, z[1:]),
    "reversed": lambda z: (z, z[::-1]),
    "the base second": lambda z: (z[::2], z),
    "parts": lambda z: (z[:3], z[3:]),
    "even and odd": lambda z: (z[::2], z[1::2]),
    "a row": lambda z: (m := z.reshape(2, 4), m[1]),
    "a column": lambda z: ((m := z.reshape(2, 4))[:, 1], m),
    "transposed": lambda z: (m := z.reshape(2, 4)[:, :2].copy(), m.T),
    "a part in the middle": lambda z: (z, z[3:5]),
    "across each other": lambda z: (z[:5], z[3:]),
    "across each other, backwards": lambda z: (z[:5], z[6:1:-1]),
    "columns": lambda z: (z.reshape(4, 2)[1:3].T, z.reshape(4, 2)[:, 0]),
    "in rows": lambda z: (z.reshape(2, 2, 2)[::-1, :, 1], z),
    "a row in Fortran order": lambda z: (m := np.asfortranarray(z.reshape(2, 4)), m[1]),
}


def mixed(a, b):
    b[0] += 1
    a *= 2
    total = b.sum()
    a[-1] = b[0]
    b -= 1
    return a, b, total, b * 1


def test_arguments_that_share_memory_are_other_traces():
    traced = tracefn.function(mixed)
    for _ in range(2):
        for name, make in SHARING.items():
            mine, theirs = np.arange(8.0), np.arange(8.0)
            given, expected = make(mine), make(theirs)
            (got, error), (wanted, refused) = outcome(traced, given), outcome(mixed, expected)
            assert type(error) is type(refused), name
            np.testing.assert_equal(got, wanted, err_msg=name)
            np.testing.assert_array_equal(given[0], expected[0], err_msg=name)
            np.testing.assert_array_equal(given[1], expected[1], err_msg=name)
            assert got is None or (got[0] is given[0] and got[1] is given[1]), name
    assert traced.tracing_count == len(SHARING) - 1  # one raises


def test_arguments_that_lie_across_each_other_are_views_of_their_owner():
    traced = tracefn.function(mixed, on_unsupported="error")
    for n in (8, 8, 9, 9):
        mine, theirs = np.arange(float(n)), np.arange(float(n))
        got, expected = traced(mine[:5], mine[n - 5 :]), mixed(theirs[:5], theirs[n - 5 :])
        np.testing.assert_equal(got, expected)
        np.testing.assert_array_equal(mine, theirs)
    assert traced.tracing_count == 2


def in_rounds(a, b):
    rounds = 0
    while b.sum() < 20 and rounds < 10:
        b += 1
        rounds += 1
        if b[0] > 5:
            a[0] -= 1
    a[1:] -= a[:-1].copy()
    return a * 1, rounds


@pytest.mark.parametrize(
    "name", ["across each other", "across each other, backwards", "a tail", "reversed", "the same"]
)
def test_a_loop_writes_first_into_arguments_that_share_memory(name):
    for function in (in_rounds, lambda a, b: in_rounds(b, a)):
        mine, theirs = np.arange(8.0), np.arange(8.0)
        got, expected = SHARING[name](mine), SHARING[name](theirs)
        traced = tracefn.function(function, on_unsupported="error")
        np.testing.assert_equal(traced(*got), function(*expected))
        np.testing.assert_array_equal(mine, theirs)
        assert traced.tracing_count == 1


def test_parts_of_an_owner_that_is_much_larger_are_refused():
    z = np.arange(8000.0)
    with pytest.raises(InPlaceWriteError, match="another view of the same memory"):
        tracefn.function(mixed, on_unsupported="error")(z[:5], z[3:8])
    np.testing.assert_array_equal(z, np.arange(8000.0))


STATE = np.zeros(3)


def test_captured_arrays_are_written_at_each_call():
    local = np.zeros(2)

    @tracefn.function
    def f(x):
        STATE[1:] += x
        local[0] = STATE.sum()
        return local + 0

    STATE[:] = 0
    assert [f(2.0).tolist(), f(2.0).tolist()] == [[4.0, 0.0], [8.0, 0.0]]
    assert STATE.tolist() == [0, 4, 4] and f.tracing_count == 1
    STATE[:] = 1
    assert f(2.0).tolist() == [7.0, 0.0]


def test_read_only_arguments_are_refused_as_by_numpy():
    x = A.copy()
    x.flags.writeable = False
    f = tracefn.function(lambda x: x.__iadd__(1))
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            f(x)
    y = A.copy()
    np.testing.assert_array_equal(f(y), A + 1)
    with pytest.raises(ValueError, match="read-only"):
        f(x)


@pytest.mark.parametrize("rows", [0, 1, 2, 5])
def test_lengths_that_are_open(rows):
    def f(x):
        x[1:] += x[:-1]
        x[:, 0] = x.sum(axis=1)
        x[x > 5] = 0
        return x[-1:]

    traced = tracefn.function(f, input_signature=[tracefn.TensorSpec((None, 3), np.float64)])
    for length in (rows, 3):
        mine, theirs = np.ones((length, 3)), np.ones((length, 3))
        np.testing.assert_array_equal(traced(mine), f(theirs))
        np.testing.assert_array_equal(mine, theirs)
    assert traced.tracing_count == 1


class TestLoops:
    def test_arguments_are_written(self):
        def f(x, n):
            for i in range(n):
                x += i
                x[0] *= 2
            return x.sum()

        assert_as_eager(f, A, np.int64(4))
        assert_as_eager(f, A, np.int64(0))

    def test_nested_loops_and_views(self):
        def f(x, n):
            v = x[1:]
            while x[0, 0] < n:
                x += 1
                for j in range(n):
                    v *= j
                    if x[1, 1] > 2:
                        v -= 3
            return x.sum(), v

        assert_as_eager(f, A, np.int64(3))

    def test_an_own_array_with_views(self):
        def f(x, n):
            y = x * 2
            v = y[::2]
            for i in range(n):
                y += v.sum()
                y[0] = i
            return y, v

        assert_as_eager(f, A, np.int64(3))

    def test_a_name_that_gets_another_array(self):
        def f(x, n):
            for _ in range(n):
                x += 1
                x = x * 2
            return x

        for n in range(4):
            assert_as_eager(f, A, np.int64(n))

    def test_a_name_that_is_used_for_something_else_later(self):
        def f(x, n):
            for i in range(n):
                p = x * i
                x[0] = p[1]
            for p in x[0]:
                x[1] += p
            return x

        assert_as_eager(f, A, np.int64(3))


def test_what_may_be_a_view_is_not_used_after_a_write():
    def f(x):
        before = x.T.reshape(-1)
        total = before.sum()
        x += 1
        return total, x.T.reshape(-1)

    def late(x):
        before = x.T.reshape(-1)
        x += 1
        return before

    assert_as_eager(f, A)
    assert_as_eager(late, A)
    x = A.copy()
    with pytest.raises(InPlaceWriteError, match="is used after argument `x` .* was written into"):
        tracefn.function(late, input_signature=[tracefn.TensorSpec((None, None))])(x)  # of (1, n) it is a view
    np.testing.assert_array_equal(x, A)


def test_several_results_go_to_several_arrays():
    def f(x, y):
        np.divmod(x, 3, out=(x, y))
        np.modf(x + 0.5, out=(y, None))
        return y

    assert_as_eager(f, A, np.zeros((3, 4)))


def test_singular_matrices_raise_also_where_nobody_reads():
    assert_as_eager(lambda x: (np.linalg.inv(x), x + 1)[1], np.eye(2))
    assert_as_eager(lambda x: (np.linalg.inv(x), x + 1)[1], np.zeros((2, 2)))


def test_wrong_indices_raise_also_where_nobody_reads():
    def f(x, i):
        x[i]
        y = x.copy()
        y.flat[i] = 3
        return x + 1

    assert_as_eager(f, np.arange(3.0), np.int64(2))
    assert_as_eager(f, np.arange(3.0), np.int64(3))


def test_views_that_nobody_holds_are_forgotten_when_their_array_is_written_into():
    counted = []

    def eager(x):
        y = x * 1
        for i in [*range(100)]:
            y[i : i + 2].sum()
        kept = y[:3]
        y[0] = 7
        counted.append(len(getattr(y, "_views", [kept])))
        return kept

    np.testing.assert_array_equal(tracefn.function(eager)(np.arange(200.0)), eager(np.arange(200.0)))
    assert counted == [1, 1]


def swapped_with_an_argument(x, n):
    new = x.copy()
    for _ in range(n):
        new[1:-1] = (x[:-2] + x[2:]) / 2
        x, new = new, x
    return x


def swapped_rows(x, n):
    u = np.array([x, x])
    old, new = u[0], u[1]
    for _ in range(n):
        new[1:-1] = (old[:-2] + old[2:]) / 2
        old, new = new, old
    return u


def swapped_and_both_written(x, n):
    y = x * 2
    for i in range(n):
        y[0] += i
        x, y = y, x
        x[1] -= 1
    return x, y


def swapped_over_an_array(x, n):
    new = x + 1
    for v in np.arange(n):
        new[:] = x * v
        new, x = x, new
    return new


@pytest.mark.parametrize(
    "program", [swapped_with_an_argument, swapped_rows, swapped_and_both_written, swapped_over_an_array]
)
def test_buffers_that_each_round_swaps(program):
    """Which of the arrays the argument is after the loop depends on the number of rounds."""
    traced = tracefn.function(program)
    for n in (0, 1, 2, 5, 40):
        mine, theirs = np.arange(6.0) ** 2, np.arange(6.0) ** 2
        got, wanted = traced(mine, np.int64(n)), program(theirs, n)
        np.testing.assert_equal(got, wanted)
        np.testing.assert_array_equal(mine, theirs)
        assert np.shares_memory(got[0], mine) is np.shares_memory(wanted[0], theirs)
        np.testing.assert_equal(tracefn.function(program)(theirs, n), program(mine, n))


def test_three_buffers_that_rotate_with_an_argument():
    def rotated(x, n):
        y, z = x * 2, x * 3
        for _ in range(n):
            z[:] = x + y
            x, y, z = y, z, x
        return x, y, z

    traced = tracefn.function(rotated)
    for n in range(7):
        mine, theirs = np.arange(3.0), np.arange(3.0)
        got, wanted = traced(mine, np.int64(n)), rotated(theirs, n)
        np.testing.assert_equal((got, mine), (wanted, theirs))
        assert [g is mine for g in got] == [w is theirs for w in wanted]


def test_a_length_that_grows_or_not():
    def grown_or_not(x, n):
        y = x
        for _ in range(n):
            y = np.append(y, 1.0)
        y[0] = 5.0
        return y

    for n in (0, 2):
        assert_as_eager(grown_or_not, np.ones(3), np.int64(n))


class Grid:
    def __init__(self):
        self.whole = np.arange(12.0).reshape(3, 4)
        self.row, self.column = self.whole[0], self.whole[:, 1]


def _a_view_and_then_its_base(m, n):
    m.row[1] += n
    m.whole[:, 1] += 1
    return m.whole.sum(), m.row.sum()


def _a_view_and_then_one_across(m, n):
    m.row *= 2
    m.column[:] = m.column[::-1].copy()
    return m.row.sum(), m.column.sum(), m.whole.sum()


def _a_view_and_its_base_in_a_loop(m, n):
    m.row[0] = 5
    for _ in range(n):
        m.whole[...] += 1
    return m.row.sum()


@pytest.mark.parametrize(
    "function, is_staged",
    [(_a_view_and_then_its_base, 1), (_a_view_and_then_one_across, 1), (_a_view_and_its_base_in_a_loop, 0)],
)
def test_a_base_that_is_met_after_writes_into_its_view(function, is_staged):
    mine, theirs, traced = Grid(), Grid(), tracefn.function(function, on_unsupported="eager")
    for n in (0, 1, 2):
        np.testing.assert_equal(traced(mine, np.int64(n)), function(theirs, np.int64(n)))
        np.testing.assert_array_equal(mine.whole, theirs.whole)
    assert traced.tracing_count == is_staged
