"""Programs that the generator of in-place code found, made smaller, and others like them: traced, they do what they do
plainly. Those below `# eager` have no graph."""

import ast
import pathlib

import numpy as np
import pytest
from conformance.fuzz.aliasing import ARGUMENTS, arguments
from conformance.fuzz.memory import compare_source
from roundings import ON_MACHINE_CODE

PROGRAMS = pathlib.Path(__file__).with_name("found.txt").read_text().split("\n---\n")

SHAPES = dict(ARGUMENTS)

JIT = "now" if ON_MACHINE_CODE else "off"


def calls_of(source):
    """What a program is called with: arrays for x, y and z, of the dtypes that a comment in its first line has."""
    names = [a.arg for a in ast.parse(source).body[0].args.args]
    given = [n for n in names if n in SHAPES]
    first = source.splitlines()[0]
    dtypes = first.removeprefix("# dtypes:").split() if first.startswith("# dtypes:") else ["float64"] * len(given)
    for values in arguments([SHAPES[n] for n in given], dtypes):
        *arrays, n, m = values
        yield [*arrays, *([n] if "n" in names else []), *([m] if "m" in names else [])]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_as_plain(number):
    source = PROGRAMS[number].strip("\n") + "\n"
    found = compare_source(source, lambda: calls_of(source), f"found {number}", JIT)
    assert found.agrees, f"{source}\n{found.difference}"
    assert bool(found.fallbacks) is ("# eager" in source), f"{source}\n{found.fallbacks}"


def test_dtypes_are_read():
    (x, z, m), *_ = calls_of("# dtypes: int64 float32\ndef program(x, z, m):\n    return x\n")
    assert (x.dtype, z.dtype, type(m)) == (np.int64, np.float32, np.int64)
