"""Random NumPy programs over all dtypes and layouts, with views, writes and aliases, grown statement by statement on
real arrays."""

import linecache
import textwrap
import warnings

import numpy as np

SHAPES = ((4,), (3, 4), (2, 3, 4), (1, 4), (4, 1), (3,), (3, 3), (), (0,), (0, 4), (1,))
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES += ("float16", "float32", "float64", "float64", "float64", "complex64", "complex128")
LAYOUTS = ("C", "C", "C", "F", "transposed", "reversed", "mirrored", "strided", "read-only")
UNARY = """np.abs({})|-{}|~{}|np.sqrt(np.abs({}))|{} * 2|{} // 3|{} % 3|{} ** 2|{} * 1.5|1 / {}|np.cos({})|{}.copy()
({} > 1) * 1.5|np.sign({})|{}.real|{}.imag|np.conj({})|{}.conj()|np.exp({})|np.isnan({})|np.cumsum({})|np.sort({})
np.argsort({})|np.clip({}, 0, 3)|np.where({} > 0, {}, 1)|np.flatnonzero({})|np.diff({})|{}.astype(np.float32)
{}.astype(np.int16)|{}.astype(complex)|{}.astype(bool)|np.outer({}, {})|{} @ {}|np.unique({})|np.roll({}, 1)
np.concatenate([{}, {}])|np.stack([{}, {}])|np.zeros_like({})|np.full(3, {}.size)|np.pad({}, 1)
np.repeat({}, 2)|np.tile({}, 2)|np.nan_to_num({})|np.round({}, 1)|np.floor({})|{} << 1|2 - {}|np.float32(2) * {}|-2 * {}
np.log(np.abs({}))|np.broadcast_to({}, (2, *{}.shape))|np.triu({})|np.average({})|np.median({})|np.add.reduce({})
np.multiply.accumulate({})|np.square({})|np.reciprocal({})|np.isin({}, [1, 2])|np.append({}, 5)|np.array({})
np.asarray({})|np.array([{}, {}])
np.ascontiguousarray({})|np.atleast_2d({})|np.trace({})|np.tril({})|np.expand_dims({}, 0)"""
UNARY = UNARY.replace("\n", "|").split("|")
BINARY = ("+", "-", "*", "/", "//", "%", "**", "<", "==", "!=", "&", "|", "^", "<<", ">>", "@")
CALLS = (
    "maximum",
    "minimum",
    "arctan2",
    "hypot",
    "fmax",
    "dot",
    "outer",
    "logical_and",
    "copysign",
    "subtract",
    "power",
)
REDUCTIONS = ("sum", "mean", "max", "min", "prod", "argmax", "any", "all", "std", "ptp")


