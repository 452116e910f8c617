"""Chains of random steps against the same chain on a plain list."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tracefn.data import Dataset
from tracefn.trace.tree import flatten, map_leaves, unflatten

from .reference import assert_same, fits

small = st.integers(0, 7)
steps = st.one_of(
    st.tuples(st.sampled_from(["take", "skip"]), st.integers(-1, 7)),
    st.tuples(st.just("repeat"), st.integers(0, 3)),
    st.tuples(st.sampled_from(["batch", "dropped", "padded_batch"]), st.integers(1, 4)),
    st.tuples(st.sampled_from(["itself", "enumerate", "zip", "cache", "prefetch", "shuffle_1"]), st.just(1)),
)


def stacked(elements):
    _, tree = flatten(elements[0])
    columns = zip(*[[leaf for _, leaf in flatten(e)[0]] for e in elements], strict=True)
    return unflatten(tree, [np.array(column) for column in columns])


def padded(elements):
    longest = [np.max([a.shape for a in c], axis=0) for c in zip(*[_leaves(e) for e in elements], strict=True)]
    sizes = iter(longest * len(elements))

    def pad(_, leaf):
        size = next(sizes)
        return np.pad(leaf, [(0, int(n) - m) for n, m in zip(size, leaf.shape, strict=True)]) if leaf.shape else leaf

    return stacked([map_leaves(pad, e) for e in elements])


def _leaves(element):
    return [leaf for _, leaf in flatten(element)[0]]


def uniform(elements):
    return len({tuple(a.shape for a in _leaves(e)) for e in elements}) <= 1


def apply(dataset, reference, name, n):
    """The step on both, or neither where it would be an error."""
    groups = [reference[i : i + n] for i in range(0, len(reference), n)] if n > 0 else []
    match name:
        case "take":
            return dataset.take(n), reference if n == -1 else reference[:n]
        case "skip":
            return dataset.skip(n), [] if n == -1 else reference[n:]
        case "repeat":
            return dataset.repeat(n), reference * n
        case "batch" if all(map(uniform, groups)):
            return dataset.batch(n), [stacked(g) for g in groups]
        case "dropped" if all(map(uniform, groups)):
            return dataset.batch(n, drop_remainder=True), [stacked(g) for g in groups if len(g) == n]
        case "padded_batch":
            return dataset.padded_batch(n), [padded(g) for g in groups]
        case "itself":
            return dataset.concatenate(dataset), reference + reference
        case "enumerate":
            return dataset.enumerate(), [(np.int64(i), e) for i, e in enumerate(reference)]
        case "zip":
            return Dataset.zip({"a": dataset, "b": dataset.skip(1)}), [
                {"a": a, "b": b} for a, b in zip(reference, reference[1:], strict=False)
            ]
        case "cache":
            return dataset.cache(), reference
        case "prefetch":
            return dataset.prefetch(n), reference
        case "shuffle_1":
            return dataset.shuffle(1), reference
    return dataset, reference


@st.composite
def sources(draw):
    n = draw(small)
    x, y = np.arange(n) * 10, np.arange(n * 2.0).reshape(n, 2)
    return draw(
        st.sampled_from(
            [
                (Dataset.range(n), [np.int64(i) for i in range(n)]),
                (Dataset.from_tensor_slices((x, y)), [(x[i], y[i]) for i in range(n)]),
                (Dataset.from_tensor_slices({"y": y}), [{"y": y[i]} for i in range(n)]),
            ]
        )
    )


@settings(max_examples=300, deadline=None)
@given(sources(), st.lists(steps, max_size=5))
def test_a_chain_of_steps(source, chain):
    dataset, reference = source
    for name, n in chain:
        if len(reference) < 200:
            dataset, reference = apply(dataset, reference, name, n)
    assert_same(list(dataset), reference)
    assert fits(dataset)
    assert_same(list(dataset), reference)  # a second time through it
