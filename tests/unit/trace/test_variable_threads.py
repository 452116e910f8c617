"""Variables in several threads: no assignment is lost, nothing waits for ever; and random programs that assign."""

import importlib.util
import random
import sys
import threading
import time

import numpy as np
import pytest
import tracefn
from tracefn import Variable

ROUNDS = 200


@pytest.fixture(autouse=True)
def short_turns():
    """Python changes threads so often that what can come between two steps does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(*functions):
    """Runs each in a thread of its own, all at once. Fails where one has not ended in a minute."""
    failed = []
    ready = threading.Barrier(len(functions))

    def run(function):
        ready.wait()
        try:
            function()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(f,), daemon=True) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "a thread waits for ever"
    assert failed == []


def repeat(function, *args, rounds=ROUNDS):
    def run():
        for _ in range(rounds):
            function(*args)

    return run


@pytest.mark.parametrize("size", [1, 5000])
@pytest.mark.parametrize("traced", [False, True])
def test_no_addition_is_lost(traced, size):
    v, w = Variable(np.zeros(size)), Variable(0)

    def add(x):
        v.assign_add(x)
        w.assign_add(1)
        v[0] += 1
        return v + 0

    if not traced:
        in_threads(*[repeat(lambda: (v.assign_add(1.0), w.assign_add(1), v.__setitem__(0, v[0] * 1)))] * 1)
        in_threads(*[repeat(lambda: (v.assign_add(1.0), w.assign_add(1)))] * 4)
        assert (int(w), float(v[-1])) == (5 * ROUNDS, 5.0 * ROUNDS)
        return
    function = tracefn.function(add)
    in_threads(*[repeat(function, np.ones(size))] * 4, repeat(lambda: w.assign_add(1)))
    assert int(w) == 5 * ROUNDS
    assert float(v[0]) == 8.0 * ROUNDS
    assert function.tracing_count == 1


def test_what_one_call_assigns_is_assigned_together():
    a, b = Variable(np.zeros(100)), Variable(np.zeros(100))

    @tracefn.function
    def move(x):
        a.assign_sub(x)
        b.assign_add(x)
        return (a + b).sum()

    @tracefn.function
    def back(x):
        b.assign_sub(x)
        a.assign_add(x)
        return (a + b).sum()

    sums = set()
    in_threads(
        *[repeat(lambda: sums.add(float(move(np.ones(100)))))] * 2,
        *[repeat(lambda: sums.add(float(back(np.ones(100)))))] * 2,
    )
    assert sums == {0.0}
    assert float(a[0]) == 0.0


def test_arguments_in_any_order():
    @tracefn.function
    def add(v, w):
        v.assign_add(1.0)
        w.assign_add(1.0)

    a, b = Variable(0.0), Variable(0.0)
    in_threads(repeat(add, a, b), repeat(add, b, a), repeat(add, a, a), repeat(add, b, b))
    assert (float(a), float(b)) == (4.0 * ROUNDS, 4.0 * ROUNDS)


def test_programs_that_call_python_that_assigns():
    a, b = Variable(0.0), Variable(0.0)

    def crossing(first, second):
        other = tracefn.function(lambda: second.assign_add(1.0).value())

        @tracefn.function
        def f(x):
            first.assign_add(x)
            return tracefn.py_function(lambda: other(), [], np.float64)

        return repeat(f, 1.0)

    plain = tracefn.function(lambda: (a.assign_add(1.0), b.assign_add(1.0)) and 0)
    in_threads(crossing(a, b), crossing(b, a), repeat(plain), repeat(a.assign_add, 1.0))
    assert (float(a), float(b)) == (4.0 * ROUNDS, 3.0 * ROUNDS)


def test_a_program_that_waits_for_a_variable_holds_no_other():
    a, b = Variable(0.0), Variable(0.0)
    both = tracefn.function(lambda: (a.assign_add(1.0), b.assign_add(1.0)) and 0)
    second = tracefn.function(lambda: a.assign_add(1.0).value())
    both(), second()
    called, waiting = threading.Event(), threading.Event()

    def from_python():
        called.set()
        waiting.wait(10)
        time.sleep(0.2)  # until `both` waits for b
        return second()

    @tracefn.function
    def f():
        b.assign_add(1.0)
        return tracefn.py_function(from_python, [], np.float64)

    def then_both():
        called.wait(10)
        waiting.set()
        both()

    in_threads(f, then_both)
    assert (float(a), float(b)) == (4.0, 3.0)


def test_the_first_calls_create_once():
    class Model:
        def __init__(self):
            self.v = None
            self.count = 0

        @tracefn.function
        def __call__(self, x):
            if self.v is None:
                self.v = Variable(x * 0)
            self.v.assign_add(x)
            return self.v + 0

    for _ in range(10):
        model = Model()
        in_threads(*[repeat(model, np.ones(2), rounds=20)] * 4)
        assert float(model.v[0]) == 4.0 * 20
        assert model.__call__.tracing_count == 2


# --- random programs


class Programs:
    """Writes functions of variables `a` (three floats), `b` (a float), `k` (an int) and an array `x`."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.count = 0

    def vector(self):
        return self.random.choice(["a", "a * 0.5", "x", "np.tanh(a + x)", "a[::-1]", "(a + b)", "np.sort(x)", "y"])

    def number(self):
        return self.random.choice(["b", "a[1]", "a.sum()", "x[0]", "1.5", "np.sin(b)", "k", "z"])

    def condition(self):
        return self.random.choice(
            ["b > 0.5", "a[0] < x[1]", "k % 2 == 0", "b", "not k", "a.sum() > 1 and b < 2", "k in (1, 3)"]
        )

    def statement(self):
        choice = self.random.choice
        return choice([
            f"a.assign(np.tanh({self.vector()}))",
            f"a.assign_add({self.vector()})",
            f"a -= {self.vector()}",
            f"a[{choice('012')}] = {self.number()}",
            f"a[1:] *= {choice(['0.5', 'b', '-1'])}",
            f"a[k % 3] += {self.number()}",
            f"b.assign(np.tanh({self.number()}))",
            f"b.assign_sub({self.number()})",
            "k.assign_add(1)",
            "k += k % 3",
            f"y = np.tanh({self.vector()} + {self.number()})",
            f"z = np.float64(0.5) + np.tanh({self.number()})",
            "y = a.numpy()",
            "held[0].assign_add(0.25)",
        ])  # fmt: skip

    def block(self, indent, depth):
        for _ in range(self.random.randint(1, 4)):
            kind = self.random.random() if depth < 3 else 0.0
            if kind < 0.6:
                self.lines.append(indent + self.statement())
            elif kind < 0.8:
                self.lines.append(f"{indent}if {self.condition()}:")
                self.block(indent + "    ", depth + 1)
                if self.random.random() < 0.5:
                    self.lines.append(f"{indent}else:")
                    self.block(indent + "    ", depth + 1)
            else:
                self.count += 1
                i = f"i{self.count}"
                loop = self.random.choice(["while", "range", "traced"])
                if loop == "while":
                    self.lines.append(f"{indent}{i} = 0")
                    self.lines.append(f"{indent}while {i} < 4 and b < 50:")
                    self.block(indent + "    ", depth + 1)
                    self.lines.append(f"{indent}    {i} += 1")
                else:
                    rounds = "3" if loop == "range" else "(k % 3)"
                    self.lines.append(f"{indent}for {i} in range({rounds}):")
                    self.block(indent + "    ", depth + 1)

    def source(self):
        self.lines = [
            "import numpy as np",
            "def program(a, b, k, held, x):",
            "    y, z = x * 1, np.float64(0.0)",
        ]
        self.block("    ", 0)
        self.lines.append("    return a * 1, b * 1, k * 1, y, z")
        return "\n".join(self.lines) + "\n"


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed, tmp_path):
    source = Programs(seed).source()
    path = tmp_path / "program.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(f"program{seed}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    traced = tracefn.function(module.program)

    def run(function, alias):
        a, b, k = Variable([0.1, 0.2, 0.3]), Variable(0.4), Variable(1)
        found = []
        for call in range(3):
            x = np.linspace(-1, 1, 3) + call
            found.append(repr((function(a, b, k, [b if alias else Variable(0.0)], x), a, b, k)))
        return found

    with np.errstate(all="ignore"):
        for alias in (False, True, False):
            assert run(traced, alias) == run(module.program, alias), source
    assert traced.tracing_count == 2, source
