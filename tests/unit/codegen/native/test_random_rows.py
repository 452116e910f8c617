"""Random expressions of rows and what they are reduced to, as kernels against NumPy."""

import random

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi
from tracefn.codegen.native.pipeline import steps
from tracefn.ir.verify import verify

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

SHAPES = [(5, 40), (1, 40), (40, 40), (3, 4, 40), (6, 700), (80,), (7, 65), (3, 130)]
PLACES = ("whole", "row", "squeezed")


class Program:
    """Writes a function of `x`, `y` (whole), `w` (a row), `c` (a column) and `s` (a number); values stay small."""

    def __init__(self, seed, shape):
        self.random = random.Random(seed)
        self.shape = shape
        self.lines = []
        self.names = {"whole": ["x", "y"], "row": [], "squeezed": []}

    def write(self, place, text):
        name = f"v{len(self.lines)}"
        self.lines.append(f"    {name} = {text}")
        self.names[place].append(name)

    def of(self, place):
        return self.random.choice(self.names[place][-4:])

    def step(self):
        pick = self.random.choice
        kind = self.random.randint(0, 9)
        if kind <= 2:
            name = pick(["max", "min", "mean", "sum"])
            scale = f" / {self.shape[-1]}" if name == "sum" else ""
            keeps = pick([True, True, False]) or len(self.shape) == 1
            text = f"{self.of('whole')}.{name}(axis=-1, keepdims={keeps}){scale}"
            self.write("row" if keeps else "squeezed", text)
        elif kind <= 5 and self.names["row"]:
            other = pick([self.of("row"), self.of("row"), "c", "s", "2"])
            if len(self.shape) == 1 and other == "c":
                other = "s"
            text = pick(["{a} {o} {b}", "np.{f}({a} {o} {b})"])
            place = pick(["whole", "whole", "row"])
            if place == "row" and other == "c" and len(self.shape) == 1:
                place = "whole"
            self.write(place, self.filled(text, self.of(place), other))
        elif kind == 6 and self.names["squeezed"]:
            a = self.of("squeezed")
            self.write(*pick([("squeezed", f"np.tanh({a} + 1)"), ("squeezed", f"{a} * {self.of('squeezed')}"),
                              ("row", f"{a}[..., None]"), ("row", f"np.expand_dims({a}, -1) * 0.5")]))  # fmt: skip
        elif kind == 7:
            self.write("whole", self.filled("{a} {o} {b}", self.of("whole"), pick(["w", "s", "0.5"])))
        else:
            self.write("whole", self.filled("np.{f}({a} {o} {b})", self.of("whole"), self.of("whole")))

    def filled(self, text, a, b):
        o, f = self.random.choice(["+", "-", "*"]), self.random.choice(["tanh", "sin", "abs", "cos", "tanh"])
        return text.format(a=a, b=b, o=o, f=f)

    def source(self):
        for _ in range(self.random.randint(4, 12)):
            self.step()
        for _ in range(2):  # rows are read again
            self.write("row", f"{self.of('whole')}.{self.random.choice(['max', 'mean'])}(axis=-1, keepdims=True)")
            self.write("whole", self.filled("{a} {o} {b}", self.of("whole"), self.of("row")))
        found = [self.of(p) for p in PLACES for _ in range(2) if self.names[p]]
        return "\n".join(["def program(x, y, w, c, s):", *self.lines, f"    return {', '.join(dict.fromkeys(found))},"])


def drawn(seed):
    """A traced program, the program, its arguments and its source."""
    shape = SHAPES[seed % len(SHAPES)]
    source = Program(seed, shape).source()
    names = {"np": np}
    exec(source, names)
    program, dtype = names["program"], "df"[seed % 2]
    rng = np.random.default_rng(seed)
    args = [(rng.random(s) - 0.5).astype(dtype) for s in (shape, shape, shape[-1:], (*shape[:-1], 1))]
    args.append(np.dtype(dtype).type(0.7))
    return tracefn.function(program, jit="now", autograph=False), program, args, source


@pytest.mark.parametrize("seed", range(40))
def test_random_rows(seed):
    f, program, args, source = drawn(seed)
    rough = args[0].dtype == "f"
    for a, b in zip(f(*args), program(*args), strict=True):
        assert (type(a), a.dtype, a.shape) == (type(b), b.dtype, b.shape), source
        np.testing.assert_allclose(a, b, rtol=1e-3 if rough else 1e-9, atol=1e-4 if rough else 1e-10)


def test_most_of_them_have_row_kernels():
    assert sum(map(has_rows, range(12))) > 0.4 * 12


def has_rows(seed):
    f, _, args, _ = drawn(seed)
    graph = f.get_concrete_function(*args).graph
    for _, run in steps():
        graph = verify(run(graph))
    return any(n.op.name == "kernel" and n.args[0].name == "rows" for n in graph.nodes)
