"""Methods, functions and names that are replaced between calls: the next call runs those that are there."""

import abc
import builtins
import functools
import importlib
import linecache
import math
import types
import typing

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree

X = np.arange(3.0)


def by(factor):
    return lambda self, x: x * factor


def direct(owner):
    return lambda x: owner.apply(x) + 1


def in_a_list(owner):
    layers = [owner]

    def run(x):
        for layer in layers:
            x = layer.apply(x)
        return x

    return run


@pytest.mark.parametrize("make", [direct, in_a_list])
def test_a_patched_method_is_seen(make):
    class Layer:
        def apply(self, x):
            return x * 2

    class Inherits(Layer):
        pass

    run = make(Inherits())
    traced = tracefn.function(run)
    for patched in (None, by(3.0), by(4.0), by(3.0), lambda self, x: x - 1):
        if patched is not None:
            Layer.apply = patched
        for _ in range(2):
            np.testing.assert_array_equal(traced(X), run(X))
    Inherits.apply = by(7.0)
    np.testing.assert_array_equal(traced(X), run(X))
    assert traced.tracing_count <= 6


def test_a_method_that_stays_needs_one_trace():
    class Layer:
        def apply(self, x):
            return x * 2

    run = direct(Layer())
    traced = tracefn.function(run)
    for _ in range(100):
        np.testing.assert_array_equal(traced(X), run(X))
    assert traced.tracing_count == 1


