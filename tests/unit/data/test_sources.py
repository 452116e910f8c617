"""Ranges, slices of arrays and .npy files, generators: what comes, of which type, and what is refused."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn import TensorSpec
from tracefn.data import Dataset
from tracefn.errors import UnsupportedArgumentError

from .reference import assert_same, fits

Point = namedtuple("Point", "x y")


@dataclass
class Pair:
    left: Any
    right: Any


@pytest.mark.parametrize("arguments", [(5,), (2, 9), (9, 2, -3), (0,), (5, 1), (0, 10000, 3), (-4, 4)])
def test_range_is_that_of_python(arguments):
    dataset = Dataset.range(*arguments)
    assert_same(list(dataset), [np.int64(n) for n in range(*arguments)])
    assert len(dataset) == len(range(*arguments)) and fits(dataset)


def test_a_range_is_not_made_before_it_is_read():
    assert next(iter(Dataset.range(10**15))) == 0
    with pytest.raises(OverflowError, match="int64"):
        Dataset.range(2**70)


X = np.arange(12.0).reshape(4, 3)
Y = np.arange(4, dtype=np.int8)


@pytest.mark.parametrize(
    ("tensors", "expected"),
    [
        (Y, [*Y]),
        (X, [*X]),
        ((X, Y), [(X[i], Y[i]) for i in range(4)]),
        ({"x": X, "y": Y}, [{"x": X[i], "y": Y[i]} for i in range(4)]),
        ((X, {"y": Y, "z": (X, Y)}), [(X[i], {"y": Y[i], "z": (X[i], Y[i])}) for i in range(4)]),
        (Point(X, Y), [Point(X[i], Y[i]) for i in range(4)]),
        (Pair(X, Y), [Pair(X[i], Y[i]) for i in range(4)]),
        ([1, 2], [np.int64(1), np.int64(2)]),
        (([1, 2], [[3.5], [4.5]]), [(np.int64(1), np.array([3.5])), (np.int64(2), np.array([4.5]))]),
        (np.array(["a", "bcd"]), [np.str_("a"), np.str_("bcd")]),
        (np.array(["2024-01-01"], "M8[D]"), [np.datetime64("2024-01-01")]),
        (np.zeros((0, 2)), []),
    ],
    ids=repr,
)
def test_slices(tensors, expected):
    dataset = Dataset.from_tensor_slices(tensors)
    assert_same(list(dataset), expected)
    assert fits(dataset) and fits(dataset.batch(3)) and fits(dataset.batch(3, drop_remainder=True))


def test_slices_may_be_written_to():
    x = np.zeros((2, 3))
    dataset = Dataset.from_tensor_slices(x)
    for rows in (dataset, dataset.batch(2), dataset.cache(), dataset.cache().repeat(2), dataset.shuffle(2).repeat(2)):
        for row in rows:
            assert not row.any()
            row[...] = 1
    assert not x.any()


@pytest.mark.parametrize(
    ("tensors", "error", "says"),
    [
        ((), ValueError, "no array"),
        ({}, ValueError, "no array"),
        (np.float64(3), ValueError, "no axis"),
        ((X, Y[:2]), ValueError, r"tensors\[0\] has 4, tensors\[1\] has 2"),
        ([[1], [1, 2]], ValueError, "padded_batch"),
        (np.array([None]), UnsupportedArgumentError, "objects"),
        (np.ma.array([1]), UnsupportedArgumentError, "masked"),
        (np.zeros(2, [("a", int)]), UnsupportedArgumentError, "structured"),
    ],
)
def test_what_has_no_slices_is_refused(tensors, error, says):
    with pytest.raises(error, match=says):
        Dataset.from_tensor_slices(tensors)


@pytest.mark.parametrize("array", [X, np.asfortranarray(X), Y, np.zeros((0, 3)), np.zeros((3, 0)), X.astype(">f4")])
def test_npy(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    dataset = Dataset.from_npy(tmp_path / "a.npy")
    assert_same(list(dataset), [*array])
    assert fits(dataset)
    assert_same(list(dataset.batch(3)), [array[i : i + 3] for i in range(0, len(array), 3)])
    assert all(type(row) is not np.memmap and (array.ndim == 1 or row.flags.writeable) for row in dataset)
    mapped = Dataset.from_tensor_slices(np.load(tmp_path / "a.npy", mmap_mode="r"))
    assert_same(list(mapped), [*array])
    assert all(type(row) is not np.memmap for row in mapped)


def test_npy_across_blocks(tmp_path):
    array = np.arange(700_000).reshape(-1, 2)
    for order in (np.ascontiguousarray, np.asfortranarray):
        np.save(tmp_path / "a.npy", order(array))
        assert np.array_equal(np.array(list(Dataset.from_npy(tmp_path / "a.npy"))), array)


def test_what_is_no_npy_is_refused(tmp_path):
    (tmp_path / "text.npy").write_text("hello")
    np.savez(tmp_path / "many.npz", a=X)
    np.save(tmp_path / "zero.npy", np.float64(1))
    np.save(tmp_path / "objects.npy", np.array([None]), allow_pickle=True)
    np.save(tmp_path / "cut.npy", np.arange(100))
    (tmp_path / "cut.npy").write_bytes((tmp_path / "cut.npy").read_bytes()[:-8])
    (tmp_path / "empty.npy").touch()
    for name in ("text.npy", "many.npz", "zero.npy", "objects.npy", "cut.npy", "empty.npy"):
        with pytest.raises(ValueError, match=name):
            Dataset.from_npy(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        Dataset.from_npy(tmp_path / "none.npy")


STREAM = """
import resource, sys
import numpy as np
from tracefn.data import Dataset
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
total = sum(float(row[0]) for row in Dataset.from_npy(sys.argv[1]))
print(total, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def test_npy_is_streamed(tmp_path):
    array = np.ones((80_000, 100))
    np.save(tmp_path / "a.npy", array)
    done = subprocess.run(
        [sys.executable, "-c", STREAM, tmp_path / "a.npy"], capture_output=True, text=True, check=True
    )
    total, megabytes = map(float, done.stdout.split())
    assert total == 80_000
    assert megabytes < 0.25 * array.nbytes / 2**20


I8, F4 = TensorSpec((), np.int64), TensorSpec((None,), np.float32)


@pytest.mark.parametrize(
    ("values", "signature", "expected"),
    [
        ([1, np.int64(2), True], I8, [np.int64(1), np.int64(2), np.int64(1)]),
        ([(1, [1, 2]), (2, [])], (I8, F4), [(np.int64(1), np.array([1, 2], "f4")), (np.int64(2), np.zeros(0, "f4"))]),
        ([{"b": 2, "a": 1}], {"a": I8, "b": I8}, [{"a": np.int64(1), "b": np.int64(2)}]),
        ([Point(1, 2)], Point(I8, I8), [Point(np.int64(1), np.int64(2))]),
        (["ab", "c"], TensorSpec((), str), [np.str_("ab"), np.str_("c")]),
        ([np.array(3)], I8, [np.int64(3)]),
    ],
)
def test_generator(values, signature, expected):
    dataset = Dataset.from_generator(lambda: values, signature)
    assert_same(list(dataset), expected)
    assert_same(list(dataset), expected)
    assert dataset.cardinality() == -2


@pytest.mark.parametrize(
    ("value", "signature", "error", "says"),
    [
        (2.5, I8, TypeError, "element 1: element: 2.5"),
        (np.float32(2), I8, TypeError, "float32 where int64"),
        (300, TensorSpec((), np.uint8), TypeError, "300"),
        ("a", I8, TypeError, "element 1"),
        (None, I8, TypeError, "NoneType"),
        ((1,), I8, TypeError, "tuple"),
        (np.zeros((2, 2), "f4"), F4, ValueError, r"shape \(2, 2\)"),
        (np.zeros(3), TensorSpec((2,), np.float64), ValueError, r"shape \(3,\) where \(2,\)"),
    ],
)
def test_an_element_that_does_not_fit_is_named(value, signature, error, says):
    good = np.zeros([n or 0 for n in signature.shape], signature.dtype)
    iterator = iter(Dataset.from_generator(lambda: [good, value], signature))
    next(iterator)
    with pytest.raises(error, match=says):
        next(iterator)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ((1,), "2 parts"),
        ([1, 2], "a tuple is expected, not a list"),
        ((1, {"b": 1}), r"element\[1\]: the keys \['a'\]"),
        ((1, {"a": 0.5}), r"element\[1\]\['a'\]: 0.5"),
    ],
)
def test_a_structure_that_does_not_fit_is_named(value, says):
    with pytest.raises(TypeError, match=says):
        list(Dataset.from_generator(lambda: [value], (I8, {"a": I8})))


