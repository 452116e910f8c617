"""Random programs about what shares memory: writes in place and rebinding, views, branches, loops and early returns."""

import linecache
import random
import textwrap

import numpy as np
from conformance.fuzz import idioms, simulations

HELPERS = idioms.HELPERS | simulations.HELPERS

TWO, ONE = (4, 5), (5,)
"""The shapes of the two kinds of arrays: a program's names stand for one kind each, as people's do."""

ARGUMENTS = (("x", TWO), ("y", TWO), ("z", ONE))
DTYPES = ("float64", "float64", "float64", "int64", "float32")
OPERATORS = ("+", "-", "*", "+", "-")


class Program(idioms.Idioms, simulations.Simulations):
    """A program and what it is called with. Its names x, y, a, b, c have two axes, z, u, v one; w, p, q are views."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self._views = []
        self._count = 0
        self._depth = 0
        self._in_loop = False
        self._left = self._number(5, 12)
        given = ARGUMENTS[: self._number(1, 3)]
        self.dtypes = [self._choose(DTYPES) if self._chance(0.3) else "float64" for _ in given]
        self._names = dict(given)
        self._returned = self._choose(([ONE], [TWO], [TWO], [TWO, TWO], [TWO, ONE], [TWO, TWO, ONE], [TWO, TWO, None]))
        lines = [line for _ in range(self._number(1, 2)) for line in self._own()]
        while self._left > 0:
            lines += self._statement()
        lines.append(self._return(self._chance(0.1)))
        parameters = ", ".join([*[name for name, _ in given], "n", "m"])
        self.source = f"def program({parameters}):\n" + textwrap.indent("\n".join(lines), "    ") + "\n"
        self.source += "".join(text for name, text in HELPERS.items() if f"{name}(" in self.source)

    def calls(self):
        """What it is called with, one after the other."""
        return arguments([shape for _, shape in ARGUMENTS[: len(self.dtypes)]], self.dtypes)

    # --- choices

    def _choose(self, options):
        return self._random.choice(list(options))

    def _number(self, low, high):
        return self._random.randint(low, high)

    def _chance(self, of):
        return self._random.random() < of

    def _of(self, shape):
        return self._choose([name for name, found in self._names.items() if found == shape] or [_made(shape)])

    def _array(self):
        return self._choose(self._names)

    # --- statements

    def _statement(self):
        self._left -= 1
        kinds = ["write"] * 5 + ["rebind"] * 4 + ["view"] * 2 + ["own"]
        kinds += ["called", "together", "rows", "chosen", "moving", "idiom", "idiom", "by_rows", "kept", "helped"]
        kinds += ["simulated"] * 3 + ["swapped", "nested", "held"]
        if self._views:
            kinds += ["through"] * 3
        if self._depth < 2:
            kinds += ["branch"] * 4 + ["loop"] * 3 + ["searched", "endless", "guarded"]
        if self._depth:
            kinds += ["leave"]
        return getattr(self, f"_{self._choose(kinds)}")()

    def _block(self, views=True):
        """The statements of a branch or loop. Names that it alone binds are not read after it, mostly."""
        names, seen = dict(self._names), list(self._views)
        self._depth += 1
        lines = [line for _ in range(self._number(1, 3)) for line in self._statement()]
        self._depth -= 1
        if not self._chance(0.05):
            self._names = {name: shape for name, shape in self._names.items() if name in names}
            self._views = [view for view in self._views if view in seen]
        return textwrap.indent("\n".join(lines), "    ").splitlines()

    def _own(self):
        shape = self._choose((TWO, TWO, ONE))
        name = self._choose("abc" if shape == TWO else "uv")
        made = [f"np.zeros({shape})", f"np.ones({shape})", f"{self._of(shape)}.copy()", f"{self._of(shape)} * 2"]
        self._names[name] = shape
        return [f"{name} = {self._choose(made)}"]

    def _rebind(self):
        name = self._array()
        shape = self._names[name]
        other = self._of(shape)
        kind = self._number(0, 9)
        if kind < 5:
            return [f"{name} = {self._value(shape)}"]
        if kind < 8 and other != name:
            return [f"{name} = {other}"]
        if kind < 9 and other != name:
            return [f"{name}, {other} = {other}, {name}"]
        return [f"{name} = {name}.copy()"]

    def _value(self, shape):
        a, b = self._of(shape), self._of(shape)
        made = [f"{a} {self._choose(OPERATORS)} {b}", f"{a} * 0.5", f"{a} + 1"]
        made.append(f"np.where({a} > {self._limit()}, {a}, {b})")
        made += [f"np.minimum({a}, {b})", f"-{a}", f"{a}[::-1] + {b}", f"np.abs({a})"]
        if shape == ONE:
            made += [f"{self._of(TWO)}.sum(axis=0)", f"{self._of(TWO)}[{self._number(0, 3)}] + 1"]
        else:
            made += [f"{a} + {self._of(ONE)}", f"np.zeros_like({a})"]
        return self._choose(made)

    def _limit(self):
        return self._choose(("-1", "0", "1", "2.5", "10"))

    def _scalar(self):
        total = f"{self._array()}.{self._choose(('sum', 'max', 'mean'))}()"
        return self._choose(("0.5", "2", "-1", "1", "3", "m", total))

    def _write(self):
        return self._written(self._array())

    def _through(self):
        return self._through_one(self._choose(self._views))

    def _through_one(self, view):
        writes = [f"{view} -= 1", f"{view} *= 2", f"{view}[0] = {self._scalar()}", f"{view}[...] = 3"]
        writes += [f"{view} += {view}", f"{view}[{view} > {self._limit()}] = 0"]
        writes += [f"np.copyto({view}, {self._number(0, 3)})"]
        return [self._choose(writes)]

    def _written(self, a):
        shape = self._names[a]
        b, c = self._of(shape), self._of(shape)
        part, row = self._part(shape), self._number(0, 3)
        writes = [
            f"{a} += {self._choose((b, self._scalar()))}",
            f"{a} *= 0.5",
            f"{a} -= {b}",
            f"{a}[{part}] = {self._scalar()}",
            f"{a}[{part}] += {self._scalar()}",
            f"{a}[{part}] = {b}[{part}]",
            f"{a}[{a} > {self._limit()}] = {self._scalar()}",
            f"{a}[{a} < {self._limit()}] *= -1",
            f"{a}[{row}] = {self._scalar()}",
            f"{a}[[0, 2]] += 1",
            f"np.copyto({a}, {b})",
            f"np.copyto({a}, {b}, where={b} > {self._limit()})",
            f"np.add({b}, {c}, out={a})",
            f"np.multiply({b}, 2, out={a})",
            f"np.subtract({a}, {b}, out={a}, where={c} > 0)",
            f"{a}.fill({self._number(-2, 2)})",
            f"{a}.sort()",
        ]
        return [self._choose(writes)]

    def _part(self, shape):
        if shape == ONE:
            return self._choose(("1:", ":-1", "::2", "1:3", "0", "-1", *(["i % 5"] if self._in_loop else [])))
        counted = ["i % 4"] if self._in_loop else []
        return self._choose((":, 1:3", "1:", "0", ":, 0", "::2", "-1, 1:", "1, 2", *counted))

    def _called(self):
        """Helpers write into what they are given, and return it or something else."""
        shape = self._choose((ONE, TWO))
        a, b = self._of(shape), self._of(shape)
        target = self._choose([n for n, s in self._names.items() if s == shape] or [_made(shape)])
        call = self._choose((f"bumped({a})", f"bigger({a}, {b})", f"clamped({a}, {self._limit()})"))
        return [call if "(" in target or self._chance(0.4) else f"{target} = {call}"]

    def _together(self):
        """Two arrays in a list or tuple, of which one is written into."""
        shape = self._choose(list(self._names.values()))
        a, b = self._of(shape), self._of(shape)
        lines = [self._choose((f"both = [{a}, {b}]", f"both = {a}, {b}"))]
        kinds = [
            "both[0][0] = 1",
            "both[1][...] *= 2",
            "for each in both:\n    each -= 1",
            f"bumped(both[{self._number(0, 1)}])",
        ]
        if "[" in lines[0].partition("=")[2][:2]:
            kinds += ["both[0] += both[1]", "both.reverse()\nboth[0][1:] = 2", "both[0] = both[0] + 1\nboth[0][0] = 4"]
        lines += self._choose(kinds).splitlines()
        if a in self._names and b in self._names and a != b and self._chance(0.5):
            lines.append(f"{a}, {b} = both")
        return lines

    def _rows(self):
        a = self._of(TWO)
        if "(" in a:
            return self._own()
        rows = (
            f"for row in {a}:\n    row *= 2",
            f"for k, row in enumerate({a}):\n    row[k] = k",
            f"{a}[0], {a}[1] = {a}[1], {a}[0]",
        )
        rows += (
            f"{a}[[0, 1]] = {a}[[1, 0]]",
            f"{a}[1], {a}[0] = {a}[0].copy(), {a}[1].copy()",
            f"{a}.T[0] = {a}[:, 1]",
        )
        return self._choose(rows).splitlines()

    def _chosen(self):
        name = self._array()
        shape = self._names[name]
        a, b = self._choose((self._of(shape), self._value(shape))), self._of(shape)
        return [f"{name} = {a} if {self._condition()} else {b}"]

    def _moving(self):
        """A view whose place a value decides."""
        a = self._of(TWO)
        if "(" in a:
            return self._own()
        index = self._choose(("m", *(["i % 4"] if self._in_loop else [])))
        if "q" not in self._views:
            self._views.append("q")
        return [f"q = {a}[{index}]", *self._through_one("q")]

    def _view(self):
        a = self._array()
        flat = [f"{a}.reshape(-1)", f"{a}.ravel()", f"{a}[0]", f"{a}[:, 1]", f"{a}[-1, 1:]"]
        if self._names[a] == ONE:
            name, views = "q", [a, f"{a}[1:]", f"{a}[::-1]", f"{a}[:3]", f"{a}.T"]
        elif self._chance(0.4):
            name, views = "q", flat
        else:
            name = self._choose("wp")
            views = [a, f"{a}.T", f"{a}[::-1]", f"{a}[1:]", f"{a}[1:3]", f"{a}[:, 1:4]"]
            views += [f"{a}[:, ::2]", f"{a}[1:3, :2]", f"{a}[::2].T"]
        name = name if self._chance(0.95) else "p"
        if name not in self._views:
            self._views.append(name)
        through = [name] if self._chance(0.5) else []
        return [f"{name} = {self._choose(views)}", *[line for v in through for line in self._through_one(v)]]

    def _condition(self):
        a = self._array()
        traced = (f"{a}.sum() > {self._limit()}", f"{a}.max() > {self._limit()}", f"np.any({a} < 0)", "m > 1", "m == 0")
        if self._in_loop:
            traced += ("i == 0", "i == 1", "i > 0")
        return self._choose((*traced, *traced, "n > 1", f"{a}.ndim == 2"))

    def _branch(self):
        lines = [f"if {self._condition()}:", *self._block()]
        if self._chance(0.15):
            lines += [f"elif {self._condition()}:", *self._block()]
        if self._chance(0.5):
            lines += ["else:", *self._block()]
        return lines

    def _loop(self):
        around, self._in_loop = self._in_loop, True
        index = "i" if not around else "j"
        kind = self._choose(("for", "for", "traced", "traced", "while", "sum"))
        if kind == "for":
            lines = [f"for {index} in range({self._choose(('n', '2', '3', '40'))}):", *self._block()]
        elif kind == "traced":
            lines = [f"for {index} in range(m):", *self._block()]
        else:
            test = "m" if kind == "while" else f"3 and {self._array()}.sum() < {self._choose(('20', '100', '1000'))}"
            lines = [f"{index} = 0", f"while {index} < {test}:", f"    {index} += 1", *self._block()]
        self._in_loop = around
        return lines

    def _leave(self):
        condition = self._condition()
        kinds = ["return", "return"] + (["break", "continue"] if self._in_loop else [])
        kind = self._choose(kinds)
        leave = self._return(self._chance(0.05)) if kind == "return" else kind
        return [f"if {condition}:", f"    {leave}"]

    def _return(self, is_other):
        """A `return`; all in a program give the same structure, but for a few."""
        shapes = self._returned if not is_other else [self._choose((ONE, TWO))]
        names = [self._of(s) if s else f"{self._array()}.sum()" for s in shapes]
        if self._views and self._chance(0.3) and not is_other:
            pairs = zip(shapes, names, strict=True)
            names = [self._choose(self._views) + ".sum()" if s is None else n for s, n in pairs]
        return f"return {', '.join(names)}"


def arguments(shapes, dtypes):
    """Arguments for several calls: values that choose other branches and numbers of rounds, then arrays that share
    memory."""
    for number, (n, m, factor) in enumerate(((2, 2, 1.0), (2, 0, -1.0), (2, 3, 0.25), (0, 1, -2.0), (2, 2, 5.0))):
        rows = zip(shapes, dtypes, strict=True)
        arrays = [_values(shape, number + i, factor).astype(dtype) for i, (shape, dtype) in enumerate(rows)]
        yield [*arrays, n, np.int64(m)]
    if len(dtypes) > 1 and shapes[:2] == [TWO, TWO]:
        both = _values(TWO, 1, 1.0).astype(dtypes[0])
        yield [both, both, *arrays[2:], 2, np.int64(1)]
        yield [both.copy(), both[::-1], *arrays[2:], 2, np.int64(2)]


def function_of(source, name):
    """A program as a function whose source can be found."""
    file = f"<aliasing {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    namespace = {"np": np}
    exec(compile(source, file, "exec"), namespace)
    return namespace["program"]


def _made(shape):
    return f"np.ones({shape})"


def _values(shape, number, factor):
    size = int(np.prod(shape))
    return ((np.arange(size) * 7 + number * 3) % 11 - 4.0).reshape(shape) * factor
