"""CSV files: types, missing values, several files, streaming; and every fault with its file and line."""

from __future__ import annotations

import gzip
import subprocess
import sys

import numpy as np
import pytest
from tracefn.data import Dataset

from .reference import assert_same, fits


@pytest.fixture
def csv(tmp_path):
    def write(text, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def test_types_are_those_of_the_first_block(csv):
    path = csv("i,f,b,s,d,t\n1,0.5,true,ab,2024-01-02,2024-01-02 03:04:05\n-2,nan,false,,2024-01-03,2024-01-02\n")
    first, second = Dataset.from_csv(path)
    assert_same(
        first,
        {
            "i": np.int64(1),
            "f": np.float64(0.5),
            "b": np.True_,
            "s": np.str_("ab"),
            "d": np.datetime64("2024-01-02"),
            "t": np.datetime64("2024-01-02T03:04:05"),
        },
    )
    assert np.isnan(second["f"]) and second["s"] == "" and second["i"] == -2
    assert fits(Dataset.from_csv(path)) and fits(Dataset.from_csv(path).batch(2))


def test_columns_and_dtypes(csv):
    path = csv("a,b,c\n1,2,3\n4,5,6\n")
    dataset = Dataset.from_csv(path, columns=["c", "a"], dtypes={"a": np.float32, "c": str})
    assert_same(list(dataset), [{"c": np.str_("3"), "a": np.float32(1)}, {"c": np.str_("6"), "a": np.float32(4)}])
    assert list(dataset.element_spec) == ["c", "a"] and fits(dataset)


def test_names_delimiter_quotes_and_compression(csv):
    text = '1;"x;""y""\nz"\n2;w\n'
    expected = [{"n": np.int64(1), "s": np.str_('x;"y"\nz')}, {"n": np.int64(2), "s": np.str_("w")}]
    for path in (csv(text), csv(gzip.compress(text.encode()), "data.csv.gz")):
        assert_same(list(Dataset.from_csv(path, column_names=["n", "s"], delimiter=";")), expected)


def test_several_files(csv):
    paths = [csv("a,b\n1,2\n", "1.csv"), csv("a,b\n3,4\n", "2.csv")]
    assert [row["b"] for row in Dataset.from_csv(paths)] == [2, 4]
    assert [row["b"] for row in Dataset.from_csv(paths).shuffle(2).repeat(2)].count(4) == 2
    other = csv("a,b,c\n3,4,5\n", "3.csv")
    with pytest.raises(ValueError, match=r"3\.csv has the columns"):
        list(Dataset.from_csv([*paths, other]))
    assert len(list(Dataset.from_csv([*paths, other], columns=["a"]))) == 3
    with pytest.raises(ValueError, match=r"4\.csv"):
        list(Dataset.from_csv([*paths, csv("a\n1\n", "4.csv")], columns=["b"]))


MANY = "".join(f"{i},{i}\n" for i in range(3000))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n3\n", "line 3: Expected 2 columns, got 1"),
        ("a,b\n1,2\n3,4,5\n", "line 3: Expected 2 columns, got 3"),
        ("a,b\n1,2\n\n\n3,4,5\n", "line 5"),
        ("a,b\n" + MANY + "x,2\n", "line 3002: column 'a': int64: invalid value 'x'"),
        ("a,b\n" + MANY + "1,2.5\n", "line 3002: column 'b': int64: invalid value '2.5'"),
        ("a,b\n" + MANY + "1\n", "line 3002: Expected"),
        ("a,b\n" + MANY + ",2\n", "line 3002: column 'a' has no value"),
        ("a,b\n" + MANY + "\n\n1,NA\n", "line 3004: column 'b' has no value"),
        ('a,b\n1,"x\n\ny"\n' + "2,z\n" * 5000 + "w,z\n", "line 5005: column 'a': int64: invalid value 'w'"),
        ("a\n1\n\n3\n", "line 3: column 'a' has no value"),
        ('a,b\n1,x\n2,"y\n3,z\n4,w\n', "line 3: a quotation in this row does not end"),
        ('a,b\n1,x\n2,"y\n' + MANY, "line 3: a quotation in this row does not end"),
    ],
    ids=lambda text: text[-12:],
)
def test_a_fault_is_named_with_its_line(csv, text, says):
    path = csv(text)
    with pytest.raises(ValueError) as info:
        list(Dataset.from_csv(path, block_size=2000))
    assert f"{path}, {says}" in str(info.value)