OBJECT = """
class Base:
    k = 2.0
    def m(self, x): return x * self.k
class Between(Base): pass
class Own(Between):
    def m(self, x): return super().m(x) + super().k
    @property
    def p(self): return 2.0
    def __str__(self): return "ab"
def g(x, k=2.0): return x * k * g.k
g.k = 2.0
a, b = Own(), Own()
"""
REBOUND = {
    "def f(x): return np.abs(x) + 1": "np = types.SimpleNamespace(abs=lambda v: v * 100)",
    "def f(x): return np.linalg.norm(x)": "np = types.SimpleNamespace(linalg=types.SimpleNamespace(norm=len))",
    "def f(x): return x * math.pi": "math = types.SimpleNamespace(pi=3)",
    "def f(x): return x * len(x)": "def len(v): return 100",
    "def f(x): return [v * len(x) for v in x][1]": "def len(v): return 100",
    "def f(x): return h(x)\ndef h(x): return abs(x) + sum(x)": "abs = np.square",
    "def f(x): return x + max(1, 2)": "max = min",
    "def f(x): return x * (2 if isinstance(x, np.ndarray) else 3)": "isinstance = lambda a, b: False",
    "def f(x):\n    try: return x[7]\n    except IndexError: return x": "IndexError = KeyError",
    "def f(x):\n    try: return x * later\n    except NameError: return x": "later = 7",
    "abs = np.square\ndef f(x): return abs(x)": "del abs",
    "def make():\n    xp = np\n    def put(v):\n        nonlocal xp\n        xp = v\n    "
    "return lambda x: xp.abs(x), put\nf, put = make()": "put(types.SimpleNamespace(abs=lambda v: v * 100))",
    "def f(x): return a.m(x)": "Between.m = lambda self, x: x * 9",
    "def f(x): return a.m(x) * 1": "Between.k = 7.0",
    "def f(x): return a.m(x) * 2": "Base.k = 7.0",
    "def f(x): return a.p * x": "Own.p = Own.p.getter(lambda self: 5.0)",
    "def f(x): return x * a.p": "Own.p.fget.__code__ = (lambda self: 5.0).__code__",
    "def f(x): return x * (2 if a == b else 3)": "Base.__eq__ = lambda self, other: True",
    "def f(x): return x * len(f'{a}')": "Base.__str__ = None; Own.__str__ = lambda self: 'abcd'",
    "def f(x): return g(x)": "g.k = 3.0",
    "class New:\n    def __init__(self, k=2.0): self.k = k\ndef f(x): return New().k * x":
    "New.__init__.__defaults__ = (5.0,)",
    "class New:\n    def __init__(self, k): self.k = k\ndef f(x): return New(x).k": "def put(self, k): self.k = k * 9\n"
    "New.__init__ = put",
    "class New:\n    def m(self, x): return x * 2\ndef f(x): return New().m(x)": "New.m = lambda self, x: x * 3",
    "class New:\n    @classmethod\n    def m(cls, x): return x * 2\ndef f(x): return New().m(x)":
    "New.m = classmethod(lambda cls, x: x * 3)",
    "def f(x): return a.m(x) * 3": "q = Own(); q.k = 9.0; a.m = q.m",
    "class Bare: pass\nbare = Bare()\ndef f(x): return x * (2 if bare else 3)": "Bare.__bool__ = lambda self: False",
    "class Bare: pass\ndef f(x): return x * bool(Bare())": "Bare.__len__ = lambda self: 0",
    "def f(x):\n    try: return x * (2.0 in b)\n    except TypeError: return x":
    "Own.__contains__ = lambda self, v: False",
    "class Bare:\n    def __getitem__(self, i): return [2.0, 3.0][i]\nbare = Bare()\n"
    "def f(x): return x * sum([v for v in bare])":
    "Bare.__iter__ = lambda self: iter([7.0])",
    "class Bare:\n    def __add__(self, v): return v\ndef f(x):\n    bare = Bare()\n    bare += x\n    return bare":
    "Bare.__iadd__ = lambda self, v: v * 2",
    "class Bare:\n    def __radd__(self, v): return 3.0\ndef f(x): return x * (b + Bare())":
    "Own.__add__ = lambda self, v: 4.0",
    "def f(x):\n    try: return x * -b\n    except TypeError: return x": "Own.__neg__ = lambda self: 5.0",
    "def f(x): return x * (hash(b) == 5)": "Own.__hash__ = lambda self: 5",
    "class Bare: pass\nbare = Bare()\ndef f(x): return x * len(str(bare))": "Bare.__str__ = lambda self: 'a'",
    "log = []\ndef f(x):\n    b.z = x\n    del b.z\n    return x * len(log)":
    "def gone(self, name): log.append(name); object.__delattr__(self, name)\nOwn.__delattr__ = gone",
    "class Asked(abc.ABC): pass\ndef f(x):\n    match b:\n        case Asked(): return x\n        case _: return x * 2":
    "Asked.register(Own)",
    "class Cls(Own):\n    @classmethod\n    def m(cls, x): return x * cls.k\nc = Cls()\ndef f(x): return c.m(x)":
    "class Other(Cls): k = 9.0\nc.m = Other.m",
    "def f(x):\n    b.z = x\n    return b.z": "def put(self, name, v): vars(self)[name] = v * 2\nOwn.__setattr__ = put",
    "class Asked(abc.ABC): pass\ndef f(x): return x * isinstance(b, Asked)": "Asked.register(Own)",
    "class Asked(abc.ABC): pass\ndef f(x): return x * issubclass(Own, (int, Asked))": "Asked.register(Base)",
    "class Asked(abc.ABC): pass\ndef f(x): return x * isinstance(Own(), Asked | int)": "Asked.register(Own)",
    "class Meta(type): pass\nclass Asked(metaclass=Meta): pass\ndef f(x): return x * isinstance(b, Asked)":
    "Meta.__instancecheck__ = lambda cls, value: True",
    "class Meta(type):\n    def __instancecheck__(cls, value): return value.k == 2.0\n"
    "class Asked(metaclass=Meta): pass\ndef f(x): return x * isinstance(b, Asked)": "b.k = 5.0",
    "@typing.runtime_checkable\nclass Asked(typing.Protocol):\n    def area(self): ...\n"
    "def f(x): return x * isinstance(b, Asked)": "b.area = len",
    "class New:\n    @functools.singledispatchmethod\n    def m(self, n, x): return x * n\nnew = New()\n"
    "def f(x): return new.m(2, x)": "New.__dict__['m'].register(int, lambda self, n, x: x - n)",
}  # fmt: skip


def run(text, names):
    file = f"<rebound {text}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    exec(compile(text, file, "exec"), names)


@pytest.mark.parametrize("jit", ["off", "now"])
@pytest.mark.parametrize("source", REBOUND)
def test_names_and_members_that_are_rebound_are_seen(source, jit):
    outcomes = []
    for decorate in (lambda f: f, functools.partial(tracefn.function, on_unsupported="eager", jit=jit)):
        names = {"np": np, "__name__": "rebound"} | {m.__name__: m for m in (abc, functools, math, types, typing)}
        run(OBJECT + source, names)
        function, found = decorate(names["f"]), []
        for step in ("", "", REBOUND[source], "", "unrelated = 1"):
            run(step, names)
            try:
                found.append(repr(function(X)))
            except Exception as error:
                found.append(repr(error))
        outcomes.append(found)
    assert outcomes[0] == outcomes[1]
    assert len({*outcomes[0]}) >= 2


