"""Random programs of loops, branches, scalars and elements of arrays: machine code against eager Python."""

import importlib.util
import random

import numpy as np
import pytest
import sizes
import tracefn
from loop_outcomes import equal, is_native, outcome
from tracefn.codegen.machine import abi
from tracefn.codegen.native.loops import control
from tracefn.codegen.native.loops.control import has_loops

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())


class Program:
    """Writes the source of a function of a vector `a` of 7 elements, a matrix `b` of 5 by 4, a float `x` and an int
    `n`. Floats are in `f` and `g`, ints in `m` and the indices of loops."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.indices = []
        self.budget = 14

    def pick(self, *choices):
        return self.random.choice(choices)

    def integer(self, depth=2):
        if depth == 0 or self.random.random() < 0.3:
            return self.pick("m", "n", str(self.random.randint(1, 9)), *self.indices)
        left, right = self.integer(depth - 1), self.integer(depth - 1)
        return self.pick(
            f"({left} + {right})",
            f"({left} - {right})",
            f"({left} * {right})",
            f"({left} // {self.random.randint(1, 4)})",
            f"({left} % {self.pick(right, '5', '-3')})",
            f"np.minimum({left}, {right})",
            f"({left} & 15)",
        )

    def number(self, depth=2):
        if depth == 0 or self.random.random() < 0.3:
            return self.pick("f", "g", "x", "0.5", self.element())
        left, right = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            f"({left} + {right})",
            f"({left} - {right})",
            f"({left} * {right})",
            f"({left} / {right})",
            f"abs({left})",
            f"np.maximum({left}, {right})",
            f"({left} * {self.integer(1)})",
        )

    def place(self, length):
        if self.indices and self.random.random() < 0.4:
            return self.pick(self.pick(*self.indices), f"{self.pick(*self.indices)} - {self.random.randint(0, 3)}")
        return f"{self.integer(1)} % {length}"

    def element(self):
        return self.pick(f"a[{self.place(7)}]", f"b[{self.place(5)}, {self.place(4)}]")

    def condition(self):
        kind = self.pick(self.integer, self.number)
        return f"{kind(1)} {self.pick('<', '<=', '>', '==', '!=')} {kind(1)}"

    def statement(self, indent, loops):
        self.budget -= 1
        put = lambda line: self.lines.append("    " * indent + line)  # noqa: E731
        kind = self.random.random()
        if kind < 0.2 or self.budget < 0:
            put(f"{self.pick('f', 'g')} = np.float64({self.number()})")
        elif kind < 0.35:
            put(f"m = np.int64({self.integer()})")
        elif kind < 0.6:
            put(f"{self.element()} {self.pick('=', '+=', '-=')} {self.number()}")
        elif kind < 0.75:
            put(f"if {self.condition()}:")
            self.block(indent + 1, loops)
            if self.random.random() < 0.6:
                put("else:")
                self.block(indent + 1, loops)
        elif loops < 3:
            self.loop(put, indent, loops)
        else:
            put(f"g = np.float64({self.number()})")

    def loop(self, put, indent, loops):
        index = f"i{loops}"
        if self.random.random() < 0.3:
            put(f"{index} = n * 0")
            put(f"while {index} < n and {self.condition()}:")
            self.inside(index, indent, loops)
            put(f"    {index} += 1")
            return
        put(f"for {index} in range({self.pick('n', 'n', 'n, -1, -1', '1, n', 'n - 1, 0, -2', '-n, n, 3')}):")
        self.inside(index, indent, loops)
        if self.random.random() < 0.3:
            put(f"    if {self.condition()}:")
            put("        break")

    def inside(self, index, indent, loops):
        self.indices.append(index)
        self.block(indent + 1, loops + 1)
        self.indices.remove(index)

    def block(self, indent, loops):
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent, loops)

    def source(self):
        self.lines = ["import numpy as np", "", "", "def program(a, b, x, n):", "    f, g, m = x * 2, x - 1, n + 3"]
        self.loop(lambda line: self.lines.append("    " + line), 1, 0)
        while self.budget > 0:
            self.statement(1, 0)
        self.lines.append("    return f, g, m, a, b")
        return "\n".join(self.lines) + "\n"


def written(source, path):
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def starts_anew(concrete):
    """True if calls that raise have something to take back, which kernels do not wait for."""
    retry = concrete._built.retry
    return retry is not None and not retry.is_free


@pytest.mark.parametrize("seed", range(sizes.of(20, 60)))
def test_random_programs(seed, tmp_path, monkeypatch):
    monkeypatch.setattr(control, "FEW", (1, 16)[seed % 2])  # with one, also short loops take the form without checks
    source = Program(seed).source()
    program = written(source, tmp_path / f"program{seed}.py")
    generator = np.random.default_rng(seed)
    dtype = [np.float64, np.float32, np.int64][seed % 3]
    native, numpy_program = [tracefn.function(program, jit=jit) for jit in ("now", "off")]
    for n in (5, 3, 0, 5):
        a, b = generator.integers(-4, 5, 7).astype(dtype), generator.integers(-4, 5, (5, 4)).astype(dtype)
        args = (a, b, np.float64(generator.integers(-8, 9) / 4), np.int64(n))
        eager, wanted, got = [outcome(f, args, program.__code__.co_filename) for f in (program, numpy_program, native)]
        assert equal(got[0], eager[0]), f"{source}\n{got[0]}\n{eager[0]}"
        assert equal(got[2], eager[2]), f"{source}\n{got}\n{eager}"
        assert got[1] == wanted[1], source  # the order of operations may show in what NumPy warns of
    concrete = native.concrete_functions[0]
    if not starts_anew(concrete):
        assert is_native(concrete) or not has_loops(concrete.graph), source
