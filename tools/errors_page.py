"""Writes docs/errors.md from the docstrings of tracefn's errors: `python tools/errors_page.py`."""

from __future__ import annotations

import inspect
from pathlib import Path

from tracefn import errors

PAGE = Path(__file__).resolve().parents[1] / "docs" / "errors.md"

HEAD = """\
# Errors

Every message says what happened, where (file or cell, and line), and what to do. This page says the same at more
length: it is made from the docstrings of `tracefn.errors` by `tools/errors_page.py`. All classes are in
`tracefn.errors`, and `except tracefn.TracefnError` catches them all.
"""


def error_classes() -> list[type[Exception]]:
    """The errors in the order of `errors.__all__`, the base class first."""
    return [c for name in errors.__all__ if isinstance(c := getattr(errors, name), type)]


def page() -> str:
    """The whole page."""
    classes = error_classes()
    contents = "\n".join(f"- [{c.__name__}](#{c.__name__})" for c in classes)
    return "\n".join([HEAD, contents, "", *map(_section, classes)])


def _section(cls: type[Exception]) -> str:
    """One class: an anchor with its very name, its base classes, and its docstring."""
    also = [f"`{base.__name__}`" for base in cls.__mro__[1:] if base not in (Exception, BaseException, object)]
    caught = f"Also a {', a '.join(also)}.\n\n" if also else ""
    return f'<a id="{cls.__name__}"></a>\n\n## {cls.__name__}\n\n{caught}{_with_fences(inspect.getdoc(cls) or "")}\n'


def _with_fences(text: str) -> str:
    """The text with its examples, which are paragraphs that begin with `>>>`, marked as Python."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(f"```python\n{p}\n\n```" if p.startswith(">>>") else p for p in paragraphs)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
