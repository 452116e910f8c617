"""Other tracers silently run effects once, or lose warnings. Here they are reported, or happen at each call."""

import datetime
import time
import warnings

import numpy as np
import pytest
import tracefn


def reported(f, *args, calls=2):
    with tracefn.events.record() as events:
        for _ in range(calls):
            f(*args)
    return [event.text for event in events if event.type == "side_effect"]


def test_a_print_that_happens_once_is_reported(capsys):
    @tracefn.function
    def f(x):
        print("tracing")
        return x

    texts = reported(f, np.ones(1))
    assert capsys.readouterr().out == "tracing\n"
    assert len(texts) == 1
    assert "print" in texts[0]


@pytest.mark.parametrize("read", [time.time, time.perf_counter, time.monotonic, datetime.datetime.now])
def test_a_clock_is_read_at_each_call(read):
    f = tracefn.function(lambda x: (x, read()))
    times = [f(np.ones(1))[1]]
    for _ in range(3):
        time.sleep(1e-4)
        times.append(f(np.ones(1))[1])
    assert times == sorted(set(times))
    assert type(times[-1]) is type(read())
    assert reported(f, np.ones(1)) == []


def test_the_day_is_read_at_each_call():
    f = tracefn.function(lambda x: (x, f"{datetime.date.today()}"))
    before = str(datetime.date.today())
    assert before <= f(np.ones(1))[1] <= f(np.ones(1))[1] <= str(datetime.date.today())
    assert reported(f, np.ones(1)) == []


def test_python_values_are_appended_at_each_call():
    log = []

    @tracefn.function
    def f(x):
        log.append("called")
        return x

    assert reported(f, np.ones(1)) == []
    assert log == ["called"] * 2


def test_traced_values_are_appended_at_each_call():
    log = []

    @tracefn.function
    def f(x):
        log.append(x * 2)
        return x

    f(np.ones(1))
    f(np.full(1, 3.0))
    assert [float(y[0]) for y in log] == [2, 6]


def test_a_list_made_inside_starts_empty_at_each_call():
    @tracefn.function
    def f(x):
        log = []
        log.append(x)
        return log

    assert [len(f(np.ones(1))) for _ in range(3)] == [1, 1, 1]


def test_errstate_inside_holds_at_each_call():
    def ignoring(x):
        with np.errstate(divide="ignore"):
            return 1 / x

    def raising(x):
        with np.errstate(divide="raise"):
            return 1 / x

    x = np.array([0.0, 1.0])
    f, g = tracefn.function(ignoring), tracefn.function(raising)
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(f(x), [np.inf, 1])
        with pytest.raises(FloatingPointError, match="divide by zero"):
            g(x)
    np.testing.assert_array_equal(g(np.ones(2)), [1, 1])


def test_an_error_that_errstate_asks_for_is_raised_also_where_nobody_reads_the_result():
    def eager(x):
        with np.errstate(divide="raise"):
            np.log(x)
        return x

    f = tracefn.function(eager)
    for function in (eager, f, f):
        np.testing.assert_array_equal(function(np.ones(2)), 1)
        with pytest.raises(FloatingPointError, match="divide by zero"):
            function(np.zeros(2))


def test_seterr_inside_holds_at_each_call_and_is_reported_where_it_stays():
    def restored(x):
        before = np.seterr(divide="ignore", invalid="ignore")
        y = x / 0
        np.seterr(**before)
        return y, 1 / x

    def stays(x):
        np.seterr("raise")
        return 1 / x

    for eager in (restored, stays):
        f = tracefn.function(eager)
        for around in ("warn", "ignore", "raise", "warn"):
            outcomes = []
            for function in (eager, f):
                with np.errstate(all=around), warnings.catch_warnings(record=True) as found:
                    warnings.simplefilter("always")
                    try:
                        result = function(np.array([1.0, 0.0]))
                    except FloatingPointError as error:
                        result = error
                    outcomes.append((repr(result), [str(w.message) for w in found]))
            assert outcomes[0] == outcomes[1]
    with np.errstate():
        assert reported(tracefn.function(restored), np.ones(1)) == []
        (text,) = reported(tracefn.function(stays), np.ones(1))
    assert "np.seterr" in text


def test_errstate_inside_holds_for_its_own_lines_alone():
    def eager(x, n):
        with np.errstate(all="ignore"):
            y = np.log(x)
            for i in range(n):
                y = y + 1 / (x - i)
            with np.errstate(divide="raise"):
                z = np.log(x + 1)
        return y, z, np.sqrt(x - 1)

    f, x = tracefn.function(eager), np.array([0.0, 3.0])
    for _ in range(2):
        for function in (eager, f):
            with pytest.warns(RuntimeWarning, match="invalid value encountered in sqrt") as found:
                function(x, np.int64(3))
            assert len(found) == 1
            with pytest.raises(FloatingPointError, match="divide by zero encountered in log"):
                function(x - 1, np.int64(0))


