"""Traces on disk: a later process takes over those of which all is as it was, and no others."""

import math
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import object_cache
from tracefn.function.kept import rewritten
from tracefn.function.tracing import new_trace
from tracefn.runtime.worker import wait_until_built

ARRAY = np.linspace(0.1, 2, 6)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TRACEFN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(rewritten, "LEAST_BYTES", sys.maxsize)  # code alone is no trace
    with tracefn.config.keep_traces():
        yield tmp_path / "cache"


@pytest.fixture
def load(tmp_path):
    """Runs source as a module, each time from a file of its own. The names of the modules are the same."""
    count = 0

    def run(text, **names):
        nonlocal count
        count += 1
        path = tmp_path / f"source{count}.py"
        path.write_text("import math\nimport numpy as np\nimport tracefn\n" + textwrap.dedent(text))
        module = types.ModuleType("user_code")
        vars(module).update(names, __file__=str(path))
        exec(compile(path.read_text(), str(path), "exec"), vars(module))
        return module

    return run


def called(module, *args):
    """The trace of the first call of `f` in a process, and the result."""
    f = tracefn.function(module.f)
    result = f(*args)
    assert wait_until_built(60)
    return f.concrete_functions[0], result


def both(load, text, later=None, args=(ARRAY,), **names):
    """Whether a later process, in which the module has the text `later`, takes over the trace of this one. In both it
    gives what eager code gives, twice."""
    found = []
    for source in (text, text if later is None else later):
        module = load(source, **names)
        concrete, result = called(module, *args)
        expected = module.f(*args)
        for got in (result, concrete(*args)):
            assert type(got) is type(expected)
            np.testing.assert_array_equal(got, expected)
            assert getattr(got, "dtype", None) == getattr(expected, "dtype", None)
        found.append(concrete)
    assert not found[0].taken_over
    return found


@pytest.mark.parametrize(
    "given", ["np.float32", "np.bool_", "int", "np.ndarray", "np.generic", "np.dtype('f4')", "(3, 'a')"]
)
def test_classes_and_other_values_that_it_gives_are_themselves(load, given):
    module = load(f"def f(x):\n    return {given}, x + 1")
    (first, _), (later, _) = called(module, 1.0)[1], called(module, 1.0)[1]
    assert type(first) is type(later) is type(module.f(1.0)[0]) and first == later == module.f(1.0)[0]


TAKEN_OVER = {
    "expressions": "def f(x):\n    return np.tanh(x) * 2 + x.sum()",
    "globals": "N = 3\nW = np.arange(6.0)\ndef f(x):\n    return x ** N + W * np.pi",
    "helpers": "def g(x, k=2):\n    return np.exp(x) * k\ndef f(x):\n    return g(x) + g(x, k=3)",
    "closures": """
        def make(scale, shift):
            def f(x):
                return (lambda y: y * scale)(x) + shift
            return f
        f = make(3, np.ones(6))
    """,
    "branches and loops": """
        def f(x):
            if x.sum() > 3:
                x = x * 2
            for i in range(4):
                x = x + i * math.sqrt(2.0)
            while x.max() < 100:
                x = x * 1.5
            return x
    """,
    "containers": "P = {'w': [np.ones(6), 2.5]}\ndef f(x):\n    return x * P['w'][0] + P['w'][1]",
    "traced functions": "@tracefn.function\ndef g(x):\n    return x - x.mean()\ndef f(x):\n    return g(x) / 2",
    "comprehensions": "def f(x):\n    return sum([x * k for k in range(3)]) + max(float(k) for k in (1, 2))",
    "errors": "def f(x):\n    if len(x) > 9:\n        raise ValueError(f'{len(x)}')\n    return x[2:].astype('f4')",
}


@pytest.mark.parametrize("name", TAKEN_OVER)
def test_an_unchanged_function_is_not_traced_again(load, name):
    first, later = both(load, TAKEN_OVER[name])
    assert first.not_kept == ""
    assert later.taken_over
    assert later.calls.count == 2  # its own first call among them


LISTS = ["x[0] * k", "(k, ('a', None, x[0] * k))", "[k, x[0]]", "{'k': k, 2: [x[0]]}"]


@pytest.mark.parametrize("item", LISTS)
def test_lists_that_loops_fill_are_kept(load, item):
    loop = f"while k < x.sum():\n        ys.append({item})\n        k += 1\n    return ys"
    text = f"def f(x):\n    ys, k = [], 0\n    {loop}"
    made = [called(load(text), ARRAY) for _ in range(2)]
    assert [concrete.taken_over for concrete, _ in made] == [False, True]
    expected = repr(load(text).f(ARRAY))
    assert [repr(result) for _, result in made] == [expected, expected]


