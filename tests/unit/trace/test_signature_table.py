"""A table of signatures counts differences as the comparison in words does, also after signatures were removed."""

from __future__ import annotations

import sys

import numpy as np
import tracefn
from hypothesis import given
from hypothesis import strategies as st
from tracefn.trace.signature import CallSignature, SignatureTable, differences


class Thing:
    """Keyed by identity, and held strongly by its spec."""

    __slots__ = ()


THINGS = [Thing(), Thing()]
VARIABLES = [tracefn.Variable(np.zeros(2)), tracefn.Variable(np.zeros(2)), tracefn.Variable(np.zeros(3))]
ARRAYS = st.builds(
    np.zeros,
    st.lists(st.integers(0, 2), max_size=3).map(tuple),
    st.sampled_from([np.float64, np.float32]),
)
LEAVES = st.one_of(
    ARRAYS,
    ARRAYS,
    st.sampled_from([np.float64(1), 1, 2, True, 1.0, None, "a", *THINGS, *VARIABLES, np.random.default_rng(0)]),
    st.builds(
        tracefn.TensorSpec,
        st.lists(st.sampled_from([None, 1, 2]), max_size=3).map(tuple),
        st.sampled_from([np.float64, np.float32]),
    ),
)
CALLS = st.tuples(LEAVES, st.one_of(LEAVES, st.tuples(LEAVES, LEAVES)))


def signature(call):
    return CallSignature.of(dict(zip("xy", call, strict=True)))[0]


@given(st.lists(CALLS, min_size=1, max_size=12), CALLS, st.sets(st.integers(0, 11)))
def test_the_table_counts_as_the_words_do(earlier, call, removed) -> None:
    table, kept = SignatureTable(), {}
    for number, other in enumerate(earlier):
        kept[number] = signature(other)
        table.add(number, kept[number])
    for number in removed & kept.keys():
        table.remove(number, kept.pop(number))
    new = signature(call)
    expected = {}
    for number, old in kept.items():
        if old.trees == new.trees:
            causes = differences(old, new)
            expected[number] = (len({c.path for c in causes}), len(causes))
    traces, leaves, all_differences = (column.tolist() for column in table.counts(new))
    assert dict(zip(traces, zip(leaves, all_differences, strict=True), strict=True)) == expected
    assert table.accepting(new) == sorted((n for n, s in kept.items() if s.accepts(new)), reverse=True)


def test_a_table_holds_no_object_longer_than_its_signature() -> None:
    thing = Thing()
    before = sys.getrefcount(thing)
    table, held = SignatureTable(), signature((thing, 1))
    table.add(1, held)
    table.remove(1, held)
    del held
    assert sys.getrefcount(thing) == before