class Program:
    """A program and what it is called with. `choose(options)` and `number(low, high)` make its decisions."""

    def __init__(self, choose, number):
        self._choose, self._number = choose, number
        self._count = 0
        self.arguments = [self._argument() for _ in range(3)]
        self._names = {name: _like(value) for name, value in zip("xyz", self.arguments, strict=True)}
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
        shape, dtype = self._choose(SHAPES), np.dtype(self._choose(DTYPES))
        values = np.arange(1, 1 + int(np.prod(shape))) % 7 - 2.5 * (dtype.kind not in "bu")
        array = np.array(values.reshape(shape).astype(dtype))
        layout = self._choose(LAYOUTS)
        if layout == "F":
            return np.asfortranarray(array)
        if layout == "transposed":
            return np.ascontiguousarray(array.T).T
        if layout == "reversed" and array.ndim:
            return array[::-1]
        if layout == "mirrored" and array.ndim:
            return np.flip(array)
        if layout == "strided" and array.ndim:
            return np.repeat(array, 2, axis=-1)[..., ::2]
        array.flags.writeable = layout != "read-only"
        return array

    # --- statements

    def _statement(self, depth):
        kinds = ["view", "value", "value", "write", "write", "augment", "out", "method", "single", "swap"]
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
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                exec("\n".join(lines), self._names)
        except Exception:
            return self._number(0, 60) == 0  # a program may fail
        if not self._arrays() or any(self._names[name].size > 4000 for name in self._arrays()):
            self._names = before
            return False
        return True

    def _block(self, depth):
        before = set(self._names)
        conditions = (
            f"if {self._array()}.sum() > {self._number(-5, 20)}:",
            f"if np.any({self._array()}):",
            "while n > 1:",
        )
        head = self._choose((*conditions, "for i in range(n):", "for i in range(2):", "for i in range({}):"))
        head = head.format(f"len({self._array()})")
        self._names.setdefault("i", 1)
        inner = [line for _ in range(self._number(1, 3)) for line in self._statement(depth + 1)]
        for name in set(self._names) - before - {"i"}:
            del self._names[name]
        del self._names["i"]
        inner += ["n = n - 1"] if head.startswith("while") else []
        lines = [head, *[f"    {line}" for line in inner]]
        if "i" in before:
            self._names["i"] = 1
        return lines

    def _view(self):
        a = self._array()
        views = (f"{a}[{self._index(a)}]", f"{a}.T", f"{a}[::-1]", f"{a}.reshape(-1)", f"{a}.ravel()", f"{a}[None]")
        views += (f"np.swapaxes({a}, 0, -1)", f"np.flip({a})", a, f"{a}.squeeze()", f"{a}.diagonal()", f"{a}.real")
        return [f"{self._new()} = {self._choose(views)}"]

    def _value(self):
        name = self._choose([self._new(), self._new(), self._array()])
        return [f"{name} = {self._expression()}"]

    def _swap(self):
        a, b = self._array(), self._array()
        return [f"{a}, {b} = {b}, {a}"]

    def _single(self):
        a = self._array()
        values = (f"{a}.{self._choose(REDUCTIONS)}()", f"{a}.flat[0]", f"len({a})", f"{a}.ndim", f"float({a}.flat[-1])")
        values += (
            f"int({a}.size)",
            f"{a}.shape[0]",
            f"bool({a}.any())",
            f"{a}.item(0)",
            f"np.int8({self._number(-3, 5)})",
        )
        values += (f"{self._scalar()} {self._choose(BINARY)} {self._scalar()}", f"abs({self._scalar()})")
        return [f"{self._new()} = {self._choose(values)}"]

    def _expression(self):
        a, b = self._array(), self._array()
        kind = self._choose(("unary", "unary", "binary", "call", "reduce", "scalar", "rows", "mixed"))
        if kind == "unary":
            template = self._choose(UNARY)
            return template.replace("{}", a)
        if kind == "binary":
            return f"{a} {self._choose(BINARY)} {b}"
        if kind == "call":
            return f"np.{self._choose(CALLS)}({a}, {self._choose((b, self._scalar()))})"
        if kind == "reduce":
            keep = self._choose(("", ", keepdims=True"))
            return f"{a}.{self._choose(REDUCTIONS[:-1])}(axis={self._number(-1, 0)}{keep})"
        if kind == "rows":
            return f"{a}[{self._index(a)}] + {b}[{self._index(b)}]"
        if kind == "mixed":
            return f"{a} {self._choose(BINARY)} {self._scalar()}"
        return str(self._number(-3, 5))

    def _write(self):
        a, b = self._array(), self._array()
        mask, flat = f"{a}[{a} > {self._number(-2, 3)}]", f"{a}.flat[{self._number(0, 2)}]"
        target = self._choose((f"{a}[{self._index(a)}]", mask, f"{a}[[0, -1]]", f"{a}[...]", f"{a}.T[0]", flat))
        values = [self._expression(), self._scalar()]
        if target != mask:  # what NumPy does depends on its loops where a mask selects among what it overwrites
            values.append(f"{b}[{self._index(b)}]")
        return [f"{target} = {self._choose(values)}"]

    def _augment(self):
        a = self._array()
        target = self._choose((a, f"{a}[{self._index(a)}]", f"{a}[{a} < {self._number(-2, 3)}]", f"{a}[[0, -1]]"))
        operator = self._choose(("+", "-", "*", "+", "*", "/", "//", "%", "&", "|", "@"))
        return [f"{target} {operator}= {self._expression()}"]

    def _out(self):
        a, b, c = self._array(), self._array(), self._array()
        where = self._choose(("", "", f", where={c} > 0"))
        calls = [f"np.add({a}, {b}, out={c}{where})", f"np.multiply({a}, 2, out={c}{where})"]
        if self._names[c].ndim:  # into one without axes NumPy multiplies what does not fit together
            calls.append(f"np.matmul({a}, {b}, out={c})")
        calls += [f"np.subtract({a}, {b}, out={c}, casting='unsafe')"]
        calls += [f"np.sum({a}, axis=0, out={c})", f"np.clip({a}, 0, 2, out={c})"]
        # of other shapes NumPy takes some where memory is shared, and without axes it ends the process
        if self._names[a].shape == self._names[c].shape != ():
            calls.append(f"np.cumsum({a}, axis=0, out={c})")
        return [self._choose(calls)]

    def _method(self):
        a, b = self._array(), self._array()
        at = a if self._names[a].flags.writeable else "z.copy()"  # NumPy's `at` writes into read-only arrays
        return [
            self._choose(
                (
                    f"{a}.fill({self._number(-3, 3)})",
                    f"{a}.sort()",
                    f"{a}.sort(axis=0)",
                    f"np.copyto({a}, {b})",
                    f"np.copyto({a}, {self._number(-3, 3)}, where={a} > 0)",
                    f"np.add.at({at}, [0, -1, 0], 2)",
                    f"np.maximum.at({at}, 0, {self._scalar()})",
                    f"np.put({a}, [0, -1], [7, 8])",
                    f"np.putmask({a}, {a} > 1, {b})",
                    f"np.place({a}, {a} < 0, [1, 2])",
                    f"np.fill_diagonal({a}, {self._number(-3, 3)})",
                    f"{a}[{self._index(a)}].fill(1)",
                    f"np.put_along_axis({a}, np.argmax({a}, axis=-1, keepdims=True), 9, axis=-1)",
                )
            )
        ]

    # --- parts

    def _arrays(self):
        return [name for name, value in self._names.items() if isinstance(value, np.ndarray)]

    def _array(self):
        arrays = self._arrays()
        inner = [name for name in arrays if self._names[name].size and self._names[name].ndim]
        return self._choose(self._choose((inner, inner, inner, arrays)) or arrays)

    def _scalar(self):
        numbers = [
            k for k, v in self._names.items() if isinstance(v, np.generic | int | float | complex) and k not in "ni"
        ]
        return self._choose((*numbers, str(self._number(-3, 5)), "0.5", "n"))

    def _new(self):
        self._count += 1
        return f"v{self._count}"

    def _index(self, name):
        parts = []
        for length in self._names[name].shape[: self._number(1, 2)]:
            traced = [f"i % {max(length, 1)}"] if "i" in self._names else []
            parts.append(
                self._choose((":", "1:", ":-1", "::2", "::-1", "0", "-1", f"{length // 2}:", "[0, 0]", *traced))
            )
        return ", ".join(parts) or "..."


def _like(array):
    """A copy that lies in memory as the array does, and is as read-only as it is."""
    copy = np.array(array, copy=True, order="K")
    copy.flags.writeable = array.flags.writeable
    return copy
