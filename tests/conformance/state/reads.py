"""Each way to read a value from outside, from each place that can hold it, with changes between the calls.

`reads.txt` has the kinds of values: a section `= kind` has the `values`, the `changes` of one in place and the `reads`,
in which `<c>` stands for the value, `x` for an array, `i` for a number and `k` for a key.
"""

import argparse
import collections
import contextlib
import functools
import inspect
import linecache
import os
import random
import sys
import warnings
from pathlib import Path

import numpy as np
import tracefn
from conformance.state import helpers

_HEADER = """\
import array, bisect, collections, copy, fractions, functools, heapq, itertools, json, math, operator, pickle, random
import statistics, string, struct, types
from collections import Counter, OrderedDict, defaultdict, deque
import numpy as np
"""

HOLDERS = {
    "attribute": ("class H: pass\nh = H()\nh.c = {0}", "h.c", "h.c"),
    "global": ("C = {0}\nh = None", "C", "C"),
    "attribute of an attribute": ("class H: pass\nh = H(); h.part = H(); h.part.c = {0}", "h.part.c", "h.part.c"),
    "item": ("class H: pass\nh = H(); h.parts = [{0}]", "h.parts[0]", "h.parts[0]"),
    "key": ("class H: pass\nh = H(); h.parts = {{'k': {0}}}", "h.parts['k']", "h.parts['k']"),
    "class": ("class H:\n    c = {0}\nh = H()", "h.c", "H.c"),
    "slot": ("class H:\n    __slots__ = ('c',)\nh = H()\nh.c = {0}", "h.c", "h.c"),
    "object in a list": (
        "class H: pass\nh = H(); h.ps = [H(), H()]; h.ps[0].c = {0}; h.ps[1].c = 0", "h.ps[position()].c", "h.ps[0].c",
    ),
    "variable": ("class H: pass\nh = H()\nh.c = {0}", "c", "h.c"),
    "argument": ("h = {0}", "h", "h"),
    "dataclass": ("import dataclasses\n@dataclasses.dataclass\nclass D:\n    c: object\nh = D({0})", "h.c", "h.c"),
}  # fmt: skip
"""What makes a place that holds the value, how the function reads it, and how the caller changes it."""

_OTHERS = {
    "deque": ("list", "deque({})", [("<c>.reverse()", "<c>.rotate()")]),
    "tuple": ("list", "tuple({})", None),
    "OrderedDict": ("dict", "OrderedDict({})", [("<c>.update(b='t')", "<c>.move_to_end('a')")]),
    "defaultdict": ("dict", "defaultdict(int, {})", []),
}
"""Kinds of which values and reads are those of another; with other changes, or with none."""


@functools.cache
def kinds(file="reads.txt"):
    """{kind: {"values": …, "changes": …, "reads": …}}, or "writes"."""
    found, part = {}, []
    for line in Path(__file__).with_name(file).read_text().splitlines():
        if line.startswith("= "):
            section = found[line[2:]] = collections.defaultdict(list)
        elif not line.startswith(" "):
            part = section[line]
        else:
            part.append(line[4:])
    for kind, (like, made, swaps) in _OTHERS.items():
        section = {name: list(found[like][name]) for name in ("values", "changes", "reads", "writes")}
        section["values"] = [made.format(value) for value in section["values"]]
        section["changes"] = [] if swaps is None else [dict(swaps).get(c, c) for c in section["changes"]]
        found[kind] = section
    return found


def cases():
    """(kind, holder, read) of all that is tried."""
    return [(kind, holder, read) for kind, of in kinds().items() for holder in HOLDERS for read in of["reads"]]


def steps(rng, kind, holder, file="reads.txt"):
    """Lines that replace or change the value, one before each call."""
    place, of = HOLDERS[holder][2], kinds(file)[kind]
    lines = ["pass"]
    for _ in range(7):
        is_change = of["changes"] and rng.random() < 0.35
        lines.append(
            rng.choice(of["changes"]).replace("<c>", place) if is_change else f"{place} = {rng.choice(of['values'])}"
        )
    return lines


def outcomes(case, lines, decorate, file):
    """What each call gives."""
    kind, holder, read = case
    place = HOLDERS[holder][1]
    first = "    c = h.c\n" if place == "c" else ""
    body = f"{first}    return {read.replace('<c>', place)}\n"
    names = loaded(holder, kinds()[kind]["values"][0], body, file)
    function, found, x = decorate(names["f"]), [], np.arange(3.0) + 1
    for number, line in enumerate(lines):
        with contextlib.suppress(Exception):
            exec(line, names)
        for i in (0, np.int64(1)) if number % 2 else (0,):
            try:
                found.append(("gives", described(function(names["h"], x, i, "ab"[int(i)]))))
            except Exception as error:
                found.append(("raises", type(error).__name__))
    return found


def loaded(holder, value, body, file):
    """The names of a module with the place, the value in it, and a function `f(h, x, i, k)`."""
    setup = HOLDERS[holder][0].format(value)
    source = f"{_HEADER}{inspect.getsource(helpers)}\n{setup}\ndef f(h, x, i, k):\n{body}"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {}
    exec(compile(source, file, "exec"), names)
    return names


def described(value, depth=0):
    """A value as text: types, dtypes and shapes are part of it."""
    if depth > 6:
        return "…"
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape} {value.tolist()!r}"
    if isinstance(value, np.generic):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__} {sorted(map(repr, value))}"
    if isinstance(value, dict):
        return (
            f"{type(value).__name__} {[(described(k, depth + 1), described(v, depth + 1)) for k, v in value.items()]}"
        )
    if hasattr(type(value), "__iter__") and hasattr(type(value), "__len__") and not isinstance(value, str | bytes):
        return f"{type(value).__name__} {[described(v, depth + 1) for v in value]}"
    if (" at 0x" not in repr(value) and not hasattr(value, "__dict__")) or isinstance(value, type):
        return f"{type(value).__name__} {value!r}"
    return f"{type(value).__name__} {described(getattr(value, '__dict__', None), depth + 1)}"


def difference(run, told, number=0):
    """The first call whose outcome differs, with the case as it is `told`. None if all agree.

    `run(decorate, file)` gives the outcomes of the calls of a case.
    """
    settings = tracefn.config.jit("off"), tracefn.config.on_unsupported("eager")
    with settings[0], settings[1], warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = run(lambda f: f, f"<eager {number}>")
        found = run(tracefn.function, f"<traced {number}>")
    pairs = zip(expected, found, strict=True)
    at = next((n for n, (want, got) in enumerate(pairs) if want != got), None)
    return None if at is None else f"{told}\n  call {at}: eager {expected[at]}\n  traced {found[at]}"


def differences(seed, count):
    """What differs among some cases, and how many there were."""
    rng, chosen, found = random.Random(seed), cases(), []
    rng.shuffle(chosen)
    for number, case in enumerate(chosen[:count]):
        lines = steps(rng, *case[:2])
        found.append(difference(functools.partial(outcomes, case, lines), f"{case} {lines}", number))
    return [f for f in found if f], len(found)


def main(differences, told):
    """Prints the differences among the number of cases that the command line asks for."""
    parser = argparse.ArgumentParser(description=told.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=int(os.environ.get("TRACEFN_FUZZ", "500")))
    options = parser.parse_args()
    wrong, tried = differences(options.seed, options.count)
    print("\n".join(wrong), f"{len(wrong)} of {tried} differ", sep="\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(differences, __doc__)
