"""Writes docs/numpy.md, which NumPy functions are traced, from the engine: `python tools/numpy_page.py`."""

from __future__ import annotations

import functools
import inspect
import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tracefn
import tracefn.trace.numpy_api.structures  # imported when a function of numpy.lib.recfunctions is called
from numpy.lib import recfunctions
from numpy.testing import overrides
from tracefn.ir.op import by_call
from tracefn.ops.write import WRITING
from tracefn.trace.numpy_api.composed import COMPOSED
from tracefn.trace.tensor_parts.suggestions import INSTEAD

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "numpy.md"
COUNTS = ROOT / "tests" / "conformance" / "numpy_suite" / "counts.json"

NAMESPACES = {
    "np": np,
    "np.linalg": np.linalg,
    "np.fft": np.fft,
    "np.strings": np.strings,
    "np.char": np.char,
    "np.emath": np.emath,
    "np.lib.stride_tricks": np.lib.stride_tricks,
    "np.lib.recfunctions": recfunctions,
}

HEAD = """\
# Which NumPy functions are traced

Made by `tools/numpy_page.py` for NumPy {version}: all {count} public functions that arrays can take over (those of
`numpy.testing.overrides`, and `np.strings`), aliases included.

Results have NumPy's own dtypes, shapes and values: every traced function is tested against eager NumPy on sample inputs
and on inputs that are errors. A way of calling a function that cannot be traced raises
[UnsupportedFunctionError](errors.md#UnsupportedFunctionError), which names the call and its line.

- Besides functions, Python's operators on arrays and the methods of `np.ndarray` that give a new array are traced
  (`x @ w`, `x.mean(axis=0)`, `x.astype(np.float32)`), with reading by slices, integers, masks and index arrays.
- Writes in place are traced: `x[...] = v`, `x += v`, `out=`, `np.copyto`, `x.sort()`, `np.add.at`, also through
  views and into arguments.
- A ufunc's methods `reduce`, `accumulate`, `reduceat`, `outer` and `at` are traced.
- Functions of yours that `np.apply_along_axis`, `np.apply_over_axes`, `np.piecewise`, `np.vectorize` (with a signature,
  too) and `np.frompyfunc` (of whose Python objects arrays are made by `.astype`) call become loops and branches.
- A function's `np.errstate` holds for its lines at each call, and NumPy's warnings name your line.
- Structured arrays are traced: their fields, which may be written to, their elements, and functions that give them.
- Python's `math`, `round`, `abs`, `divmod`, `int` and `float` of traced numbers are traced, and give Python's numbers.
- Functions that take no array (`np.broadcast_shapes`, `np.tril_indices(3)`) run while tracing, as in any Python code.
- `np.random` and generators draw at each call: see [Random numbers](guide.md#random-numbers).
"""

#: Why, where the engine itself says no more than that it is so.
REASONS = {
    "np.may_share_memory": "Which memory a value has is not known while tracing.",
    "np.shares_memory": "Which memory a value has is not known while tracing.",
    "np.lib.recfunctions.find_duplicates": "It takes masked arrays, which are not traced: use np.unique of the key.",
    "np.lib.recfunctions.*": "It gives a record array, a subclass: call it without `rec_`, with `usemask=False`.",
}


@functools.cache
def public_functions() -> dict[str, Callable[..., Any]]:
    """Name → function, for everything public that arrays can take over; each under one namespace alone."""
    known = overrides.get_overridable_numpy_array_functions() | overrides.get_overridable_numpy_ufuncs()
    found: dict[str, Callable[..., Any]] = {}
    for prefix, namespace in NAMESPACES.items():
        elsewhere = set(found.values())
        for name, value in sorted(vars(namespace).items()):
            if name.startswith("_") or not callable(value) or value in elsewhere:
                continue
            # Those of np.strings that arrays cannot take over call ufuncs, which they can.
            if value in known or (inspect.isfunction(value) and namespace is np.strings):
                found[f"{prefix}.{name}"] = value
    return found


@functools.cache
def makers() -> dict[str, Callable[..., Any]]:
    """Those that NumPy hands over for `like=` alone."""
    found = {name: value for name, value in public_functions().items() if _takes_like(value)}
    return dict(sorted(found.items()))


def _takes_like(value: Any) -> bool:
    try:
        return "like" in inspect.signature(value).parameters
    except ValueError:  # written in C, without a signature
        return bool(re.search(r"\blike=None\b", (value.__doc__ or "").partition("\n\n")[0]))


def traced() -> list[str]:
    """The names of those that become nodes of a graph."""
    others = refused().keys() | makers().keys()
    return [name for name in public_functions() if name not in others]


