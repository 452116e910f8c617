"""Each way to write to a place outside: after each call it holds what it does in eager code.

`writes.txt` is like `reads.txt`, with statements instead of expressions; `y` is what the function returns.
"""

import argparse
import contextlib
import os
import random
import sys
import warnings

import numpy as np
import tracefn
from conformance.state.reads import HOLDERS, described, kinds, loaded, steps

FILE = "writes.txt"


def cases():
    """(kind, holder, statement) of all that is tried."""
    return [
        (kind, holder, write)
        for kind, of in kinds(FILE).items()
        for holder in HOLDERS
        for write in of["writes"]
        if kind != "tuple"
    ]


def outcomes(case, first, lines, decorate, file):
    """What each call gives and leaves."""
    kind, holder, write = case
    _, place, from_outside = HOLDERS[holder]
    body = "    global C\n" if place == "C" else "    c = h.c\n" if place == "c" else ""
    write = write.replace("<c>", place)
    if write.startswith("try: "):
        write = f"try:\n        {write[5:]}\n    except (ValueError, IndexError, TypeError): y = 'caught'"
    names = loaded(holder, first, f"    y = None\n{body}    {write}\n    return y\n", file)
    function, found = decorate(names["f"]), []
    for number, line in enumerate(lines):
        with contextlib.suppress(Exception):
            exec(line, names)
        for again in range(1 + number % 3):
            x, i = np.arange(3.0) + 1 + (number % 2) * again, [0, np.int64(1)][number % 2]
            try:
                told = "gives", described(function(names["h"], x, i, "ab"[int(i)]))
            except Exception as error:
                told = "raises", type(error).__name__
            left = [described(v) for v in (eval(from_outside, names), names["h"], x)]
            found.append((*told, left))
    return found


def difference(case, first, lines, number=0):
    """Where the decorated function does something else than the function. None where it does not."""
    settings = tracefn.config.jit("off"), tracefn.config.on_unsupported("eager")
    with settings[0], settings[1], warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = outcomes(case, first, lines, lambda f: f, f"<eager {number}>")
        found = outcomes(case, first, lines, tracefn.function, f"<traced {number}>")
    pairs = zip(expected, found, strict=True)
    at = next((n for n, (want, got) in enumerate(pairs) if want != got), None)
    if at is None:
        return None
    return f"{case} {first} {lines}\n  call {at}: eager {expected[at]}\n  traced {found[at]}"


def differences(seed, count):
    """What differs among some cases, and how many there were."""
    rng, chosen, found = random.Random(seed), cases(), []
    rng.shuffle(chosen)
    for number, case in enumerate(chosen[:count]):
        first, lines = rng.choice(kinds(FILE)[case[0]]["values"]), steps(rng, *case[:2], FILE)
        lines = ["pass" if rng.random() < 0.5 else line for line in lines]
        found.append(difference(case, first, lines, number))
    return [f for f in found if f], len(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=int(os.environ.get("TRACEFN_FUZZ", "500")))
    options = parser.parse_args()
    wrong, tried = differences(options.seed, options.count)
    print("\n".join(wrong), f"{len(wrong)} of {tried} differ", sep="\n")
    sys.exit(bool(wrong))
