"""The map of the package names every file, and what its folders import."""

from __future__ import annotations

import package_map


def test_folders_with_what_they_import_and_files_with_what_they_are(tmp_path):
    package = tmp_path / "package"
    inner = package / "inner"
    inner.mkdir(parents=True)
    (package / "__init__.py").write_text('"""The whole."""\n')
    (package / "part.py").write_text('"""A part."""\nfrom .inner import leaf\nfrom .inner.leaf import x\n')
    (inner / "__init__.py").write_text('"""Inside."""\n')
    (inner / "leaf.py").write_text('"""A leaf.\n\nMore of it."""\nimport os\nx = 1\n')
    assert list(package_map.lines(package)) == [
        "./  2 files, 4 lines: The whole.",
        "    imports inner",
        "    part.py                     3  A part.",
        "",
        "inner/  2 files, 6 lines: Inside.",
        "    leaf.py                     5  A leaf.",
        "",
    ]


def test_each_file_of_the_package_is_on_the_map():
    text = "\n".join(package_map.lines())
    assert all(f" {path.name} " in text for path in package_map.PACKAGE.rglob("*.py") if path.name != "__init__.py")
    assert "imports codegen/machine" in text