def test_it_looks_as_if_it_were_traced_here(load):
    first, later = both(load, TAKEN_OVER["branches and loops"].replace("x = x * 2", "x = np.where(x > 0, x, 1) * 1"))
    assert later.taken_over
    before, here = (next(n.source.file for n in c.graph if n.source is not None) for c in (first, later))
    assert here != before
    assert str(later.graph) == str(first.graph)
    nodes_before, nodes_here = (_renamed(c.traced_graph.to_json()["nodes"], before, here) for c in (first, later))
    assert nodes_here == nodes_before
    assert later.graph.hash == first.graph.hash
    assert later.program == first.program
    assert [s.text for s in later.staging] == [s.text for s in first.staging]
    assert [s.name for s in later.stages()] == [s.name for s in first.stages()]
    assert later.structured_outputs == first.structured_outputs
    assert (later.nbytes, later.nodes_before, later.passes) == (first.nbytes, first.nodes_before, first.passes)


def _renamed(value, old, new):
    if isinstance(value, dict):
        return {key: _renamed(item, old, new) for key, item in value.items() if key != "hash"}
    return [_renamed(item, old, new) for item in value] if isinstance(value, list) else new if value == old else value


def test_it_is_said_what_was_taken_over(load):
    load_and_call = both(load, TAKEN_OVER["expressions"])
    assert load_and_call[0].not_kept == ""
    f = tracefn.function(load(TAKEN_OVER["expressions"]).f)
    with tracefn.events.record() as events:
        f(ARRAY)
    assert "taken over" in str(f.explain())
    assert "earlier process" in f.explain().headline
    assert {e.phase for e in events if e.type == "trace.phase"} == {"bind", "taken_over", "first_run"}
    built = next(e for e in events if e.type == "graph.built")
    assert built.graph.hash == load_and_call[0].graph.hash
    assert built.graph_hash == f.concrete_functions[0].graph.drawn_hash
    assert f.tracing_count == 1


BASE = """
    N = 3
    W = np.arange(6.0)
    def g(x, k=2):
        return np.exp(x) * k
    def f(x):
        return abs(g(x)) * N + W
"""


@pytest.mark.parametrize(
    "old, new",
    [
        ("* N + W", "* N - W"),
        ("np.exp(x) * k", "np.exp(x) + k"),
        ("k=2", "k=3"),
        ("k=2", "k=2.0"),
        ("N = 3", "N = 4"),
        ("N = 3", "N = 3.0"),
        ("N = 3", "N = np.ones(6)"),
        ("N = 3", "N = 3\n    abs = np.negative"),
        ("N = 3", "N = 3\n    np = type(np)('numpy'); vars(np).update(exp=math.exp, arange=lambda n: 0)"),
        ("W = np.arange(6.0)", "W = np.arange(6)"),
        ("W = np.arange(6.0)", "W = 5.0"),
        ("def g(x, k=2)", "@tracefn.autograph.do_not_convert\n    def g(x, k=2)"),
        ("def g(x, k=2)", "@tracefn.function\n    def g(x, k=2)"),
    ],
)
def test_what_has_changed_is_traced_again(load, old, new):
    assert old in BASE
    changed = BASE.replace(old, new)
    if "type(np)" in new:
        changed = changed.replace("np.exp(x) * k", "x * k")
        assert "type(np)" in changed
    _, later = both(load, BASE if "type(np)" not in new else BASE.replace("np.exp(x) * k", "x * k"), changed)
    assert not later.taken_over


def test_an_int_of_more_digits_than_python_writes_is_an_argument(load):
    text = "K = 10**5001\ndef f(x, n=10**5000):\n    return x * (n % 7), n, K"
    first, later = (called(load(text), 2.0, -(10**4999))[1] for _ in range(2))
    assert first == later == load(text).f(2.0, -(10**4999))
    assert tracefn.function(load(text).f)(2.0) == load(text).f(2.0)


def test_two_functions_that_are_one_later_are_told_apart(load):
    text = """
        def make():
            return lambda x: x * 2
        g, h = make(), make()
        def f(x):
            return (h(x) if g is h else g(x) + 1) + h(x)
    """
    _, later = both(load, text, text.replace("make(), make()", "[make()] * 2"))
    assert not later.taken_over


GRADIENT = """
    K = 2
    def loss(x, y=1.0):
        for i in range(3):
            x = x * x[i] if x[i] > 1 else x + np.sin(x)
        return np.sum(np.tanh(x) ** K) * y
    f = tracefn.grad(loss)
"""


