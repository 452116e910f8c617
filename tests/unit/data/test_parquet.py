"""Parquet files: columns, types, several files, missing values, streaming."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from tracefn.data import Dataset

from .reference import assert_same, fits


@pytest.fixture
def parquet(tmp_path):
    def write(columns, name="data.parquet", **options):
        pa.parquet.write_table(pa.table(columns), tmp_path / name, **options)
        return tmp_path / name

    return write


def test_rows(parquet):
    path = parquet({"n": pa.array([1, 2], "int16"), "s": ["a", "bc"], "c": pa.array(["x", "x"]).dictionary_encode()})
    dataset = Dataset.from_parquet(path)
    texts = {"s": np.str_("a"), "c": np.str_("x")}
    assert_same(next(iter(dataset)), {"n": np.int16(1), **texts})
    assert fits(dataset)
    assert len(dataset) == 2
    assert_same(list(Dataset.from_parquet(path, columns=["s"])), [{"s": np.str_("a")}, {"s": np.str_("bc")}])


def test_several_files_across_row_groups(parquet):
    paths = [parquet({"n": np.arange(50_000)}, "1.parquet", row_group_size=7000), parquet({"n": [-1]}, "2.parquet")]
    dataset = Dataset.from_parquet(paths)
    assert len(dataset) == 50_001
    assert [int(row["n"]) for row in dataset] == [*range(50_000), -1]
    with pytest.raises(TypeError, match=r"3\.parquet"):
        Dataset.from_parquet([*paths, parquet({"n": [0.5]}, "3.parquet")])


def test_missing_values(parquet):
    path = parquet({"n": [*range(20_000), None]})
    with pytest.raises(ValueError, match=r"row 20001: column 'n' has no value"):
        list(Dataset.from_parquet(path))
    assert list(Dataset.from_parquet(path, fill={"n": 7}))[-1]["n"] == 7
    texts = parquet({"s": pa.array(["x", None]).dictionary_encode()})
    assert list(Dataset.from_parquet(texts, fill={"s": "?"}))[1]["s"] == "?"


def test_what_cannot_be_read_is_refused(parquet, tmp_path):
    path = parquet({"n": [1], "l": [[1, 2]]})
    with pytest.raises(TypeError, match="column 'l' has the type list"):
        Dataset.from_parquet(path)
    with pytest.raises(ValueError, match="no column 'z'"):
        Dataset.from_parquet(path, columns=["z"])
    (tmp_path / "text").write_text("hello, this is no Parquet file")
    with pytest.raises(ValueError, match="cannot read"):
        Dataset.from_parquet(tmp_path / "text")
    with pytest.raises(FileNotFoundError):
        Dataset.from_parquet(tmp_path / "none")


STREAM = """
import resource, sys
from tracefn.data import Dataset
next(iter(Dataset.from_parquet(sys.argv[1])))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
total = sum(float(row["x"]) > 2 for row in Dataset.from_parquet(sys.argv[1]))
print(total, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def test_a_file_is_streamed(parquet):
    x = np.random.default_rng(0).random(4_000_000)
    path = parquet({"x": x}, row_group_size=len(x), use_dictionary=False, compression="none")
    done = subprocess.run([sys.executable, "-c", STREAM, path], capture_output=True, text=True, check=True)
    total, megabytes = map(float, done.stdout.split())
    assert total == 0 and megabytes < 0.5 * x.nbytes / 2**20
