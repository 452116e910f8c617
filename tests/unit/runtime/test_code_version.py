"""The version of the code on which all rests that is kept on disk."""

import os

import pytest
from tracefn.runtime.code_version import code_version, version_of


@pytest.fixture
def package(tmp_path):
    (tmp_path / "tracefn" / "ir").mkdir(parents=True)
    for name in ("__init__.py", "ir/graph.py"):
        (tmp_path / "tracefn" / name).write_text("")
    return tmp_path / "tracefn"


def record(package, text):
    folder = package.parent / "tracefn-1.0.dist-info"
    folder.mkdir(exist_ok=True)
    (folder / "RECORD").write_text(text)


def test_among_its_sources_a_file_that_is_written_is_another_version(package):
    before = version_of(str(package), "1.0")
    os.utime(package / "ir/graph.py", ns=(2**62, 2**62))
    assert version_of(str(package), "1.0") != before


def test_an_installed_package_has_the_version_of_its_record(package):
    record(package, "tracefn/__init__.py,sha256=a,0\ntracefn/ir/graph.py,sha256=b,0\n")
    before = version_of(str(package), "1.0")
    os.utime(package / "ir/graph.py", ns=(2**62, 2**62))
    assert version_of(str(package), "1.0") == before
    record(package, "tracefn/__init__.py,sha256=a,0\ntracefn/ir/graph.py,sha256=c,0\n")
    assert version_of(str(package), "1.0") != before
    assert version_of(str(package), "1.1") != before


def test_a_record_without_the_files_says_nothing(package):
    record(package, "_editable_impl_tracefn.pth,sha256=a,0\n")
    before = version_of(str(package), "1.0")
    os.utime(package / "ir/graph.py", ns=(2**62, 2**62))
    assert version_of(str(package), "1.0") != before


def test_this_package_has_one():
    assert code_version() == code_version() and "tracefn" in code_version()
