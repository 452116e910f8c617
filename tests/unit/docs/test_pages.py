"""The pages of docs/: made pages are current, links lead somewhere, every NumPy function has its place."""

from __future__ import annotations

import re
from pathlib import Path

import errors_page
import numpy as np
import numpy_page
import pytest
from numpy.testing import overrides

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_page_of_errors_is_current():
    assert errors_page.PAGE.read_text() == errors_page.page(), "run: python tools/errors_page.py"


def test_every_error_has_an_anchor_and_says_what_to_do():
    page = errors_page.PAGE.read_text()
    for cls in errors_page.error_classes():
        section = page.partition(f'<a id="{cls.__name__}"></a>')[2].partition("<a id=")[0]
        assert f"## {cls.__name__}" in section
        helps = "What to do" in section or "report it" in section
        assert helps or cls.__name__ in ("TracefnError", "InputSignatureError"), cls


def _numpy_of_page() -> str:
    found = re.search(r"for NumPy ([\d.]+\w*)", numpy_page.PAGE.read_text())
    assert found is not None
    return found[1]


def test_the_page_of_numpy_functions_is_current():
    if _numpy_of_page() != np.__version__:
        pytest.skip(f"docs/numpy.md is made for NumPy {_numpy_of_page()}, this is {np.__version__}")
    assert numpy_page.PAGE.read_text() == numpy_page.page(), "run: python tools/numpy_page.py"


def test_every_function_that_numpy_hands_over_has_its_place():
    known = overrides.get_overridable_numpy_array_functions() | overrides.get_overridable_numpy_ufuncs()
    placed = {id(function) for function in numpy_page.public_functions().values()}
    known = {
        f for f in known if not str(getattr(f, "__module__", "")).startswith("numpy.polynomial")
    }  # loaded late, or not at all
    private = {f.__name__ for f in known if id(f) not in placed and not f.__name__.startswith("_")}
    # NumPy keeps a second object for each maker with `like=`, and the ufuncs inside np.clip and np.strings.
    inside = {name.rpartition(".")[2] for name in numpy_page.public_functions()}
    assert private <= inside


def test_each_function_is_traced_or_refused_or_a_maker():
    traced, refused, makers = set(numpy_page.traced()), set(numpy_page.refused()), set(numpy_page.makers())
    assert traced | refused | makers == set(numpy_page.public_functions())
    assert not (traced & refused or traced & makers or refused & makers)
    assert {"np.tanh", "np.linalg.svd", "np.fft.fft", "np.strings.upper"} <= traced
    assert {"np.save", "np.array_str", "np.copyto"} <= traced
    assert {"np.zeros", "np.array", "np.asarray"} <= makers


def test_every_refusal_has_a_reason():
    assert [name for name, why in numpy_page.refused().items() if "docs/numpy.md" in why] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = page.read_text()
    for target in re.findall(r'\]\(([^)\s]+)\)|src="([^"]+)"', text):
        link = next(filter(None, target))
        if link.startswith(("http:", "https:")):
            continue
        path, _, anchor = link.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name} links to {link}"
        if anchor:
            assert anchor in _anchors(file.read_text()), f"{page.name} links to {link}"


@pytest.mark.parametrize("page", ["architecture.md", "decisions.md"])
def test_the_files_that_a_page_names_exist(page):
    named = re.findall(r"`([\w./]+\.py|[\w./]+/)`", (ROOT / "docs" / page).read_text())
    assert len(named) > 20
    folder = ""
    for name in named:
        # `resolve.py` after `trace/state/reads.py` is its neighbour.
        bases = [ROOT, ROOT / "kernel_side" / "tracefn", ROOT / "kernel_side" / "tracefn" / folder]
        assert any((base / name).exists() for base in bases), name
        folder = name.rpartition("/")[0] or folder


def _anchors(text: str) -> set[str]:
    """The anchors of a Markdown page: those of its headings, and those written out."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), flags=re.M)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))
