"""Statements and expressions: templates filled in with what a function can see."""

import re

from conformance.state.kinds import KINDS, pick

SCALARS = {
    "vector": "x.sum() | x.mean() | x[0] | x.max() | float(x[-1]) | x[0] * 0.5 | (x * x).sum() | np.dot(x, x) |"
    " np.abs(x).max()",
    "batch": "x.sum() | x.mean() | x[0, 0] | x.max() | float(x[-1, -1]) | x[:, 0].sum() | (x * x).mean()",
    "number": "x | x | x * 2 | float(x) | abs(x) | x + 1",
}
VECTORS = {
    "vector": "x[:3] | x[-3:] | np.tanh(x[:3]) | 2 * x[:3] | x[:3] - x[-3:]",
    "batch": "x.mean(axis=0) | x[0] | x.sum(0) | x[-1] * 0.5 | (x - x.mean()).max(axis=0) | x.T @ np.ones(len(x))",
    "number": "np.full(3, x) | x * np.ones(3) | np.array([x, 1.0, 2 * x])",
    "nothing": "np.ones(3) | np.full(3, 0.5) | np.arange(3.0)",
}
ARRAYS = "x * 2 | x - x.mean() | np.abs(x) | x[::-1] | x | x + 1 | np.maximum(x, 0)"
CONDITIONS = {
    "vector": "x.sum() > 1 | x[0] > 0.5 | np.any(x > 2) | x.mean() < 0.5 | (x > -1).all() |"
    " x[-1] > x[0] | x.max() > 1.5",
    "batch": "x.sum() > 1 | x[0, 0] > 0.5 | np.any(x > 2) | x.mean() < 0.5 | x[-1, 0] > x[0, 0]",
    "number": "x > 0 | x > 1 | x < 0.5",
}
NEEDS_AN_ARRAY = re.compile(r"len\(x\)|\bx[.\[]|<a>|<x1>|, x\b|\(x\b|\bx \*")


def options(text):
    return [part.strip() for part in text.split("|")]


class Scope:
    """What the statements of one function see: its places, and an argument `x` of some shape (vector, batch, number or
    nothing)."""

    def __init__(self, rng, places, shape):
        self.rng, self.places, self.shape = rng, places, shape
        self.tags = []

    def statements(self, count, depth=0):
        """Lines of a body."""
        lines = []
        for _ in range(count):
            lines += self.statement(depth)
        return lines

    def statement(self, depth=0):
        usable = [p for p in self.places if p.kind in KINDS]
        if not usable:
            return [f"y = y + {self.rng.choice((1, 0.5))}"]
        place = self.rng.choice(usable)
        rows = [row for row in KINDS[place.kind].write if self._fits(row[1]) and (depth < 2 or "<stmt>" not in row[1])]
        if not rows:
            return [f"y = y + {self.rng.choice((1, 0.5))}"]
        template = pick(self.rng, rows)
        self.tags.append(f"{place.kind}: {template}")
        return self.fill(template, place.inside, depth)

    def fill(self, template, own="", depth=0):
        """A template as lines."""
        lines = []
        for line in template.split("\n"):
            indent = line[: len(line) - len(line.lstrip())]
            if line.strip() == "<stmt>":
                lines += [indent + inner for inner in self.statement(depth + 1)]
            else:
                lines.append(re.sub(r"<(\w+)>", lambda m: own if m[1] == "f" else getattr(self, m[1])(), line))
        return lines

    def _fits(self, template):
        if self.shape in ("vector", "batch"):
            return True
        return not NEEDS_AN_ARRAY.search(template) and (self.shape == "number" or not re.search(r"\bx\b", template))

    def fits(self, lines):
        """Whether lines can stand in a function with this argument."""
        return self._fits("\n".join(lines))

    # --- what placeholders stand for

    def y(self):
        return "y"

    def k(self):
        return str(self.rng.choice((1, 2, 3)))

    def c(self):
        return str(self.rng.choice((0.5, 0.9, 1.1, 0.25)))

    def o(self):
        return "<o>"

    def s(self):
        if self.shape == "nothing":
            return self.num()
        chosen = self.rng.choice(options(SCALARS[self.shape]))
        return f"{chosen} + {self.num()}" if self.rng.random() < 0.1 else chosen

    def x1(self):
        return "x[i, 0]" if self.shape == "batch" else "x[i]"

    def v(self):
        reads = [r for p in self.places for r in self._reads(p, "vector")]
        if reads and self.rng.random() < 0.15:
            return self.rng.choice(reads)
        return self.rng.choice(options(VECTORS[self.shape]))

    def a(self):
        return self.rng.choice(options(ARRAYS))

    def num(self):
        reads = [r for p in self.places for r in self._reads(p, "read")]
        if reads and self.rng.random() < 0.8:
            return self.rng.choice(reads)
        return "len(x)" if self.shape in ("vector", "batch") and self.rng.random() < 0.5 else self.c()

    def int(self):
        integers = [p.inside for p in self.places if p.kind == "int"]
        if integers and self.rng.random() < 0.8:
            return self.rng.choice(integers)
        return "len(x)" if self.shape in ("vector", "batch") else self.k()

    def int1(self):
        return f"max({self.int()}, 1)"

    def cond(self):
        if self.shape == "nothing":
            return f"{self.num()} > {self.k()}"
        chosen = self.rng.choice(options(CONDITIONS[self.shape]))
        if self.rng.random() < 0.2:
            return f"{self.rng.choice(options(SCALARS[self.shape]))} > {self.num()}"
        if self.rng.random() < 0.1:
            return f"{chosen} and {self.pcond()}"
        return chosen

    def pcond(self):
        found = [f"{self.int()} > 2", f"{self.int()} % 2 == 0", f"{self.int()} == 1"]
        found += [p.inside for p in self.places if p.kind == "flag"] * 2
        found += [f"{p.inside} == 'train'" for p in self.places if p.kind == "text"] * 2
        found += [f"len({p.inside}) > 1" for p in self.places if p.kind in ("list", "dict", "deque")]
        found += [f"{p.inside} is None" for p in self.places if p.kind in ("None", "maybe number")]
        return self.rng.choice(found)

    def _reads(self, place, which):
        if place.kind not in KINDS:
            return []
        rows = getattr(KINDS[place.kind], which)
        return [(row if isinstance(row, str) else row[1]).replace("<f>", place.inside) for row in rows]

    # --- how a function begins and ends

    def beginning(self):
        """The line that gives `y` its first value."""
        if self.shape == "nothing":
            return f"y = {self.rng.choice(('0.0', '1.0', self.num()))}"
        if self.shape == "number":
            return f"y = {self.rng.choice(('x', 'x * 2', 'x + 1.0'))}"
        return f"y = {self.rng.choice(('x * 2', 'x * 2', 'x + 1', 'x - x.mean()', 'np.tanh(x)', 'x', 'x.sum()'))}"

    def ending(self):
        """The line that returns something."""
        results = [r for p in self.places for r in self._reads(p, "result")]
        reads = [r for p in self.places for r in self._reads(p, "read")]
        roll = self.rng.random()
        if roll < 0.5 or not results:
            return "return y"
        if roll < 0.62:
            return f"return y, {self.num()}"
        if roll < 0.67 and reads:
            return f"return {{'y': y, 'n': {self.rng.choice(reads)}}}"
        if roll < 0.72:
            return f"return [y, {self.rng.choice(results)}]"
        if roll < 0.76:
            return "pass" if self.rng.random() < 0.5 else "return None"
        if roll < 0.80 and self.shape in ("vector", "batch"):
            return "return float(np.sum(y))"
        return f"return {self.rng.choice(results)}"