@pytest.mark.parametrize(
    "old, new",
    [
        ("grad(loss)", "grad(loss)"),
        ("grad(loss)", "hessian(loss)"),
        ("K = 2", "K = 3"),
        ("np.sin", "np.cos"),
        ("y=1.0", "y=2.0"),
        ("grad(loss)", "grad(loss, 1)"),
        ("grad(loss)", "jacfwd(loss)"),
        ("grad(loss)", "grad(tracefn.function(loss))"),
        ("grad(loss)", "grad(lambda x, y: loss(x, y) * 2)"),
    ],
)
def test_the_same_derivative_is_taken_over_and_no_other(load, old, new):
    assert old in GRADIENT
    found = []
    for text in (GRADIENT, *[GRADIENT.replace(old, new)] * 2):
        f = load(text).f
        result = f(ARRAY, 1.0)
        assert wait_until_built(60)
        concrete = f.concrete_functions[0]
        assert not concrete.not_kept
        found.append((concrete.taken_over, result))
    assert [was for was, _ in found] == [False, old == new, True]
    np.testing.assert_array_equal(found[1][1], found[2][1])


def test_arrays_outside_are_those_of_the_later_process(load):
    first, later = both(load, BASE, BASE.replace("np.arange(6.0)", "np.ones(6)"))
    assert later.taken_over


def test_a_patched_function_of_numpy_is_traced(load, monkeypatch):
    module = load(BASE)
    called(module, ARRAY)
    monkeypatch.setattr(np, "exp", np.log1p)
    concrete, result = called(module, ARRAY)
    assert not concrete.taken_over
    np.testing.assert_array_equal(result, module.f(ARRAY))
    monkeypatch.setattr(np, "exp", lambda x: x + 1)
    concrete, result = called(module, ARRAY)
    np.testing.assert_array_equal(result, module.f(ARRAY))


@pytest.mark.parametrize("other", [ARRAY.astype(np.float32), ARRAY[:4], ARRAY.reshape(2, 3), 2.5, np.float64(2.5)])
def test_another_kind_of_call_is_traced(load, other):
    module = load("def f(x):\n    return x * 2 + 1")
    called(module, ARRAY)
    concrete, result = called(module, other)
    assert not concrete.taken_over
    np.testing.assert_array_equal(result, module.f(other))


@pytest.mark.parametrize(("i", "choice"), [(2, "error"), (8, "error"), (2, "eager")])
def test_what_is_written_into_arguments_and_which_are_one_array(load, i, choice):
    text = "def f(x, y, i):\n    x[1:] = x[:-1] * 2\n    y += x\n    y[i] = 0\n    return y.sum()"
    made = []
    for is_one in (False, False, True, True):
        module = load(text)
        x, y, mine, yours = (ARRAY.copy() for _ in range(4))
        theirs, ours = (
            (module.f, [x, x if is_one else y]),
            (tracefn.function(module.f, on_unsupported=choice), [mine, mine if is_one else yours]),
        )
        outcomes = []
        for function, arrays in (theirs, ours):
            try:
                outcomes.append(function(*arrays, np.int64(i)))
            except IndexError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
        np.testing.assert_array_equal(theirs[1], ours[1])
        assert wait_until_built(60)
        made.append(ours[0].concrete_functions[0].taken_over)
    assert made == [False, True, False, True], ours[0].concrete_functions[0].not_kept


NOT_KEPT = {
    "def f(x):\n    print('traced')\n    return x": "`print`",
    "import os\ndef f(x):\n    return x * os.getpid()": "`os`",
    "def f(x):\n    return x * hash('text')": "`hash`",
    "def f(x):\n    for name in {'a', 'b'}:\n        x = x + len(name)\n    return x": "set",
    "def f(x):\n    import math\n    return x * math.pi": "imports",
    "class C:\n    k = 2\nc = C()\ndef f(x):\n    return x * c.k": "`C`",
    "n = 0\ndef f(x):\n    global n\n    n = n + 1\n    return x * n": "global variable",
    "rng = np.random.default_rng(0)\ndef f(x):\n    return x + rng.normal() * 0": "Generator",
    "v = tracefn.Variable(2.0)\ndef f(x):\n    return x * v": "Variable",
    "W = [1.0]\ndef f(x):\n    W.append(2.0)\n    return x * len(W)": "outside",
}