def test_a_quotation_mark_inside_a_text_is_part_of_it(csv):
    rows = list(Dataset.from_csv(csv('a,b\n5" pipe,1\n"",2\n')))
    assert_same([row["a"] for row in rows], [np.str_('5" pipe'), np.str_("")])


def test_a_fault_in_a_later_file_is_named_with_that_file(csv):
    paths = [csv("1,2\n", "1.csv"), csv("3,4\nx,5\n", "2.csv")]
    with pytest.raises(ValueError, match=r"2\.csv, line 2: column 'a'"):
        list(Dataset.from_csv(paths, column_names=["a", "b"]))


def test_a_value_out_of_range_is_a_fault(csv):
    with pytest.raises(ValueError, match="line 3: column 'a': uint8: invalid value '300'"):
        list(Dataset.from_csv(csv("a,b\n1,2\n300,5\n"), dtypes={"a": np.uint8}))


def test_fill(csv):
    path = csv("a,b,c\n1,,x\n,0.5,NA\n")
    found = list(Dataset.from_csv(path, fill={"a": -1, "b": 9}))
    assert_same(found[0], {"a": np.int64(1), "b": np.float64(9), "c": np.str_("x")})
    assert_same(found[1], {"a": np.int64(-1), "b": np.float64(0.5), "c": np.str_("NA")})
    with pytest.raises(TypeError, match="0.5"):
        Dataset.from_csv(path, fill={"a": 0.5})
    with pytest.raises(ValueError, match="'z'"):
        Dataset.from_csv(path, fill={"z": 0.5})


@pytest.mark.parametrize(
    ("text", "arguments", "error", "says"),
    [
        ("", {}, ValueError, "Empty"),
        ("a,b\n", {}, TypeError, "'a' has no value to tell its type from"),
        ("a,b\n1,\n", {}, TypeError, "column 'b' has no value"),
        ("a,a\n1,2\n", {}, ValueError, "'a' twice"),
        ("a,b\n1,2\n", {"columns": ["z"]}, ValueError, "no column 'z'"),
        ("a,b\n1,2\n", {"columns": ["a", "a"]}, ValueError, "'a' twice"),
        ("a,b\n1,2\n", {"dtypes": {"z": int}}, ValueError, "'z'"),
        ("a,b\n1,2\n", {"dtypes": {"a": complex}}, TypeError, "complex128"),
        ("a,b\n1," + "x" * 3000 + "\n1,2\n", {"block_size": 1000}, ValueError, "raise block_size"),
        (b"a,b\n1,\xff\xfe\n", {}, TypeError, "binary"),
        ("a,b\n1,2\n", {"block_size": 0}, ValueError, "block_size is 0"),
    ],
)
def test_what_cannot_be_read_is_refused(csv, text, arguments, error, says):
    with pytest.raises(error, match=says):
        list(Dataset.from_csv(csv(text), **arguments))


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="none"):
        Dataset.from_csv(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="no file"):
        Dataset.from_csv([])


def test_only_a_header_with_types_is_an_empty_dataset(csv):
    dataset = Dataset.from_csv(csv("a,b\n"), dtypes={"a": int, "b": float})
    assert list(dataset) == [] and dataset.element_spec["b"].dtype == float


STREAM = """
import resource, sys
from tracefn.data import Dataset
next(iter(Dataset.from_csv(sys.argv[1])))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
total = sum(int(row["a"]) for row in Dataset.from_csv(sys.argv[1]))
print(total, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def test_a_file_is_streamed(csv):
    path = csv("a,b\n" + f"1,{'x' * 100}\n" * 600_000)
    done = subprocess.run([sys.executable, "-c", STREAM, path], capture_output=True, text=True, check=True)
    total, megabytes = map(float, done.stdout.split())
    assert total == 600_000
    assert megabytes < 0.5 * path.stat().st_size / 2**20


def test_without_pyarrow_the_message_says_what_to_install(monkeypatch, csv):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r"tracefn\[data\]"):
        Dataset.from_csv(csv("a\n1\n"))
