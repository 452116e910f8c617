"""Where a program keeps a number, a list or an array: attributes, parts, items, class attributes, globals, closures."""

import dataclasses

NAMES = {
    "int": ["n", "t", "count", "steps", "calls"],
    "total": ["total", "acc_sum", "points"],
    "float": ["ema", "lr", "level", "avg"],
    "flag": ["ready", "active", "warm"],
    "None": ["w0", "cached", "state0"],
    "maybe number": ["best_value", "prev", "last_value"],
    "text": ["phase", "status"],
    "tuple": ["pair", "bounds"],
    "list": ["history", "values0", "trail"],
    "arrays": ["params0", "weights0"],
    "histories": ["batches0", "seen0"],
    "dict": ["info", "metrics"],
    "parameters": ["p", "theta"],
    "set": ["sizes0", "known"],
    "deque": ["recent0", "tail"],
    "array": ["w", "buf", "mean", "bias"],
    "generator": ["rng"],
    "iterator": ["it"],
    "0-d": ["z", "scale0"],
    "complex": ["phasor", "root"],
    "numpy number": ["norm0", "peak"],
    "defaultdict": ["groups", "by_length"],
    "counts": ["counts", "tally"],
    "Counter": ["votes", "counter"],
    "OrderedDict": ["latest", "ordered"],
    "deque of arrays": ["frames", "delay"],
    "int counts": ["bins", "histogram"],
    "flags array": ["mask0", "visited"],
}


@dataclasses.dataclass
class Place:
    """One place: `inside` is how the program writes it, `outside` how the caller does (None: cannot), `init` its first
    value."""

    kind: str
    name: str
    inside: str
    outside: str | None
    init: str


class Namer:
    """Names that are used once."""

    def __init__(self, rng):
        self._rng = rng
        self._used = set()

    def name(self, kind):
        options = NAMES.get(kind, [kind])
        name, number = self._rng.choice(options), 2
        while name in self._used:
            name, number = f"{self._rng.choice(options)}{number}", number + 1
        self._used.add(name)
        return name