def test_errstate_inside_holds_also_where_it_was_so_around_the_first_call():
    @np.errstate(divide="ignore")
    def helper(x):
        return 1 / x

    def eager(x):
        with np.errstate(invalid="ignore"):
            return np.sqrt(x) + helper(x + 1)

    f, x = tracefn.function(eager), np.array([-1.0])
    with np.errstate(invalid="ignore"):
        f(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(f(x)).all()


def test_a_function_that_errstate_calls():
    kinds = []

    def note(kind, flag):
        kinds.append(kind)

    @tracefn.function
    def f(x):
        with np.errstate(divide="call", call=note):
            return 1 / x

    for _ in range(2):
        f(np.zeros(1))
    assert kinds == ["divide by zero"] * 2


def test_errstate_outside_holds_at_each_call():
    f = tracefn.function(lambda x: 1 / x)
    x = np.zeros(2)
    with np.errstate(divide="ignore"):
        f(x)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        f(x)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        f(x)


def warned(f, *args):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        f(*args)
    return [(w.category, str(w.message), w.filename, w.lineno) for w in found]


def several(x):
    y = np.log(x)
    z = np.sqrt(x) + y
    return x / x, z


def reduced(x):
    return np.nanmean(x[2:]) + np.nanmax(x[2:])


def casting(x):
    return x.astype(np.int8), (x * 1e300).astype(np.float32)


def scalars(x):
    return x[0] / 0, x[0] * 1j / 0


@pytest.mark.parametrize("eager", [several, reduced, casting, scalars], ids=lambda f: f.__name__)
def test_each_warning_of_numpy_comes_once_at_each_call_and_names_the_users_line(eager):
    x = np.array([-1.0, 0.0, np.nan])
    f = tracefn.function(eager)
    expected = warned(eager, x)
    assert expected
    ours = [(c, m, name, line) for c, m, name, line in expected if name == __file__]
    for _ in range(3):
        found = warned(f, x)
        assert [w[:2] for w in found] == [w[:2] for w in expected]
        assert [w for w in found if w[2] == __file__] == ours


def of_numbers(x):
    return x * np.log(0.0), np.float64(1.0) / np.float64(0.0)


def of_lists(x):
    return x * np.mean([]), np.polyfit([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], 2)[0] + x


class Scaled:
    factor = np.uint8(200)

    def by(self, x):
        return x * (self.factor + np.uint8(100))


@pytest.mark.parametrize("eager", [of_numbers, of_lists, Scaled().by], ids=["numbers", "lists", "attribute"])
def test_warnings_of_known_numbers_come_at_each_call(eager):
    f = tracefn.function(eager)
    expected = warned(eager, np.ones(2))
    assert expected
    for _ in range(3):
        assert [w[:3] for w in warned(f, np.ones(2))] == [w[:3] for w in expected]


def test_warnings_of_numbers_among_the_arguments_come_at_each_call():
    f = tracefn.function(np.log)
    g = tracefn.function(lambda a: np.log(a - 1.0) + 1.0)
    for _ in range(3):
        assert len(warned(f, 0.0)) == len(warned(g, 1.0)) == 1 and warned(g, 2.0) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="divide by zero encountered in log"):
            g(1.0)


def test_warnings_of_the_user_come_at_each_call():
    def eager(x):
        warnings.warn("careful", stacklevel=1)
        return x

    f = tracefn.function(eager)
    for _ in range(3):
        assert warned(f, np.ones(1)) == warned(eager, np.ones(1)) != []
    assert f.tracing_count == 1


def test_errstate_of_a_whole_function_wins_over_that_around_it():
    def eager(x):
        with np.errstate(divide="raise"):
            return 1 / x + 1

    f = tracefn.function(eager, jit="now")
    f(np.ones(3))
    for around in ("ignore", "warn"):
        with np.errstate(all=around), pytest.raises(FloatingPointError, match="divide by zero"):
            f(np.array([1.0, 0.0, 2.0]))


def _in_a_loop(x):
    numbers, total = iter(range(100)), 0.0
    while total < x.sum():
        total = total + next(numbers)
    return total


def _in_a_branch(x):
    numbers = iter([1.0, 2.0, 3.0])
    first = next(numbers) if x.sum() > 4 else 0.0
    return first, next(numbers)


def _by_a_generator(x):
    squares, found = (n * n for n in range(100)), x * 0
    for n in range(int(x.sum())):
        found = found + n * next(squares)
    return found


def _for_each_element(x):
    numbers = iter(range(100))
    return np.vectorize(lambda value: value + next(numbers), otypes=[float])(x)


@pytest.mark.parametrize("function", [_in_a_loop, _in_a_branch, _by_a_generator, _for_each_element])
def test_iterators_that_loops_and_branches_advance(function, falls_back):
    f = tracefn.function(function)
    for x in (np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 3.0]), np.array([1.0, 0.0, 2.0])):
        assert repr(f(x)) == repr(function(x))


def test_warnings_are_shown_as_before_once_a_trace_is_made():
    def fails(x):
        np.log(0.0)
        raise ValueError(x)

    before = warnings.showwarning, warnings._showwarnmsg_impl
    f = tracefn.function(lambda x: x * np.log(0.0))
    assert len(warned(f, np.ones(2))) == len(warned(f, np.ones(2))) == 1
    with pytest.raises(ValueError, match="1"), warnings.catch_warnings(action="ignore"):
        tracefn.function(fails)(np.ones(2))
    assert (warnings.showwarning, warnings._showwarnmsg_impl) == before
