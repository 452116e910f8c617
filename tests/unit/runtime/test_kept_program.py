"""Native programs that an earlier process built: used in the place of one that is built here, and just as right."""

import subprocess
import sys

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi, engine, object_cache
from tracefn.ir import packed
from tracefn.runtime import kept_program, native_program, worker
from tracefn.runtime.kept_program import KeptProgram

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())


THREE, FOUR = np.int64(3), np.int64(4)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TRACEFN_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def later(monkeypatch):
    """What a function is in a later process, which has not built anything yet; `later.whole` counts what it builds."""
    real = native_program.NativeProgram

    class Later:
        whole = 0

        def __call__(self, f, **options):
            tracefn.function(f, jit="now", **options)(*self.arguments)
            worker.wait_until_built()
            engine._KNOWN.clear()

            def counted(*args, **kwargs):
                self.whole += 1
                return real(*args, **kwargs)

            monkeypatch.setattr(native_program, "NativeProgram", counted)
            return tracefn.function(f, jit="now", **options)

    made = Later()
    yield made


def is_kept(function):
    return [type(c._execution.native) is KeptProgram for c in function.concrete_functions] == [True]


def expressions(x, y):
    h = np.tanh(x * y + 1.0)
    return {"h": h, "sums": [(h * x).sum(), h.max(axis=0)]}, np.where(x > 0, x, -y)


def loops(x, y, n=FOUR):
    total, x = 0.0, x.copy()
    for i in range(n):
        for j in range(1, n):
            if x[i, j] > y[i, j]:
                total += x[i, j] * y[i, j - 1]
                x[i, j] = total
    return total, x


def constants(x, y):
    table = np.array([1.0, 2.0, 4.0, 8.0]) * 2
    return x * table, x @ y + np.arange(4.0), np.float32(3) * y.astype(np.float32)


@pytest.mark.parametrize("function", [expressions, loops, constants])
def test_it_gives_the_same_results(later, function):
    x, y = np.random.default_rng(0).normal(size=(2, 4, 4))
    later.arguments = x.copy(), y
    f = later(function)
    given, expected = x.copy(), x.copy()
    found = f(given, y)
    assert is_kept(f) and later.whole == 0
    _same(found, function(expected, y))
    _same(given, expected)


def _same(found, expected):
    leaves = [tracefn.trace.tree.flatten(v, "")[0] for v in (found, expected)]
    for (_, a), (_, b) in zip(*leaves, strict=True):
        assert type(a) is type(b)
        np.testing.assert_allclose(a, b, rtol=1e-14)


def test_calls_that_machine_code_leaves_need_nothing_that_is_built(later):
    later.arguments = (np.ones(4), np.ones(4))
    f = later(lambda x, y: np.sqrt(x) / y)
    x = np.arange(8.0)[::2]
    np.testing.assert_array_equal(f(x, np.ones(4)), np.sqrt(x), strict=True)
    with pytest.warns(RuntimeWarning, match="divide by zero") as warned:
        assert np.isinf(f(np.ones(4), np.zeros(4))).all()
    assert warned[0].filename == __file__
    assert is_kept(f) and later.whole == 0


def test_an_index_that_is_wrong_is_found(later):
    def pick(x, k, n=THREE):
        total = 0.0
        for i in range(n):
            total += x[k[i]]
        return total

    later.arguments = np.arange(5.0), np.array([0, 1, 2])
    f = later(pick)
    assert f(*later.arguments) == 3.0 and is_kept(f)
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        f(np.arange(5.0), np.array([0, 7, 2]))


def test_many_elements_are_computed_at_once(later):
    later.arguments = (np.linspace(0, 1, 300_000),)
    f = later(lambda x: np.tanh(x) + np.exp(x))
    (x,) = later.arguments
    np.testing.assert_allclose(f(x), np.tanh(x) + np.exp(x), rtol=1e-14)
    assert is_kept(f) and later.whole == 0


def test_sums_do_not_depend_on_who_adds_up(later):
    later.arguments = (np.random.default_rng(0).random(300_000),)
    f = later(lambda x: (x * x + x).sum())
    assert f(*later.arguments) == tracefn.function(lambda x: (x * x + x).sum(), jit="now")(*later.arguments)


def test_another_function_is_another_program(later):
    later.arguments = (np.arange(4.0),)
    later(lambda x: np.tanh(x) * 2)
    f = tracefn.function(lambda x: np.tanh(x) * 3, jit="now")
    np.testing.assert_allclose(f(np.arange(4.0)), np.tanh(np.arange(4.0)) * 3)
    assert not is_kept(f)


def test_rows_that_lie_otherwise_in_memory(later):
    def softmax(x):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    later.arguments = (np.random.default_rng(0).normal(size=(40, 40)),)
    f = later(softmax)
    x = later.arguments[0].T
    np.testing.assert_allclose(f(x), softmax(x), rtol=1e-14)
    assert is_kept(f)