@pytest.mark.parametrize("text", NOT_KEPT)
def test_what_another_process_cannot_prove_is_not_kept(load, text, folder):
    f = tracefn.function(load(text).f)
    with tracefn.events.record() as events:
        f(ARRAY)
        assert wait_until_built(60)
    reason = f.concrete_functions[0].not_kept
    assert reason
    assert [(e.kept, e.reason) for e in events if e.type == "trace.kept"] == [(False, reason)]
    assert reason in str(f.explain())
    assert NOT_KEPT[text] in reason
    assert not list(folder.glob("*.o"))


def test_a_storm_keeps_its_first_traces(load, folder, monkeypatch):
    monkeypatch.setattr(new_trace, "MAX_KEPT", 2)
    f = tracefn.function(load(TAKEN_OVER["globals"].replace("np.arange(6.0)", "1.0")).f)
    for size in range(1, 5):
        f(np.ones(size))
    assert wait_until_built(60)
    assert [not c.not_kept for c in f.concrete_functions] == [True, True, False, False]
    assert f.concrete_functions[2].not_kept == "the function had 2 traces before it"
    assert len(list(folder.glob("*.o"))) == 2


def test_what_code_does_that_is_not_rewritten_is_done_in_each_process(load, folder):
    for _ in range(2):
        module = load("found = []\ndef f(x):\n    found.append(1)\n    return x + 1")
        f = tracefn.function(module.f, autograph=False)
        np.testing.assert_array_equal(f(ARRAY), ARRAY + 1)
        assert wait_until_built(60)
        assert module.found == [1]
        assert "it is not rewritten" in str(f.explain())


def test_an_error_of_a_trace_that_was_taken_over_is_that_of_eager_code(load):
    text = "def f(x, i):\n    y = x * 2\n    return y[i]"
    called(load(text), ARRAY, np.array(1))
    module = load(text)
    f = tracefn.function(module.f)
    with pytest.raises(IndexError) as eager:
        module.f(ARRAY, np.array(9))
    with pytest.raises(IndexError) as raised:
        f(ARRAY, np.array(9))
    assert str(raised.value) == str(eager.value)
    assert f.concrete_functions[0].taken_over
    last = raised.traceback[-1]
    assert (str(last.path), last.lineno) == (module.__file__, eager.traceback[-1].lineno)


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b"", lambda b: b[:60] + bytes([b[60] ^ 1]) + b[61:]])
def test_a_damaged_file_is_ignored(load, folder, damage):
    called(load(BASE), ARRAY)
    (file,) = folder.glob("*.o")
    file.write_bytes(damage(file.read_bytes()))
    concrete, result = called(load(BASE), ARRAY)
    assert not concrete.taken_over
    assert called(load(BASE), ARRAY)[0].taken_over  # it was written anew


def test_a_file_of_another_form_is_an_event(load, folder):
    called(load(BASE), ARRAY)
    (file,) = folder.glob("*.o")
    object_cache.store(file.stem, b"whole, and something else")
    with tracefn.events.record() as events:
        concrete, _ = called(load(BASE), ARRAY)
    assert not concrete.taken_over
    assert [e.phase for e in events if e.type == "error"] == ["cache"]


def test_what_others_may_write_is_not_taken_over(load, folder):
    called(load(BASE), ARRAY)
    (file,) = folder.glob("*.o")
    file.chmod(0o666)
    assert not called(load(BASE), ARRAY)[0].taken_over
    folder.chmod(0o777)
    assert not called(load(BASE), ARRAY)[0].taken_over


def test_it_can_be_switched_off(load, folder):
    with tracefn.config.keep_traces(False):
        called(load(BASE), ARRAY)
    assert not folder.exists()


PROGRAM = """
import sys
import numpy as np, tracefn
from tracefn.runtime.worker import wait_until_built

def act(x, kind="tanh"):
    return {{"tanh": np.tanh, "exp": np.exp}}[kind](x) if kind in ("tanh", "exp") else x

@tracefn.function
def f(x, n):
    for k in range(n):
        x = np.tanh(x) * 2 + {0}
    return x

x = np.arange(6.0)
result = f(x, 3)
assert np.array_equal(result, f.python_function(x, 3))
wait_until_built()
print(f.concrete_functions[0].taken_over)
"""


def test_processes_share_what_they_keep(tmp_path, monkeypatch, folder):
    monkeypatch.setenv("TRACEFN_KEEP_TRACES", "1")
    script = tmp_path / "script.py"

    def start(value):
        script.write_text(PROGRAM.format(value))
        return subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)

    def ended(process):
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        return out.strip()

    at_once = [start("1.5"), start("1.5")]
    assert "False" in [ended(process) for process in at_once]
    assert ended(start("1.5")) == "True"
    assert ended(start("2.5")) == "False"
    assert math.prod(path.stat().st_mode & 0o077 == 0 for path in folder.glob("*.o"))