def test_a_generator_may_reuse_its_array():
    def generator():
        buffer = np.zeros(2)
        for n in range(3):
            buffer[:] = n
            yield buffer

    dataset = Dataset.from_generator(generator, TensorSpec((2,), np.float64))
    assert [row[0] for row in list(dataset)] == [0, 1, 2]


def test_a_signature_has_to_be_one():
    with pytest.raises(TypeError, match="TensorSpec"):
        Dataset.from_generator(lambda: [1], np.int64)
    with pytest.raises(TypeError, match="cannot be called"):
        Dataset.from_generator([1], I8)


def test_an_error_of_the_generator_comes_out():
    def generator():
        yield 1
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        list(Dataset.from_generator(generator, I8).batch(2))


def test_messages_name_public_methods() -> None:
    with pytest.raises(TypeError, match=r"^Dataset\.map\(\) got an unexpected"):
        Dataset.range(3).map(lambda x: x, threads=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^print\(\) got an unexpected"):
        tracefn.print(1, file=None)  # type: ignore[call-arg]


def test_the_end_of_a_dataset_is_met_by_a_try() -> None:
    numbers = iter(Dataset.range(3))

    @tracefn.function(on_unsupported="eager")
    def scaled(x: Any) -> Any:
        try:
            return x * next(numbers)
        except StopIteration:
            return None

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [scaled(np.int64(2)) for _ in range(4)] == [0, 2, 4, None]
    assert "generator raised" not in str(scaled.fallbacks)
