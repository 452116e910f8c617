"""What classes commonly do with several attributes at once, as text: optimizers, layers, caches, buffers, schedules.

An idiom begins with `= name weight`, and `batch` where it needs a matrix. Its parts: `top` (before the class), `init`
(in `__init__`), `body` (a part of a method that has an argument), `method name` (one of its own, with `x` where the
name ends in `(x)`; `plain` where it is not decorated) and `change` (what the caller does in between, `<o>` being the
object). Placeholders are those of `kinds`.
"""

import dataclasses
import functools
import re
from pathlib import Path


@dataclasses.dataclass
class Idiom:
    name: str
    weight: int
    shape: str = ""
    top: list = dataclasses.field(default_factory=list)
    init: list = dataclasses.field(default_factory=list)
    body: list = dataclasses.field(default_factory=list)
    methods: dict = dataclasses.field(default_factory=dict)
    change: list = dataclasses.field(default_factory=list)


@functools.cache
def idioms():
    """All idioms, from `idioms.txt`."""
    found, part = [], []
    for line in Path(__file__).with_name("idioms.txt").read_text().splitlines():
        if line.startswith("= "):
            name, weight, shape = re.fullmatch(r"= (.+) (\d+)( batch)?", line).groups()
            found.append(Idiom(name, int(weight), (shape or "").strip()))
        elif line and not line.startswith(" "):
            if line.startswith(("method ", "plain ", "property ")):
                part = found[-1].methods.setdefault(line, [])
            else:
                part = getattr(found[-1], line)
        elif line.strip():
            part.append(line[4:])
    return found
