"""Each way to write to a place outside: after each call it holds what it does in eager code.

`writes.txt` is like `reads.txt`, with statements instead of expressions; `y` is what the function returns.
"""

import contextlib
import functools
import random

import numpy as np
from conformance.state.reads import HOLDERS, described, difference, kinds, loaded, main, steps

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


def differences(seed, count):
    """What differs among some cases, and how many there were."""
    rng, chosen, found = random.Random(seed), cases(), []
    rng.shuffle(chosen)
    for number, case in enumerate(chosen[:count]):
        first, lines = rng.choice(kinds(FILE)[case[0]]["values"]), steps(rng, *case[:2], FILE)
        lines = ["pass" if rng.random() < 0.5 else line for line in lines]
        run = functools.partial(outcomes, case, first, lines)
        found.append(difference(run, f"{case} {first} {lines}", number))
    return [f for f in found if f], len(found)


if __name__ == "__main__":
    main(differences, __doc__)
