"""Random programs of slices in loops as machine code against eager Python, with writes into what is read."""

import importlib.util
import random

import numpy as np
import pytest
import sizes
import tracefn
from loop_outcomes import is_native, outcome
from tracefn.codegen.machine import abi

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

N = 7


class Program:
    """Writes a function of a vector `a` and matrices `b`, `c` of one length, in which values stay small."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = ["import numpy as np", "", "", "def program(a, b, c, s):"]
        self.indices = []
        self.budget = 10

    def pick(self, *choices):
        return self.random.choice(choices)

    def bounds(self, length):
        """A slice of so many elements."""
        start = self.random.randint(0, N - length)
        forms = [f"{start}:{start + length}", f"{start - N}:{start + length}"]
        if start + length == N:
            forms += [f"{start}:", f"-{length}:"]
        if start == 0:
            forms += [f":{length}"]
        if 2 * length - 1 <= N - start:
            forms.append(f"{start}:{start + 2 * length - 1}:2")
        return self.pick(*forms)

    def row(self):
        return self.pick(*self.indices, *self.indices, "0", "-1", "2", "s % 7")

    def vector(self, length, depth=0):
        """An expression of a vector of so many elements."""
        atoms = [
            lambda: f"a[{self.bounds(length)}]",
            lambda: f"{self.pick('b', 'c')}[{self.row()}, {self.bounds(length)}]",
            lambda: f"{self.pick('b', 'c')}[{self.bounds(length)}, {self.row()}]",
            lambda: f"{self.pick('b', 'c')}.T[{self.row()}, {self.bounds(length)}]",
            lambda: f"{self.pick('b', 'c')}[{self.bounds(length)}].{self.pick('max', 'min')}(axis=1)",
            lambda: f"np.{self.pick('ones', 'zeros')}({length}, a.dtype)",
        ]
        if length == N:
            atoms += [lambda: "a", lambda: "a[::-1]", lambda: f"{self.pick('b', 'c')}.sum(axis={self.pick(0, 1)}) % 5"]
            atoms += [lambda: "np.dot(b, a) % 7", lambda: "a @ c % 3"]
        if depth > 1 or self.random.random() < 0.4:
            return self.pick(*atoms)()
        x, y = self.vector(length, depth + 1), self.vector(length, depth + 1)
        return self.pick(
            f"({x} + {y})", f"({x} - {y})", f"np.minimum({x}, {y})", f"({x} * {self.scalar()} % 6)", f"abs({x})", x
        )

    def matrix(self, rows, columns, depth=0):
        name = self.pick("b", "c")
        atoms = [
            lambda: f"{name}[{self.bounds(rows)}, {self.bounds(columns)}]",
            lambda: f"{self.vector(columns, 1)}",
            lambda: f"({self.vector(rows, 1)})[:, None]",
        ]
        if (rows, columns) == (N, N):
            atoms += [lambda: name, lambda: f"{name}.T", lambda: "np.outer(a, a) % 5", lambda: f"{name}.copy()"]
        if depth > 1 or self.random.random() < 0.3:
            return self.pick(*atoms)()
        x, y = f"{name}[{self.bounds(rows)}, {self.bounds(columns)}]", self.matrix(rows, columns, depth + 1)
        return self.pick(f"({x} + {y})", f"({x} - {y})", f"np.maximum({x}, {y})", f"np.where({x} > {y}, {x}, {y})")

    def scalar(self):
        return self.pick("s", "2", "3", "a[1]", f"b[{self.row()}, {self.row()}]", *self.indices)

    def statement(self, indent):
        self.budget -= 1
        put = lambda line: self.lines.append("    " * indent + line)  # noqa: E731
        rows, columns = self.random.randint(1, N), self.random.randint(1, N)
        name, other = self.random.sample(["b", "c"], 2)
        kind = self.random.randint(0, 11)
        if kind <= 1:
            put(f"a[{self.bounds(rows)}] {self.pick('=', '+=', '-=')} {self.vector(rows)}")
        elif kind <= 3:
            operator = self.pick("=", "+=", "-=")
            put(f"{name}[{self.bounds(rows)}, {self.bounds(columns)}] {operator} {self.matrix(rows, columns)}")
        elif kind == 4:
            put(f"{name}[{self.row()}, {self.bounds(columns)}] = {self.vector(columns)}")
        elif kind == 5:
            put(f"{name}[{self.bounds(columns)}, {self.row()}] = {self.pick(self.scalar(), self.vector(columns))}")
        elif kind == 6:
            put(f"s = s + {self.pick('a', name)}.{self.pick('max', 'min', 'sum')}() % 4")
        elif kind == 7:
            put(f"{name}[{other} > {self.scalar()}] = {self.scalar()}")
        elif kind == 8:
            put(f"mask = {name} < {other}")
            put(f"{name}[mask] = {other}[mask]")
        elif kind == 9:
            put(
                self.pick("b, c = c, b", f"{name} = {self.matrix(N, N)} + 0 * {other}", f"a = {self.vector(N)} + 0 * a")
            )
        elif kind == 10 and len(self.indices) < 2:
            index = f"i{len(self.indices)}"
            put(f"for {index} in range({self.pick('0', '7')}, 40):")
            put(f"    {index} = {index} % 7")
            self.indices.append(index)
            for _ in range(self.random.randint(1, 3)):
                self.statement(indent + 1)
            self.indices.pop()
        else:
            put(f"if s % 2 == {self.pick(0, 1)}:")
            put(f"    {name}[{self.row()}] = {self.vector(N)}")
        put(f"{name} = np.clip({name}, -8, 8)" if self.random.random() < 0.2 else f"a[:] = np.clip(a, -8, {N})")

    def source(self):
        self.lines.append("    for i0 in range(40):")
        self.lines.append("        i0 = i0 % 7")
        self.indices.append("i0")
        for _ in range(3):
            self.statement(2)
        self.indices.clear()
        while self.budget > 0:
            self.statement(1)
        self.lines.append("    return a, b, c, s")
        return "\n".join(self.lines) + "\n"


def written(source, path):
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def alike(got, wanted):
    """True if two outcomes are the same, but for roundings."""
    if isinstance(wanted, list | tuple):
        return type(got) is type(wanted) and len(got) == len(wanted) and all(map(alike, got, wanted))
    if isinstance(wanted, np.ndarray | np.generic):
        same = type(got) is type(wanted) and got.dtype == wanted.dtype and got.shape == wanted.shape
        return same and got.strides == wanted.strides and np.allclose(got, wanted, rtol=1e-9, equal_nan=True)
    return type(got) is type(wanted) and got == wanted


def run_of(seed, folder):
    """The graphs of a program whose outcomes are those of eager Python."""
    source = Program(seed).source()
    program = written(source, folder / f"program{seed}.py")
    generator = np.random.default_rng(seed)
    dtype = [np.int64, np.float64][seed % 2]
    native = tracefn.function(program, jit="now")
    for s in (3, 0):
        a, b, c = [generator.integers(-4, 5, shape).astype(dtype) for shape in (N, (N, N), (N, N))]
        args = (a, b, c, np.int64(s))
        wanted, got = [outcome(f, args, program.__code__.co_filename) for f in (program, native)]
        if any(got[0][0] is e for e in (tracefn.errors.InPlaceWriteError, tracefn.errors.ControlFlowError)):
            return []  # a write into what may be one array or another, an index of which a value decides the type
        assert alike(got[0], wanted[0]), f"{source}\n{got[0]}\n{wanted[0]}"
        assert alike(got[2], wanted[2]), f"{source}\n{got}\n{wanted}"
    return native.concrete_functions  # none where the program raises while it is traced


@pytest.mark.parametrize("seeds", [range(first, first + 4) for first in range(0, sizes.of(8, 48), 4)])
def test_random_programs(seeds, tmp_path):
    graphs = [graph for seed in seeds for graph in run_of(seed, tmp_path)]
    assert sum(map(is_native, graphs)) > 0.5 * len(graphs) > 0


def test_a_kernel_that_turns_out_unfit_leaves_the_others(tmp_path):
    """Its code was written when any argument could be written into, which is not so."""
    f = tracefn.function(written(Program(42).source(), tmp_path / "program.py"), jit="now")
    f(np.arange(N), np.eye(N, dtype=int), np.eye(N, dtype=int)[::-1].copy(), 3)
    assert f.concrete_functions[0].plan == "native" and "kernel0(" in f.concrete_functions[0].native_program
