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
