"""Random differentiable programs: arithmetic, reductions, products, views, in-place writes, branches, loops, helpers,
containers and objects, grown statement by statement on real arrays. Each returns a number."""

import linecache
import random
import textwrap
import types
import warnings

import numpy as np

SHAPES = ((3,), (4,), (3, 4), (4, 3), (3, 3), ())
UNARY = """np.tanh({})|np.sin({})|np.cos({})|np.exp(0.2 * {})|np.sqrt(1 + {} ** 2)|np.log(2 + {} ** 2)|np.arctan({})
{} ** 2|{} ** 3 * 0.1|1 / (2 + {} ** 2)|-{}|2 * {} - 1|np.square({})|np.maximum({}, 0.1)|np.minimum({}, 0.3)
np.abs({})|np.clip({}, -1.5, 1.5)|np.where({} > 0, {}, 0.1 * {})|np.logaddexp({}, 0)|np.expm1(0.1 * {})
np.log1p({} ** 2)|np.hypot({}, 1)|np.sinc(0.3 * {})|np.cumsum({})|np.cumsum({}, axis=-1)
np.sort({}, axis=-1)|np.roll({}, 1)|np.flip({})|{}.T|{}[::-1]|{}.reshape(-1)|np.ravel({})|np.diff({})
np.concatenate([{}, 2 * {}])|np.stack([{}, {} ** 2])|np.pad({}, 1)|np.repeat({}, 2)|np.tile({}, 2)
np.outer({}, {})|np.triu(np.atleast_2d({}))|np.broadcast_to({}, (2, *np.shape({})))|{} - np.mean({})
{} / (1 + np.sum({} ** 2))|{} - np.max({})|np.linalg.norm({}) * {}|np.convolve(np.ravel({}), [0.5, 0.2])
np.nan_to_num({})|np.expand_dims({}, 0)|np.squeeze({})|np.swapaxes(np.atleast_2d({}), 0, 1)
np.array([{}, 3 * {}])|np.atleast_2d({}) @ np.atleast_2d({}).T|np.einsum('...i,...i->...', {}, {})
np.take({}, [0, 0, -1], axis=0)|np.median({}, axis=-1)|np.fft.fft({}).real
np.interp({}, [-1.0, 0.0, 2.0], [0.0, 1.0, 0.5])|np.float64(2) * {}|{}.copy()
np.linalg.inv(3 * np.eye(3) + 0.1 * np.atleast_2d({})[:, :3].T @ np.atleast_2d({})[:, :3])
np.prod({}, axis=-1)|softmax({})|squash({}, 2)
np.linalg.solve(4 * np.eye(3) + 0 * np.sum({}), np.ones(3)) * np.mean({})|np.append({}, 1.0)|{}.flatten()"""
UNARY = UNARY.replace("\n", "|").split("|")
BINARY = """{a} + {b}|{a} - {b}|{a} * {b}|{a} / (2 + {b} ** 2)|np.maximum({a}, {b})|np.arctan2({a}, 3 + {b} ** 2)
{a} @ {b}|np.dot({a}, {b})|np.where({a} > {b}, {a}, {b})|np.hypot({a}, 1 + {b})|np.inner({a}, {b})
(1.5 + np.abs({a})) ** (0.3 * {b})|mix({a}, {b})|np.outer({a}, {b})|np.kron({a}, {b})"""
BINARY = BINARY.replace("\n", "|").split("|")
GROWING = "outer kron concatenate stack pad repeat tile array append broadcast convolve [None]".split()
"""Parts of expressions whose results are larger than what they are given: none in loops, where they would explode."""

REDUCTIONS = ("sum", "mean", "max", "min", "std", "var")

PRELUDE = """
def softmax(v):
    e = np.exp(v - np.max(v))
    return e / e.sum()

def squash(v, times):
    for _ in range(times):
        v = np.tanh(v) + 0.1 * v
    return v

def mix(a, b, share=0.25):
    if np.mean(a) > np.mean(b):
        return share * a + (1 - share) * b
    return a * b

class Layer:
    def __init__(self, weight):
        self.weight, self.calls, self.last = weight, 0, None

    def __call__(self, v):
        self.calls += 1
        self.last = np.tanh(self.weight * v)
        return self.last + v

class Mean:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def add(self, v):
        self.total = self.total + np.sum(v)
        self.count += 1

    def value(self):
        return self.total / self.count
"""


