"""A function that calls itself from several branches of traced values: its trace ends soon, and says why."""

import numpy as np
import pytest
import tracefn
from tracefn.trace import body


def best(board, depth, sign):
    score = int(np.sign(board.sum()))
    if depth == 0 or abs(board).min() > 0:
        return sign * score
    found = -2
    for move in np.flatnonzero(board == 0):
        board[move] = sign
        value = -best(board, depth - 1, -sign)
        board[move] = 0
        if value > found:
            found = value
        if found == 1:
            break
    return found


def test_a_recursion_into_several_branches_runs_eagerly_soon(monkeypatch):
    made, init = [], body.BodyTrace.__init__
    monkeypatch.setattr(body.BodyTrace, "__init__", lambda self, *args, **kw: made.append(1) or init(self, *args, **kw))
    monkeypatch.setattr(body, "DEEP", 6)
    monkeypatch.setattr(body, "MAX_DEEP", 20)
    f = tracefn.function(best, on_unsupported="eager")
    with pytest.warns(tracefn.errors.FallbackWarning, match="nested more than 6 deep 20 times"):
        assert f(np.array([1, -1, 0, 0, 0]), 9, 1) == best(np.array([1, -1, 0, 0, 0]), 9, 1)
    assert len(made) < 1000


class Bracket:
    """Narrows an interval as line searches do: each round branches on numbers that are None at first."""

    def __init__(self):
        self.low = self.high = None

    def step(self, x, slope):
        if self.low is None or slope < 0:
            self.low = x
        else:
            self.high = x
        if self.high is None:
            return x * 2
        return (self.low + self.high) / 2 if self.high - self.low > 1e-3 else None

    def run(self, x, slope):
        for _ in range(60):
            found = self.step(x, slope(x))
            if found is None or not np.isfinite(found):
                break
            x = found
        return x, self.low, self.high


@pytest.mark.parametrize("width", [None, 2])
def test_many_branches_on_numbers_are_not_unrolled_for_ever(monkeypatch, width):
    made, init = [], body.BodyTrace.__init__
    monkeypatch.setattr(body.BodyTrace, "__init__", lambda self, *args, **kw: made.append(1) or init(self, *args, **kw))
    monkeypatch.setattr(body, "MAX_OF_NUMBERS", 20)
    monkeypatch.setattr(body, "MAX_BODIES", 60)
    slope = (lambda x: x - 3.0) if width is None else (lambda x: float(np.sum(np.full(width, x - 3.0))))
    f = tracefn.function(Bracket.run, on_unsupported="eager")
    with pytest.warns(tracefn.errors.FallbackWarning, match="more than (20|60) bodies of branches"):
        assert f(Bracket(), np.float64(1.0), slope) == Bracket().run(np.float64(1.0), slope)
    assert len(made) < 200


def halvings(value, depth):
    """A plain number ends it, the second operand of the condition."""
    if value < 1 or depth > 4:
        return depth
    return halvings(value / 2, depth + 1)


def doublings(value, depth):
    if value < 100 and depth < 4 and value > -1:
        return doublings(value * 2, depth + 1)
    return depth


def test_a_recursion_that_a_python_value_ends_has_a_graph():
    for function in (halvings, doublings):
        traced = tracefn.function(lambda x, function=function: function(x.max(), 0), on_unsupported="error")
        for value in (100.0, 2.0, -3.0, 1e9):
            assert traced(np.array([value, -5.0])) == function(np.float64(value), 0)
        assert traced.tracing_count == 1
