"""Every nesting of if, while and for to depth 3, with every choice of break, continue and return at each level."""

import itertools
import os

import numpy as np
import pytest
import tracefn
from trace_programs import compiled

JUMPS = ["", "break", "continue", "return a, b, 7"]
TESTS = ["a > b", "b % 3 == 1", "a + b > 4"]
INPUTS = ((0, 0), (3, 1), (6, 2), (1, 5))


def nestings():
    """(kinds from outside to inside, the jump of each level)"""
    for depth in (1, 2, 3):
        for kinds in itertools.product(("if", "while", "for"), repeat=depth):
            for jumps in itertools.product(JUMPS, repeat=depth):
                in_loop = [any(k != "if" for k in kinds[: level + 1]) for level in range(depth)]
                if all(inside or jump in ("", JUMPS[3]) for inside, jump in zip(in_loop, jumps, strict=True)):
                    yield kinds, jumps


def source(kinds, jumps):
    lines = ["def f(a, b):", "    c = a * 0"]
    for level, kind in enumerate(kinds):
        pad = "    " * (level + 1)
        lines += {
            "if": [f"{pad}if {TESTS[level]}:"],
            "while": [f"{pad}n{level} = c * 0", f"{pad}while n{level} < 3:", f"{pad}    n{level} = n{level} + 1"],
            "for": [f"{pad}for i{level} in range(b):"],
        }[kind]
        lines.append(f"{pad}    a = a + {level + 1}")
        if jumps[level]:
            lines += [f"{pad}    if {TESTS[(level + 1) % 3]}:", f"{pad}        {jumps[level]}"]
    for level in reversed(range(len(kinds))):
        lines.append("    " * (level + 2) + f"b, c = b - {level}, c + a")
    return "\n".join([*lines, "    return a, b, c", ""])


ALL = list(nestings())
EVERY = 1 if os.environ.get("TRACEFN_FUZZ") else 5
"""Of how many nestings of depth 3 one is tried: `make fuzz` tries all."""

SHALLOW = [nesting for nesting in ALL if len(nesting[0]) < 3]
TRIED = SHALLOW + [nesting for nesting in ALL if len(nesting[0]) == 3][::EVERY]
GROUPS = 4


def test_there_are_all():
    assert len(ALL) == len(set(ALL)) > 1500 and len(SHALLOW) > 100


def test_each_choice_is_tried_with_each():
    """Of what two levels are and do, all combinations are there."""
    pairs = {(i, j, k[i], k[j], m[i], m[j]) for k, m in ALL for i in range(len(k)) for j in range(i)}
    tried = {(i, j, k[i], k[j], m[i], m[j]) for k, m in TRIED for i in range(len(k)) for j in range(i)}
    assert tried == pairs


@pytest.mark.parametrize("group", range(GROUPS))
def test_staged_as_eager(group):
    for kinds, jumps in TRIED[group::GROUPS]:
        text = source(kinds, jumps)
        eager = compiled(text)
        f = tracefn.function(eager)
        for a, b in INPUTS:
            arguments = np.int64(a), np.int64(b)
            assert [int(v) for v in f(*arguments)] == [int(v) for v in eager(*arguments)], (text, a, b)
        assert f.tracing_count == 1, text