def test_numbers_and_kernels_are_steps_of_the_call():
    class Average:
        def __init__(self):
            self.n = 1

        def add(self, x):
            self.n += 1
            return x * self.n + 1.5

    for _ in range(2):
        add = tracefn.function(Average.add, jit="now")
        average, x = Average(), np.arange(4.0)
        for n in (2, 3, 4, 5):
            np.testing.assert_array_equal(add(average, x), x * n + 1.5)
            worker.wait_until_built()
        engine._KNOWN.clear()
    execution = add.concrete_functions[-1]._execution
    assert type(execution.native) is KeptProgram and execution.native.steps is not None and execution.has_direct


def test_it_is_not_built_again(later):
    x, y = np.random.default_rng(0).normal(size=(2, 4, 4))
    later.arguments = x.copy(), y
    f = later(loops)
    with tracefn.events.record() as events:
        first = f(x.copy(), y)
        assert worker.wait_until_built()
    (ready,) = [e for e in events if e.type == "plan.ready" and e.plan == "native"]
    assert ready.size > 500 and f.concrete_functions[0]._execution.has_direct
    assert is_kept(f) and later.whole == 0
    np.testing.assert_equal(f(x, y), first)
    assert f.concrete_functions[0].kernels() and later.whole <= 1


def test_it_is_not_used_where_its_code_is_gone(later, folder):
    later.arguments = (np.arange(4.0),)
    f = later(lambda x: np.tanh(x) * 2)
    for file in folder.glob("*.o"):
        if b'"source"' not in file.read_bytes():
            file.unlink()
    np.testing.assert_allclose(f(np.arange(4.0)), np.tanh(np.arange(4.0)) * 2)
    assert not is_kept(f) and f.concrete_functions[0].plan == "native"


@pytest.mark.parametrize("content", [b"{}", b"[]", b"no JSON", b"\xff"])
def test_what_cannot_be_read_is_an_event(later, folder, content):
    later.arguments = (np.arange(4.0),)
    f = later(lambda x: np.tanh(x) * 2)
    (name,) = [file.stem for file in folder.glob("*.o") if b'"source"' in file.read_bytes()]
    object_cache.store(name, content)
    with tracefn.events.record() as events:
        f(np.arange(4.0))
    assert not is_kept(f) and f.concrete_functions[0].plan == "native"
    assert [e.phase for e in events if e.type == "error"] == ["cache"]


def test_one_that_is_out_of_date_is_replaced(later, folder):
    later.arguments = (np.arange(4.0),)
    later(lambda x: np.tanh(x) * 2)
    (file,) = [file for file in folder.glob("*.o") if b'"source"' in file.read_bytes()]
    good = object_cache.load(file.stem)
    told, blobs = packed.unpack(good)
    object_cache.store(file.stem, packed.pack(told | {"source": "def f(x): return x"}, blobs))
    f = tracefn.function(lambda x: np.tanh(x) * 2, jit="now")
    f.get_concrete_function(np.arange(4.0))._execution.build_native()
    assert object_cache.load(file.stem) == good


def test_nothing_is_kept_where_the_cache_is_off(monkeypatch):
    monkeypatch.setenv("TRACEFN_CACHE", "off")
    monkeypatch.setattr(kept_program, "serialise", lambda *_: pytest.fail("serialised"))
    f = tracefn.function(lambda x: np.tanh(x) * 2, jit="now")
    f(np.arange(4.0))
    assert f.concrete_functions[0].plan == "native" and not is_kept(f)


SOURCE = """
import sys
import numpy as np, tracefn
f = tracefn.function(lambda x: np.sqrt(x) * 2 + np.tanh(x), jit="now")
print(f(np.arange(4.0)).tolist(), f.concrete_functions[0].plan, "llvmlite.binding" in sys.modules)
"""


def test_a_later_process_runs_it_without_llvm():
    runs = [
        subprocess.run([sys.executable, "-c", SOURCE], capture_output=True, text=True, timeout=120) for _ in range(2)
    ]
    assert [run.stderr for run in runs] == ["", ""]
    (first, plan, loaded), (again, plan_again, loaded_again) = [run.stdout.rstrip().rsplit(" ", 2) for run in runs]
    assert first == again and plan == plan_again == "native"
    assert (loaded, loaded_again) == ("True", "False")


def test_a_process_may_end_at_once():
    for _ in range(4):
        done = subprocess.run([sys.executable, "-c", SOURCE], capture_output=True, text=True, timeout=120)
        assert (done.stderr, done.returncode) == ("", 0)


def divided(errors):
    def f(x, y):
        with np.errstate(**errors):
            return np.tanh(x) / y

    return f


def test_functions_that_differ_in_errstate_alone_are_two(later):
    later.arguments = np.ones(4), np.ones(4)
    silent = later(divided({"divide": "ignore"}))
    assert np.isinf(silent(np.ones(4), np.zeros(4))).all() and is_kept(silent)
    strict = tracefn.function(divided({"divide": "raise"}), jit="now")
    with pytest.raises(FloatingPointError):
        strict(np.ones(4), np.zeros(4))
    assert strict(np.ones(4), np.ones(4)).shape == (4,)
    graphs = [g.concrete_functions[0].graph for g in (silent, strict)]
    assert graphs[0].hash != graphs[1].hash