class Program:
    """A program and the arrays that it is called with: `source` defines `program(x, y, w)`, which gives a number. One
    that is `pure` writes into no array."""

    def __init__(self, seed, pure=False):
        self._pure = pure
        for attempt in range(20):
            self._random = random.Random(f"{seed} {attempt}")
            self._make(np.random.default_rng([seed, attempt]))
            if self._gives_a_number():
                break

    def _make(self, values):
        self._count = self._depth = 0
        self.arguments = [np.array(values.normal(size=self._choose(SHAPES))) for _ in range(2)]
        self.arguments.append(np.array(values.normal(size=())))
        self._names = {k: np.array(v) for k, v in zip("xyw", self.arguments, strict=True)} | {"np": np}
        exec(PRELUDE, self._names)
        self._hidden = set(self._names) - set("xyw")
        lines = [line for _ in range(self._number(3, 9)) for line in self._statement(0)]
        shown = [name for name in self._arrays() if self._random.random() < 0.7]
        parts = [f"np.sum({name}) * {self._number(1, 9) / 10}" for name in shown]
        parts += ["np.sum(x ** 2) * 0.1", "np.sum(np.sin(y))", "np.sum(w) * 0.3"]
        self.source = PRELUDE + "\ndef program(x, y, w):\n" + textwrap.indent("\n".join(lines), "    ")
        self.source += "\n    total = 0.0\n" + "".join(f"    total = total + {part}\n" for part in parts)
        self.source += "    return total\n"

    def _gives_a_number(self):
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return np.isfinite(self.function("tried")(*[np.array(a) for a in self.arguments]))
        except Exception:
            return False

    def function(self, name):
        """The program as a function whose source can be found."""
        file = f"<gradients {name}>"
        linecache.cache[file] = (len(self.source), None, self.source.splitlines(True), file)
        module = types.ModuleType(f"gradients_{name}")
        module.np = np
        exec(compile(self.source, file, "exec"), module.__dict__)
        return module.program

    def _choose(self, options):
        return self._random.choice(options)

    def _number(self, low, high):
        return self._random.randint(low, high)

    # --- statements

    def _statement(self, depth):
        kinds = "value value value value view view write augment out object container swap".split()
        kinds += ["branch", "loop", "loop"] if depth < 2 else []
        if depth:
            kinds = [kind for kind in kinds if kind not in ("container", "object", "view")]
        if self._pure:
            kinds = [kind for kind in kinds if kind not in ("view", "write", "augment", "out")]
        for _ in range(8):
            lines = getattr(self, f"_{self._choose(kinds)}")(depth)
            if self._runs(lines):
                return lines
        return ["pass"]

    def _runs(self, lines):
        """Runs the statements on the arrays. What fails, or makes large or many values, is not used."""
        before = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in self._names.items()}
        try:
            with warnings.catch_warnings(), np.errstate(all="raise"):
                warnings.simplefilter("error")
                exec("\n".join(lines), self._names)
        except Exception:
            self._names = before
            return False
        arrays = [self._names[name] for name in self._arrays()]
        if all(a.size <= 200 and np.all(np.abs(a) < 1e3) and a.dtype == np.float64 for a in arrays):
            return True
        self._names = before
        return False

    def _inner(self, depth):
        before = set(self._names)
        self._depth += 1
        inner = [line for _ in range(self._number(1, 3)) for line in self._statement(depth + 1)]
        self._depth -= 1
        for name in set(self._names) - before:
            del self._names[name]
        return [f"    {line}" for line in inner]

    def _branch(self, depth):
        a = self._array()
        test = self._choose(
            (f"np.sum({a}) > {self._number(-2, 2)}", f"np.max({a}) < {self._number(0, 3)} + 0.5", "w > 0")
        )
        lines = [f"if {test}:", *self._inner(depth)]
        if self._number(0, 1):
            lines += ["else:", *self._inner(depth)]
        return lines

    def _loop(self, depth):
        a = self._array()
        heads = ["for i in range(3):", f"for i in range(len(np.atleast_1d({a}))):", "for k in (0.5, 0.25):"]
        head = self._choose((*heads, "while n < 3:", f"for row in np.atleast_2d({a}):"))
        rows = np.atleast_2d(self._names[a])
        names = {"i": 1, "k": 0.5, "row": rows[0].copy() if len(rows) else np.zeros(rows.shape[1:])}
        new = {name: value for name, value in names.items() if f" {name} " in head and name not in self._names}
        self._names |= new
        inner = self._inner(depth)
        for name in new:
            self._names.pop(name, None)
        if head.startswith("while"):
            return ["n = 0", head, *inner, "    n += 1"]
        if self._number(0, 3) == 0:
            stop = self._choose(("break", "continue"))
            test = f"    if np.sum({self._array()}) > 3.3:"
            inner = [inner[0], *inner[1:], test, f"        {stop}"]
        return [head, *inner]

    def _value(self, depth):
        name = self._choose([self._new(), self._new(), self._array()])
        return [f"{name} = {self._expression()}"]

    def _view(self, depth):
        a, v = self._array(), self._new()
        lines = [f"{v} = {a}[{self._index(a)}]" if self._names[a].ndim else f"{v} = {a}[None]"]
        if self._number(0, 1):
            lines.append(f"{v} *= {self._number(2, 15) / 10}")
        return self._on_copies(lines, a)

    def _write(self, depth):
        a = self._array(ndim=True)
        index = self._choose((f"[{self._index(a)}]", f"[{a} > {self._number(0, 1)}]", "[[0, -1]]", "[...]"))
        values = (self._expression(), f"{a}{index} * 0.5", f"{self._number(-3, 3)}.0", "w")
        return self._on_copies([f"{a}{index} = {self._choose(values)}"], a)

    def _augment(self, depth):
        a = self._array()
        target = self._choose((a, f"{a}[{self._index(a)}]")) if self._names[a].ndim else a
        lines = [f"{target} {self._choose('+-*')}= {self._choose((self._expression(), 'w', '0.5'))}"]
        return self._on_copies(lines, a)

    def _out(self, depth):
        a, b = self._array(), self._array()
        c = self._array()
        return self._on_copies([self._choose((f"np.add({a}, {b}, out={c})", f"np.multiply({a}, 0.5, out={c})"))], c)

    def _object(self, depth):
        a, o = self._array(), self._new()
        layer = [f"layer = Layer({self._choose(('w', '0.3', self._array()))})", f"{o} = layer(layer({a})) * layer.last"]
        mean = [
            "mean = Mean()",
            f"for part in ({a}, {self._array()}):",
            "    mean.add(part * w)",
            f"{o} = mean.value()",
        ]
        return self._choose((layer, mean))

    def _container(self, depth):
        a, b, o = self._array(), self._array(), self._new()
        rows = [f"rows = [{a} * k for k in (1.0, 0.5)]", f"rows.append({a} ** 2)", f"{o} = sum(rows)"]
        table = [
            f"table = {{'a': {a}, 'b': {b}}}",
            "table['a'] = np.sin(table['a'])",
            f"{o} = table['a'] + np.sum(table['b'])",
        ]
        grown = ["out = []", f"for v in np.atleast_1d({a}):", "    out.append(np.sum(v) * w)", f"{o} = np.array(out)"]
        return self._choose((rows, table, grown))

    def _swap(self, depth):
        a, b = self._array(), self._array()
        return [f"{a}, {b} = {b}, {a}"]

    def _on_copies(self, lines, name):
        """Most writes go into copies; what is given is written, too, now and then."""
        return lines if self._number(0, 3) == 0 else [f"{name} = {name} + 0.0", *lines]

    # --- parts

    def _expression(self):
        found = self._any_expression()
        while self._depth and any(part in found for part in GROWING):
            found = self._any_expression()
        return found

    def _any_expression(self):
        a, b = self._array(), self._array()
        kind = self._choose(("unary", "unary", "binary", "reduce", "mixed", "both"))
        if kind == "unary":
            return self._choose(UNARY).replace("{}", a)
        if kind == "binary":
            return self._choose(BINARY).format(a=a, b=b)
        if kind == "reduce":
            return f"{a}.{self._choose(REDUCTIONS)}({self._choose(('', 'axis=0', 'axis=-1, keepdims=True'))})"
        if kind == "mixed":
            return f"{a} {self._choose('+-*')} {self._choose(('w', '0.7', 'i', 'k', 'np.sum(' + b + ')'))}"
        return f"{self._choose(UNARY).replace('{}', a)} * {self._choose(UNARY).replace('{}', b)}"

    def _arrays(self):
        return [n for n, v in self._names.items() if n not in self._hidden and isinstance(v, np.ndarray | np.float64)]

    def _array(self, ndim=False):
        arrays = self._arrays()
        return self._choose([n for n in arrays if self._names[n].ndim] or arrays if ndim else arrays)

    def _new(self):
        self._count += 1
        return f"v{self._count}"

    def _index(self, name):
        parts = []
        for length in self._names[name].shape[: self._number(1, 2)]:
            traced = [f"i % {max(length, 1)}"] if "i" in self._names else []
            parts.append(self._choose((":", "1:", ":-1", "::2", "::-1", "0", "-1", "[0, 0]", *traced)))
        return ", ".join(parts) or "..."
