"""Random functions full of nested control flow, as source."""

import linecache
import random

import numpy as np

CONDITIONS = [
    "a > b", "a < 5 and b != 2", "not (a > 2)", "a % 2 == 0", "b > 1 or a > 3", "0 < a < 7", "b < 4", "k > 1",
]  # fmt: skip
ASSIGNMENTS = [
    "a = b + 1", "b = a - 1", "c = a * 2", "a = a + 1 if b > 2 else b", "a += 1", "b -= 1", "c += b", "a += b",
]  # fmt: skip
COMPOUND = ["if", "if", "if else", "while", "for", "try"]


def source(seed, *, effects):
    """A function `f(a, b, k, log)`. With `effects` it also appends to `log` and has `try … finally`."""
    writer = _Writer(random.Random(seed), effects)
    body = writer.block(3, False, 1)
    return "\n".join(
        ["def f(a, b, k, log):", "    c = a * 0", "    n = 0", *body, "    return a, b, c, n", ""]
    )  # fmt: skip


def compiled(text):
    """The function, with its source where tracebacks and `inspect` find it."""
    file = f"<program {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace = {"np": np}
    exec(compile(text, file, "exec"), namespace)
    return namespace["f"]


class _Writer:
    def __init__(self, rng, effects):
        self.rng, self.effects = rng, effects

    def block(self, depth, in_loop, indent):
        return [line for _ in range(self.rng.randint(1, 2)) for line in self.statement(depth, in_loop, indent)]

    def statement(self, depth, in_loop, indent):
        rng, pad = self.rng, "    " * indent
        simple = ["assign", "assign", "return", "break", "continue"]
        kind = rng.choice(simple + (COMPOUND if depth else []))
        test = rng.choice(CONDITIONS)

        def inner(loop=in_loop):
            return self.block(depth - 1, loop, indent + 1)

        def maybe_else():
            return [f"{pad}else:", *inner()] if rng.random() < 0.3 else []

        if kind == "if":
            return [f"{pad}if {test}:", *inner()]
        if kind == "if else":
            other = rng.choice(["a > 2", "b == 1"])
            return [f"{pad}if {test}:", *inner(), f"{pad}elif {other}:", *inner(), f"{pad}else:", *inner()]
        if kind == "while":
            head = [f"{pad}n += 1", f"{pad}while ({test}) and n < 9:", f"{pad}    n += 1"]
            return [*head, *inner(True), *maybe_else()]
        if kind == "for":
            rows = rng.choice(["2", "3", "k", "a % 3"])
            return [f"{pad}for i in range({rows}):", f"{pad}    n += 1", *inner(True), *maybe_else()]
        if kind == "try" and self.effects:
            return [f"{pad}try:", *inner(), f"{pad}finally:", f"{pad}    log.append(n)"]
        if kind == "return" and rng.random() < 0.5:
            return [pad + rng.choice(["return a, b, c, n", "return b, a, c, n + 10"])]
        if kind in ("break", "continue") and in_loop:
            return [pad + kind]
        return [f"{pad}log.append(a)"] if self.effects and rng.random() < 0.3 else [pad + rng.choice(ASSIGNMENTS)]