@functools.cache
def refused() -> dict[str, str]:
    """Name → why it is refused, and the way out."""
    found = {name: refusal(function) for name, function in public_functions().items() if name not in makers()}
    return {name: REASONS.get(name) or _of_all(name) or why for name, why in found.items() if why}


def _of_all(name: str) -> str | None:
    """The reason that goes for the whole namespace of a function."""
    return REASONS.get(f"{name.rpartition('.')[0]}.*")


def refusal(function: Callable[..., Any]) -> str:
    """Why the engine refuses a function, in its own words; '' where it does not."""
    if (
        by_call(function) is not None
        or function in WRITING
        or function in COMPOSED
        or not (hasattr(function, "_implementation") or isinstance(function, np.ufunc))
    ):
        return ""
    said = ""

    def ask(x: Any) -> Any:
        nonlocal said
        try:
            if isinstance(function, np.ufunc):
                x.__array_ufunc__(function, "__call__", x)
            else:
                x.__array_function__(function, (), (x,), {})
        except tracefn.TracefnError as error:
            what, *_, instead = str(error).splitlines()
            said = f"{what.partition(' ')[2].capitalize()}. {instead.strip()}".removeprefix("Is not traced. ")
        return x

    tracefn.Function(ask).get_concrete_function(tracefn.TensorSpec((2,), np.float64))
    return said


def page() -> str:
    """The whole page."""
    parts = [HEAD.format(version=np.__version__, count=len(public_functions()))]
    names = traced()
    for prefix in NAMESPACES:
        own = [name for name in names if name.rpartition(".")[0] == prefix]
        if own:
            parts += [f"## Traced: `{prefix}` ({len(own)})\n", _names(own)]
    parts += ["## Refused\n", _table("function", "reason and remedy", refused())]
    parts += [MAKERS_HEAD, _table("function", "instead, in code that is not rewritten", _makers_table())]
    parts += [tests_section(json.loads(COUNTS.read_text(encoding="utf-8")))]
    return "\n".join(parts)


def _names(names: list[str]) -> str:
    return textwrap.fill(", ".join(f"`{name}`" for name in names), 118, break_on_hyphens=False) + "\n"


MAKERS_HEAD = """\
## Makers of arrays

NumPy hands these functions over for `like=` alone. In code that is rewritten they are traced nevertheless,
with traced values and open lengths among their arguments: `np.zeros(n)`, `np.array([a, b])`,
`np.full(x.shape, x[0])`. So are `np.r_`, `np.c_`, `np.mgrid`, `np.ogrid`, `np.indices`, `np.tril_indices`,
`np.triu_indices`, `np.diag_indices`, `np.mask_indices`, `np.bartlett`, `np.blackman`, `np.hamming`, `np.hanning`,
`np.kaiser`, `np.fft.fftfreq`, `np.fft.rfftfreq`, `np.ndenumerate`, and `np.float32(x)` and its kin.

Elsewhere (`autograph=False`, libraries) they run while tracing, and their result is a constant of the graph. Lengths
of traced arrays may stand in their shape; a length that the signature leaves open becomes a guard then. Traced values
among their arguments raise [TensorConversionError](errors.md#TensorConversionError).
"""


def _makers_table() -> dict[str, str]:
    return {name: INSTEAD[name.removeprefix("np.")] for name in makers()}


TESTS_HEAD = """\
## NumPy's own tests

The tests that NumPy {numpy} ships run with each call, operator and indexing of an array traced, one graph a call
(`make numpy-tests`). Of {total} tests in {modules} modules:

| | tests |
|---|---|
| traced, and passed | {passed} |
| passed, with a call that is refused by name | {refused} |
| nothing to trace: no arrays, or other parts of NumPy | {untraced} |
| skipped by NumPy itself | {skipped} |
| failed, [each with its reason](../tests/conformance/numpy_suite/skips.txt) | {failed} |

Refused:
"""

#: So many kinds of refusals have a line of their own.
SHOWN = 12


def tests_section(counts: dict[str, Any]) -> str:
    """The outcome of NumPy's own tests, from their counts."""
    modules = counts["modules"].values()
    sums = {name: sum(m.get(name, 0) for m in modules) for name in "passed refused untraced skipped failed".split()}
    head = TESTS_HEAD.format(numpy=counts["numpy"], total=sum(sums.values()), modules=len(modules), **sums)
    reasons = list(counts["refused"].items())
    rows = reasons[:SHOWN] + [("other", sum(number for _, number in reasons[SHOWN:]))]
    return head + "\n" + "\n".join(["| reason | tests |", "|---|---|", *(f"| {why} | {n} |" for why, n in rows)]) + "\n"


def _table(name: str, text: str, rows: dict[str, str]) -> str:
    lines = [f"| {name} | {text} |", "|---|---|", *(f"| `{n}` | {t} |" for n, t in rows.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
