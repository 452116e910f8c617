"""Loops and comprehensions over lists from outside that grow: one trace for all lengths, where they hold numbers."""

import collections
import copy

import numpy as np
import pytest
import tracefn


class Player:
    score = 0

    def __repr__(self):
        return f"Player({self.score})"


class Log:
    def __init__(self):
        self.values, self.steps, self.rows = [1.0, 2.0], [1, 2], [(1, 2.0), (3, 0.5)]
        self.window = collections.deque([1.0], maxlen=4)
        self.count, self.counts = 0, [0, 0, 0]
        self.players = [Player(), Player()]

    def add(self, value):
        self.counts[int(value) % 3] += 1
        self.players[int(value) % 2].score += int(value)
        self.values.append(float(value))
        self.steps.append(int(value))
        self.rows.append((int(value), float(value)))
        self.window.append(float(value))


def squares(log):
    return [v * v for v in log.values], sum(v * v for v in log.values), [v for v in log.values if v > 1]


def in_a_statement(log):
    total = 0
    for value in log.steps:
        total += value % 3
    return total


def counted(log):
    for _ in log.values:
        log.count += 1
    return log.count


def first_above(log):
    for i, value in enumerate(log.values):
        if value > 2.5:
            return i
    return None


def until(log):
    total = 0.0
    for value in log.values:
        if total > 4:
            break
        total += value
    else:
        total = -1.0
    return total


def differences(log):
    far = sum(abs(b - a) for a, b in zip(log.values, log.values[1:], strict=False))
    return far, np.diff(log.values) / np.array(log.values[:-1])


def parts(log):
    return log.values[1:], log.values[::2], log.values[:-1], log.values[len(log.values) // 2 :]


def at_the_largest(log):
    return log.steps[int(np.argmax(log.values))]


def in_order(log):
    return sorted(log.values), list(log.steps), list(reversed(log.values))


def of_tuples(log):
    moment = 0.0
    for step, value in log.rows:
        moment += step * value
    return moment, [value for step, value in log.rows if step > 1], np.array(log.rows), max(log.rows), log.rows[1:]


def by_key(log):
    return sorted(log.rows, key=lambda row: -row[1]), sum(row[0] for row in log.rows)


def of_a_window(log):
    return [v + 1 for v in log.window], sum(v for v in log.window)


def nested(log):
    return [[a * b for b in log.values] for a in log.values[:2]]


def after_an_append(log):
    log.values.append(5.0)
    return [v * 2 for v in log.values]


def positions(log):
    return log.values.index(max(log.values)), 4 in log.steps, 2 in log.steps, (3, 2) in [(s, 2) for s in log.steps]


def of_other_numbers(log):
    """The list stays as long as it is."""
    return log.counts.index(max(log.counts)), 3 in log.counts, log.counts.count(1)


def of_objects(log):
    return max(player.score for player in log.players), [player.score % 2 for player in log.players]


def by_another_name(log):
    values = log.values
    last = values[-1]
    rows = same = log.rows
    return sum(values) / len(values), last, len(same), max(rows)


def replaced(log):
    log.values = [v for v in log.values if v > 0.3]
    return len(log.values)


ONE_FOR_ALL = [
    squares, in_a_statement, counted, first_above, until, differences, parts, at_the_largest, in_order, of_tuples,
    by_key, of_a_window, nested, after_an_append, positions, of_other_numbers, of_objects,
    by_another_name, replaced,
]  # fmt: skip


def removes_some(log):
    for value in log.values:
        if value < 0.3:
            log.values.remove(value)
    return len(log.values)


def removes_the_last(log):
    for value in log.values:
        if value > 3:
            log.values.pop()
    return len(log.values)


def halves_each(log):
    for i, value in enumerate(log.values):
        log.values[i] = value / 2


def adds_to_the_next(log):
    for i, value in enumerate(log.values):
        if i + 1 < len(log.values):
            log.values[i + 1] += value
    return log.values[-1]


def adds_up(log):
    for i in range(len(log.values) - 1):
        log.values[i + 1] = log.values[i] + log.values[i + 1]


def keeps_a_part(log):
    part = log.values[1:]
    part.append(3.0)
    log.values[-1] = 7.0
    return part


def of_the_same_object(log):
    return log.rows[0] is log.rows[0], [f"{v:.1f}" for v in log.values], {v for v in log.steps if v > 0}


def of_nothing_equal(log):
    """A list holds the NaN that is in it, though it is equal to nothing."""
    nan = float("nan")
    log.values.append(nan)
    return nan in log.values, log.values.index(nan), log.values.count(nan), "no" in log.steps, (1, 2.0) in log.rows


ALIKE = [
    removes_some, removes_the_last, halves_each, adds_to_the_next, adds_up, keeps_a_part, of_the_same_object,
    of_nothing_equal,
]  # fmt: skip


def same(traced, plain):
    mine, theirs = Log(), Log()
    for value in (3, -1, 0.25, 4, 2, 5):
        mine.add(value)
        theirs.add(value)
        got, wanted = traced(mine), plain(theirs)
        assert repr((got, vars(mine))) == repr((wanted, vars(theirs)))


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("function", ONE_FOR_ALL)
def test_one_trace_for_all_lengths(function, mode):
    with tracefn.config.jit(mode):
        traced = tracefn.function(function, on_unsupported="error")
        same(traced, function)
    assert traced.tracing_count <= 3  # the first, another one for a list that is another now, and one with a path


@pytest.mark.parametrize("function", ALIKE)
def test_a_list_that_the_loop_changes_too(function):
    same(tracefn.function(function), function)


def test_another_kind_of_numbers_is_another_trace():
    log, traced = Log(), tracefn.function(squares)
    for value in (3.0, 4.0, 1.5, True, 2**70, np.float64(2), "no"):
        log.values.append(value)
        plain = copy.deepcopy(log)
        try:
            wanted = repr(squares(plain))
        except TypeError as error:
            with pytest.raises(TypeError, match=str(error)[:20]):
                traced(log)
            continue
        assert repr(traced(log)) == wanted
