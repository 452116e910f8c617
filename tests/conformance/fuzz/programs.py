"""Random NumPy programs with views, writes and aliases, grown statement by statement on real arrays."""

import linecache
import textwrap

import numpy as np

SHAPES = ((4,), (3, 4), (2, 3, 4), (1, 4), (4, 1))
DTYPES = ("float64", "float64", "float32", "int64")
UNARY = ("np.abs({})", "-{}", "np.sqrt(np.abs({}))", "{} * 2", "{} // 3", "np.cos({})", "{}.copy()", "({} > 1) * 1.5")
BINARY = ("+", "-", "*", "/")


class Program:
    """A program and what it is called with. `choose(options)` and `number(low, high)` make its decisions."""

    def __init__(self, choose, number):
        self._choose, self._number = choose, number
        self._count = 0
        self.arguments = [self._argument() for _ in range(3)]
        self._names = {
            name: np.array(value, copy=True, order="K") for name, value in zip("xyz", self.arguments, strict=True)
        }
        self._names |= {"np": np, "n": 3}
        lines = [line for _ in range(number(2, 9)) for line in self._statement(0)]
        results = [name for name in self._names if name not in ("np", "n") and not name.startswith("_")]
        self.source = "def program(x, y, z, n):\n" + textwrap.indent("\n".join(lines), "    ")
        self.source += f"\n    return {', '.join(results)}\n"

    def function(self, number):
        """The program as a function whose source can be found."""
        file = f"<fuzz {number}>"
        linecache.cache[file] = (len(self.source), None, self.source.splitlines(True), file)
        namespace = {"np": np}
        exec(compile(self.source, file, "exec"), namespace)
        return namespace["program"]

    def _argument(self):
        shape = self._choose(SHAPES)
        values = np.arange(1, 1 + int(np.prod(shape))) % 7 - 2.5
        array = values.reshape(shape).astype(self._choose(DTYPES))
        layout = self._choose(("C", "C", "F", "reversed", "strided"))
        if layout == "F":
            return np.asfortranarray(array)
        if layout == "reversed":
            return array[::-1]
        return np.repeat(array, 2, axis=-1)[..., ::2] if layout == "strided" else array

    # --- statements

    def _statement(self, depth):
        kinds = ["view", "value", "write", "write", "write", "augment", "out", "method"]
        kinds += ["block"] if depth < 2 else []
        for _ in range(5):
            kind = self._choose(kinds)
            if kind == "block":
                return self._block(depth)
            lines = getattr(self, f"_{kind}")()
            if self._runs(lines):
                return lines
        return ["pass"]

    def _runs(self, lines):
        """Runs what was made on the arrays; what fails, or leaves no array, is not used."""
        before = dict(self._names)
        try:
            with np.errstate(all="ignore"):
                exec("\n".join(lines), self._names)
        except Exception:
            return False
        if not self._arrays():
            self._names = before
        return bool(self._arrays())

    def _block(self, depth):
        before = set(self._names)
        head = self._choose(
            (f"if {self._array()}.sum() > {self._number(-5, 20)}:", "for i in range(n):", "for i in range(2):")
        )
        self._names.setdefault("i", 1)
        inner = [line for _ in range(self._number(1, 3)) for line in self._statement(depth + 1)]
        for name in set(self._names) - before - {"i"}:
            del self._names[name]
        del self._names["i"]
        lines = [head, *[f"    {line}" for line in inner]]
        if "i" in before:
            self._names["i"] = 1
        return lines

    def _view(self):
        a = self._array()
        views = (f"{a}[{self._index(a)}]", f"{a}.T", f"{a}[::-1]", f"{a}.reshape(-1)", f"{a}.ravel()", f"{a}[None]")
        return [f"{self._new()} = {self._choose((*views, f'np.swapaxes({a}, 0, -1)', f'np.flip({a})', a))}"]

    def _value(self):
        name = self._choose([self._new(), self._array()])
        return [f"{name} = {self._expression()}"]

    def _expression(self):
        a, b = self._array(), self._array()
        kind = self._choose(("unary", "binary", "sum", "scalar", "rows"))
        if kind == "unary":
            return self._choose(UNARY).format(a)
        if kind == "binary":
            return f"{a} {self._choose(BINARY)} {b}"
        if kind == "sum":
            return f"{a}.sum(axis={self._number(-1, 0)})"
        if kind == "rows":
            return f"{a}[{self._index(a)}] + {b}[{self._index(b)}]"
        return str(self._number(-3, 5))

    def _write(self):
        a, b = self._array(), self._array()
        mask, flat = f"{a}[{a} > {self._number(-2, 3)}]", f"{a}.flat[{self._number(0, 2)}]"
        target = self._choose((f"{a}[{self._index(a)}]", mask, f"{a}[[0, -1]]", f"{a}[...]", f"{a}.T[0]", flat))
        values = [self._expression(), str(self._number(-3, 5))]
        if target != mask:  # what NumPy does depends on its loops where a mask selects among what it overwrites
            values.append(f"{b}[{self._index(b)}]")
        return [f"{target} = {self._choose(values)}"]

    def _augment(self):
        a = self._array()
        target = self._choose((a, f"{a}[{self._index(a)}]", f"{a}[{a} < {self._number(-2, 3)}]", f"{a}[[0, -1]]"))
        return [f"{target} {self._choose(('+', '-', '*'))}= {self._expression()}"]

    def _out(self):
        a, b, c = self._array(), self._array(), self._array()
        where = self._choose(("", "", f", where={c} > 0"))
        calls = [f"np.add({a}, {b}, out={c}{where})", f"np.multiply({a}, 2, out={c}{where})"]
        calls.append(f"np.matmul({a}, {b}, out={c})")
        if self._names[a].shape == self._names[c].shape:  # of others NumPy takes some where memory is shared
            calls.append(f"np.cumsum({a}, axis=0, out={c})")
        return [self._choose(calls)]

    def _method(self):
        a, b = self._array(), self._array()
        return [
            self._choose(
                (
                    f"{a}.fill({self._number(-3, 3)})",
                    f"{a}.sort()",
                    f"{a}.sort(axis=0)",
                    f"np.copyto({a}, {b})",
                    f"np.copyto({a}, {self._number(-3, 3)}, where={a} > 0)",
                    f"np.add.at({a}, [0, -1, 0], 2)",
                    f"np.put({a}, [0, 1], [7, 8])",
                    f"np.putmask({a}, {a} > 1, {b})",
                    f"np.place({a}, {a} < 0, [1, 2])",
                    f"np.fill_diagonal({a}, {self._number(-3, 3)})",
                    f"{a}[{self._index(a)}].fill(1)",
                )
            )
        ]

    # --- parts

    def _arrays(self):
        return [name for name, value in self._names.items() if isinstance(value, np.ndarray) and value.ndim]

    def _array(self):
        return self._choose(self._arrays())

    def _new(self):
        self._count += 1
        return f"v{self._count}"

    def _index(self, name):
        parts = []
        for length in self._names[name].shape[: self._number(1, 2)]:
            traced = [f"i % {length}"] if "i" in self._names else []
            parts.append(self._choose((":", "1:", ":-1", "::2", "::-1", "0", "-1", f"{length // 2}:", *traced)))
        return ", ".join(parts)