@pytest.mark.parametrize("name", ["min", "len", "later"])
def test_functions_of_python_that_are_replaced_for_a_while(monkeypatch, name):
    def run(x):
        try:
            return x * min(2, 3) * len(x) + later
        except NameError:
            return x * min(2, 3) * len(x)

    traced = tracefn.function(run)
    np.testing.assert_array_equal(traced(X), X * 6)
    for number in (5, 7):
        with monkeypatch.context() as patch:
            replacement = number if name == "later" else lambda *_, answer=number: answer
            patch.setattr(builtins, name, replacement, raising=False)
            got = traced(X), run(X)
        np.testing.assert_array_equal(*got)
        assert not np.array_equal(got[0], X * 6)
        np.testing.assert_array_equal(traced(X), X * 6)


MODULE = """
K = {k}
class Kept:
    def scaled(self, x): return x + {k}
    def added(self, x): return x + {k} if x.size else {k}
def scaled(x): return x * K + {k}
def make():
    class Inner:
        def get(self): return {k}
    return lambda x: x * Inner().get()
"""


def test_a_module_that_is_edited_and_reloaded(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    file = tmp_path / "edited_module.py"
    file.write_text(MODULE.format(k=2.0))
    module = importlib.import_module("edited_module")
    kept, made, scaled = module.Kept(), module.make(), module.scaled

    def run(x):
        return module.scaled(x) + module.Kept().scaled(x) + module.make()(x), kept.scaled(x), made(x), scaled(x)

    def read_first_now(x):
        return module.Kept().added(x)

    def both(function, x):
        got, expected = tracefn.function(function)(x), function(x)
        assert repr(got) == repr(expected)
        return repr(got)

    traced = tracefn.function(run, on_unsupported="error")
    before = repr(traced(X))
    file.write_text(MODULE.format(k=33.0))  # the functions that are there are those of the file before
    assert repr(traced(X)) == before and repr(traced(X[1:])) == repr(run(X[1:]))
    both(read_first_now, X)
    importlib.reload(module)
    assert repr(traced(X)) == repr(run(X)) != before
    both(read_first_now, X)


UNREACHED = """
s = 2.0
def below(x):
    if x.sum() > 0: return x * 2
    return -x

# that is not all
    while x.size: x = x[1:]
def bound(x):
    if x.sum() > 0: return x * s
    return x
    s = 3
def straight(x):
    return x * s
    s = 3
def in_a_round(x):
    for i in range(3):
        break
        s = 3
    return x + s
"""


def test_code_that_is_not_reached(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "unreached_module.py").write_text(UNREACHED)
    module = importlib.import_module("unreached_module")
    assert_all_agree(module.below, [X], [-X])
    for function in (module.bound, module.straight, module.in_a_round):
        with pytest.raises(UnboundLocalError, match="'s'"):
            tracefn.function(function, on_unsupported="error")(X)
    assert_all_agree(module.bound, [-X])


def test_names_that_are_added_elsewhere_trace_nothing_anew():
    names = {"np": np}
    exec("def f(x): return np.abs(x) * len(x)", names)
    traced = tracefn.function(names["f"], autograph=False)
    for number in range(50):
        names[f"unrelated{number}"] = number
        traced(X)
    assert traced.tracing_count == 1


class Held:
    def __init__(self, value):
        self.value = value

    def get(self):
        found = self
        return found.value

    def add(self):
        self.value += 1
        return self.value

    @property
    def doubled(self):
        return self.value * 2


current = Held(0.0)


def read_by_a_helper(x):
    return x * current.value


def passed_on(x):
    return read_by_a_helper(x) + 1


READS = {
    "an attribute": lambda x: x * current.value,
    "a helper": passed_on,
    "a method": lambda x: x * current.get(),
    "a change": lambda x: x * current.add(),
    "a property": lambda x: x * current.doubled,
    "getattr": lambda x: x * getattr(current, "value"),  # noqa: B009
}


@pytest.mark.parametrize("read", READS.values(), ids=list(READS))
def test_a_name_that_stands_for_another_object_is_seen(read):
    global current
    traced, both = tracefn.function(read), (Held(1.0), Held(2.0))
    for number in (0, 1, 0, 1):
        current, mine = both[number], Held(both[number].value)
        got = traced(np.ones(2))
        left, current = current.value, mine
        assert repr((got, left)) == repr((read(np.ones(2)), mine.value))
    assert traced.tracing_count == 2


def test_a_variable_around_that_stands_for_another_object_is_seen():
    held = Held(1.0)
    traced, first = tracefn.function(lambda x: x * held.value), held
    for held in (first, Held(2.0), first):
        np.testing.assert_array_equal(traced(np.ones(2)), np.ones(2) * held.value)
