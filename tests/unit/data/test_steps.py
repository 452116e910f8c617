"""Each step against plain Python: elements, spec, cardinality; and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tracefn import TensorSpec
from tracefn.data import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset

from .reference import assert_same, fits


def numbers(*values):
    return [np.int64(v) for v in values]


def test_take_and_skip():
    five = Dataset.range(5)
    for n in range(8):
        assert_same(list(five.take(n)), numbers(*range(5))[:n])
        assert fits(five.take(n))
        assert_same(list(five.skip(n)), numbers(*range(5))[n:])
        assert fits(five.skip(n))
    assert len(five.take(-1)) == 5 and list(five.skip(-1)) == []
    with pytest.raises(ValueError, match="take: count is -2"):
        five.take(-2)


def test_repeat():
    two = Dataset.range(2)
    assert_same(list(two.repeat(3)), numbers(0, 1, 0, 1, 0, 1))
    assert fits(two.repeat(3))
    assert list(two.repeat(0)) == [] and len(two.repeat(0)) == 0
    assert_same(list(two.repeat().take(5)), numbers(0, 1, 0, 1, 0))
    assert two.repeat(-1).cardinality() == INFINITE_CARDINALITY
    assert list(Dataset.range(0).repeat()) == []
    assert list(Dataset.range(3).filter(lambda n: n > 5).repeat()) == []


def test_concatenate():
    both = Dataset.range(2).concatenate(Dataset.range(5, 6))
    assert_same(list(both), numbers(0, 1, 5))
    assert fits(both)
    rows = Dataset.from_tensor_slices(np.ones((2, 3))).concatenate(Dataset.from_tensor_slices(np.ones((1, 4))))
    assert rows.element_spec == TensorSpec((None,), np.float64) and fits(rows)
    assert Dataset.range(2).repeat().concatenate(both).cardinality() == INFINITE_CARDINALITY


@pytest.mark.parametrize("other", [np.ones(2), np.ones((2, 1), int), (np.arange(2), np.arange(2))], ids=str)
def test_concatenate_refuses_other_elements(other):
    with pytest.raises(TypeError, match="concatenate"):
        Dataset.range(2).concatenate(Dataset.from_tensor_slices(other))
    with pytest.raises(TypeError, match="no Dataset"):
        Dataset.range(2).concatenate(other)


def test_zip():
    x, y = Dataset.range(5), Dataset.range(10, 13)
    expected = [(np.int64(i), np.int64(10 + i)) for i in range(3)]
    for zipped in (Dataset.zip(x, y), Dataset.zip((x, y)), Dataset.zip(x.repeat(), y)):
        assert_same(list(zipped), expected)
        assert fits(zipped)
        for size in (1, 2, 3, 4):
            assert_same(list(zipped.batch(size)), list(zipped.cache().batch(size)))
    assert_same(next(iter(Dataset.zip({"a": x, "b": (x, y)}))), {"a": expected[0][0], "b": expected[0]})
    assert_same(list(Dataset.zip(y)), numbers(10, 11, 12))
    assert Dataset.zip(x, y.filter(lambda n: n > 0)).cardinality() == UNKNOWN_CARDINALITY
    with pytest.raises(ValueError, match="no dataset"):
        Dataset.zip()
    with pytest.raises(TypeError, match="3 is no Dataset"):
        Dataset.zip(x, 3)


def test_zip_does_not_look_beyond_the_shortest():
    uneven = Dataset.range(4).batch(3)
    assert_same(list(Dataset.zip(uneven, Dataset.range(1)).batch(2)), [(np.array([[0, 1, 2]]), np.array([0]))])


def test_enumerate():
    x = np.array([0.5, 1.5])
    found = Dataset.from_tensor_slices(x).enumerate(3)
    assert_same(list(found), [(np.int64(3), x[0]), (np.int64(4), x[1])])
    assert fits(found)
    assert_same(list(found.batch(2)), [(np.array([3, 4]), x)])


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 6, 7])
def test_batch(size, drop):
    x, y = np.arange(12.0).reshape(6, 2), np.arange(6)
    slices = Dataset.from_tensor_slices({"x": x, "y": y})
    starts = [i for i in range(0, 6, size) if not drop or i + size <= 6]
    expected = [{"x": x[i : i + size], "y": y[i : i + size]} for i in starts]
    for dataset in (slices, slices.prefetch(2), slices.skip(0), slices.take(6)):
        batches = dataset.batch(size, drop_remainder=drop)
        assert_same(list(batches), expected)
        assert fits(batches)
        assert batches.element_spec["y"].shape == ((size,) if drop or 6 % size == 0 else (None,))


def test_batches_of_batches_and_of_0d_arrays():
    nested = Dataset.range(6).batch(2).batch(3)
    assert_same(list(nested), [np.arange(6).reshape(3, 2)])
    assert nested.element_spec.shape == (3, 2)
    with pytest.raises(ValueError, match="padded_batch"):
        list(Dataset.range(5).batch(2).batch(3))
    scalars = Dataset.range(2).map(lambda n: np.full((), n))
    assert fits(scalars)
    assert_same(list(scalars.batch(2)), [np.arange(2)])


def test_batch_names_shapes_that_differ():
    rows = Dataset.range(1, 4).map(lambda n: {"row": np.arange(n), "n": n})
    with pytest.raises(ValueError, match=r"element\['row'\] has shape \(1,\) in element 0 and \(2,\) in element 1"):
        list(rows.batch(3))


@pytest.mark.parametrize("size", [0, -1])
def test_sizes_are_positive(size):
    for step in ("batch", "padded_batch", "shuffle", "prefetch"):
        with pytest.raises(ValueError, match=rf"{step}: \w+ is {size}"):
            getattr(Dataset.range(3), step)(size)
    with pytest.raises(TypeError, match="2.5, which is no integer"):
        Dataset.range(3).batch(2.5)


def ragged():
    return Dataset.range(1, 4).map(lambda n: (np.arange(n), n))


def test_padded_batch():
    n = np.arange(1, 4)
    expected = (np.array([[0, 0, 0], [0, 1, 0], [0, 1, 2]]), n)
    assert_same(list(ragged().padded_batch(3)), [expected])
    assert_same(list(ragged().padded_batch(3, ((None,), ()))), [expected])
    assert_same(list(ragged().padded_batch(3, ([-1], []))), [expected])
    longer = list(ragged().padded_batch(2, ((4,), ()), (-1, None)))
    assert_same(longer[0], (np.array([[0, -1, -1, -1], [0, 1, -1, -1]]), n[:2]))
    assert_same(longer[1], (np.array([[0, 1, 2, -1]]), n[2:]))
    assert len(list(ragged().padded_batch(2, drop_remainder=True))) == 1
    batches = ragged().padded_batch(2, ((4,), ()))
    assert batches.element_spec[0].shape == (None, 4) and fits(batches) and fits(ragged().padded_batch(3))


def test_padded_batch_of_texts():
    rows = Dataset.from_generator(lambda: [["a"], ["bcd", "e"]], TensorSpec((None,), str))
    assert_same(list(rows.padded_batch(2, padding_values="--")), [np.array([["a", "--"], ["bcd", "e"]])])


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"padded_shapes": ((2,), ())}, ValueError, r"shape \(3,\) in element 2"),
        ({"padded_shapes": (2,)}, TypeError, "padded_shapes"),
        ({"padded_shapes": ((2, 2), ())}, ValueError, r"element\[0\]"),
        ({"padded_shapes": (("a",), ())}, TypeError, "padded_shapes"),
        ({"padding_values": 0.5}, TypeError, "0.5"),
        ({"padding_values": (np.float32(0), 0)}, TypeError, "float32"),
    ],
)
def test_padding_that_does_not_fit_is_refused(arguments, error, says):
    with pytest.raises(error, match=says):
        list(ragged().padded_batch(3, **arguments))


def test_shuffle_is_a_permutation_near_the_buffer():
    for size in (1, 2, 10, 100, 1000):
        found = [int(n) for n in Dataset.range(100).shuffle(size, seed=1)]
        assert sorted(found) == list(range(100))
        assert all(n < place + size for place, n in enumerate(found))
        assert (found == list(range(100))) == (size == 1)


def test_shuffle_follows_seed_and_pass():
    first, again = (Dataset.range(50).shuffle(50, seed=3) for _ in range(2))
    passes = [list(first) for _ in range(3)]
    assert passes == [list(again) for _ in range(3)]
    assert passes[0] != passes[1] != passes[2]
    assert list(Dataset.range(50).shuffle(50, seed=4)) != passes[0]
    same_order = Dataset.range(50).shuffle(50, reshuffle_each_iteration=False)
    assert list(same_order) == list(same_order)
    assert list(Dataset.range(50).shuffle(50)) != list(Dataset.range(50).shuffle(50))
    twice = list(Dataset.range(50).shuffle(50, seed=3).repeat(2))
    assert twice == passes[0] + passes[1]
    with pytest.raises(ValueError, match="seed"):
        Dataset.range(3).shuffle(3, seed=-1)


def test_every_place_is_equally_likely():
    counts = np.zeros((4, 4))
    for seed in range(2000):
        counts[np.arange(4), list(Dataset.range(4).shuffle(4, seed=seed))] += 1
    assert np.all(np.abs(counts - 500) < 5 * np.sqrt(500))


def test_cache_keeps_only_whole_passes():
    passes = []

    def generator():
        passes.append(1)
        yield from range(3)

    cached = Dataset.from_generator(generator, TensorSpec((), np.int64)).cache()
    assert_same(list(itertools.islice(cached, 2)), numbers(0, 1))
    assert_same(list(cached), numbers(0, 1, 2))
    assert len(passes) == 2
    assert_same(list(cached), numbers(0, 1, 2))
    assert_same(list(cached.repeat(2)), numbers(0, 1, 2, 0, 1, 2))
    assert len(passes) == 2


def test_cache_with_two_iterators_at_once():
    cached = Dataset.range(3).cache()
    assert_same(list(zip(cached, cached, strict=True)), [(n, n) for n in numbers(0, 1, 2)])


def test_iterators_do_not_know_of_each_other():
    dataset = Dataset.range(6).map(lambda n: n * 2).batch(2)
    first, second = iter(dataset), iter(dataset)
    assert_same([next(first), next(first), next(second)], [np.array([0, 2]), np.array([4, 6]), np.array([0, 2])])


def test_length():
    assert len(Dataset.range(3)) == 3 and bool(Dataset.range(0))
    with pytest.raises(TypeError, match="infinite"):
        len(Dataset.range(3).repeat())
    with pytest.raises(TypeError, match="not known"):
        len(Dataset.range(3).filter(lambda n: n > 0))


def test_repr_shows_the_chain():
    dataset = Dataset.zip(Dataset.range(1, 9), Dataset.range(3).repeat()).shuffle(4).batch(2, drop_remainder=True)
    assert repr(dataset) == (
        "<Dataset batch(2, drop_remainder=True) of shuffle(4) of zip of (range(1, 9), repeat() of range(3)): "
        "(TensorSpec(shape=(2,), dtype=int64), TensorSpec(shape=(2,), dtype=int64))>"
    )
