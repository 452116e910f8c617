"""The kinds of state that programs keep, from `kinds.txt`: how each is made, written, read, and changed by the caller.

A kind begins with `= name weight`. `init`, `vector` and `write` are templates with weights, which go on in lines that
begin with `|`. In templates `<f>` is the place itself, and what is in angle brackets is filled in from what the
statement can see: `<s>` a number that is traced, `<v>` three numbers, `<a>` an array as long as the argument, `<num>` a
number, `<int>` an integer, `<k>` a small constant, `<c>` a constant with a fraction, `<cond>` a condition on traced
values, `<pcond>` one on Python values, `<y>` the result so far, `<stmt>` any statement.
"""

import dataclasses
import re
from pathlib import Path


@dataclasses.dataclass
class Kind:
    """One kind of state. `read` are numbers that it gives, `vector` groups of three numbers, `result` what may be
    returned, `change` what the caller does between calls. `weight` is how common it is."""

    weight: int
    init: list = dataclasses.field(default_factory=list)
    write: list = dataclasses.field(default_factory=list)
    read: list = dataclasses.field(default_factory=list)
    vector: list = dataclasses.field(default_factory=list)
    result: list = dataclasses.field(default_factory=list)
    change: list = dataclasses.field(default_factory=list)


WEIGHTED = ("init", "vector", "write")


def _read():
    kinds, kind, name = {}, None, ""
    for line in Path(__file__).with_name("kinds.txt").read_text().splitlines():
        if line.startswith("= "):
            title, weight = re.fullmatch(r"= (.+) (\d+)", line).groups()
            kind = kinds[title] = Kind(int(weight))
        elif not line.startswith(" "):
            name = line
        elif line.startswith("    | "):
            weight, template = getattr(kind, name)[-1]
            getattr(kind, name)[-1] = (weight, f"{template}\n{line[6:]}")
        elif name in WEIGHTED:
            weight, template = line.strip().split(" ", 1)
            getattr(kind, name).append((int(weight), template))
        else:
            getattr(kind, name).append(line.strip())
    for kind in kinds.values():
        kind.result = kind.result or ["<f>"]
    return kinds


KINDS = _read()


def pick(rng, rows):
    """One of some templates with weights."""
    return rng.choices([template for _, template in rows], [weight for weight, _ in rows])[0]
