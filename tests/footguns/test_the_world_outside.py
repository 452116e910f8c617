"""Files, the environment, settings of the process and variables read by name: each call finds what eager code finds."""

import contextvars
import gc
import io
import os
import pathlib
import pickle
import secrets
import sys
import warnings
import weakref

import numpy as np
import pytest
import tracefn

NUMBER = 1.0
CONTEXT = contextvars.ContextVar("CONTEXT", default=1.0)


class Holder:
    def __init__(self, **values):
        self.__dict__.update(values)


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A file, an environment variable and more, and `change()`, which changes all of them."""
    text, array = tmp_path / "a.txt", tmp_path / "a.npy"
    holder = Holder(value=1.0)
    found = Holder(text=text, array=array, folder=tmp_path, holder=holder, views={"a": 1.0})
    found.reference, found.values = weakref.ref(holder), found.views.values()
    found.memory = memoryview(bytearray(b"ab"))

    def change(number):
        text.write_text(str(number))
        np.save(array, np.full(2, number))
        (tmp_path / f"{number}.new").touch()
        monkeypatch.setenv("TRACEFN_A_TEST", str(number))
        monkeypatch.chdir(tmp_path if number == 1.0 else "/")
        monkeypatch.setitem(globals(), "NUMBER", number)
        CONTEXT.set(number)
        holder.value = found.views["a"] = number
        found.memory[0] = int(number)
        np.set_printoptions(precision=int(number) + 1)

    found.change = change
    yield found
    np.set_printoptions(precision=8)


def _pickled(value):
    file = io.BytesIO()
    pickle.Pickler(file).dump(value)
    return file.getvalue()


READS = {
    "a pickled object": lambda w, x: x * pickle.loads(pickle.dumps(w.holder)).value,
    "pickled objects in a list": lambda w, x: x * pickle.loads(pickle.dumps([w.holder]))[0].value,
    "a pickler": lambda w, x: x * pickle.loads(_pickled(w.holder)).value,
    "a text": lambda w, x: x * float(w.text.read_text()),
    "an open file": lambda w, x: x * float(open(w.text).read()),
    "an array": lambda w, x: x * np.load(w.array),
    "a table": lambda w, x: x * np.loadtxt(w.text),
    "a table with gaps": lambda w, x: x * np.genfromtxt(w.text),
    "bytes": lambda w, x: np.fromfile(w.text, np.uint8)[0] + x,
    "existence": lambda w, x: x * os.path.exists(f"{w.folder}/2.5.new"),
    "existence of a path": lambda w, x: x * (w.folder / "2.5.new").exists(),
    "a folder": lambda w, x: x * len(os.listdir(w.folder)),
    "a size": lambda w, x: x * os.path.getsize(w.text),
    "the environment": lambda w, x: (x, os.environ["TRACEFN_A_TEST"], os.getenv("TRACEFN_A_TEST")),
    "the working folder": lambda w, x: (x, os.getcwd(), str(pathlib.Path.cwd())),
    "a context variable": lambda w, x: x * CONTEXT.get(),
    "globals by name": lambda w, x: x * globals()["NUMBER"],
    "eval": lambda w, x: x * eval("NUMBER"),
    "a module's attribute": lambda w, x: x * sys.modules[__name__].NUMBER,
    "a weak reference": lambda w, x: x * w.reference().value,
    "a view of a dict": lambda w, x: x * sum(w.values),
    "memory": lambda w, x: x * w.memory[0],
    "print options": lambda w, x: (x, np.get_printoptions()["precision"]),
}


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_each_call_reads_what_is_there(world, read):
    traced, x = tracefn.function(lambda x: read(world, x), on_unsupported="eager"), np.ones(2)
    for number in (1.0, 2.5, 2.5, 1.0):
        world.change(number)
        np.testing.assert_equal(traced(x), read(world, x))


@pytest.mark.parametrize("draw", [lambda x: os.urandom(8), lambda x: secrets.token_hex(8)])
def test_the_system_gives_other_bytes_at_each_call(draw):
    traced = tracefn.function(draw)
    assert len({traced(np.ones(2)) for _ in range(3)}) == 3


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_what_is_written_outside_python_is_written_once_a_call(tmp_path):
    file, text = tmp_path / "log", io.StringIO()

    @tracefn.function(on_unsupported="eager")
    def write(x):
        with open(file, "a") as opened:
            opened.write(f"{x.sum()} ")
        text.write("+")
        print(x.max(), file=text)
        os.rename(file, file)
        return x.ctypes is None

    for number in range(3):
        assert write(np.full(2, float(number))) is False
    assert file.read_text() == "0.0 2.0 4.0 "
    assert text.getvalue() == "+0.0\n+1.0\n+2.0\n"


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_a_trace_that_is_given_up_leaves_no_file_open(tmp_path):
    file = tmp_path / "numbers"
    file.write_text("1 2\n3 4\n")

    @tracefn.function(on_unsupported="eager")
    def total(x):
        with open(file) as lines:
            return x * sum(float(word) for line in lines for word in line.split())

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        assert total(2.0) == 20
        gc.collect()
    assert [w.message for w in caught if w.category is ResourceWarning] == []


ARRAY = np.arange(10.0)
PAIRS = [
    (ARRAY, ARRAY),
    (ARRAY[:5], ARRAY[5:]),
    (ARRAY[1:6], ARRAY[2:7]),
    (ARRAY[::2], ARRAY[1::2]),
    (ARRAY, ARRAY[2:]),
    (ARRAY.copy(), ARRAY),
]


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning", "ignore::tracefn.errors.RetraceWarning")
@pytest.mark.parametrize("start", range(len(PAIRS)))
def test_whether_arguments_share_memory(start):
    def ask(x, y):
        return np.shares_memory(x, y), np.may_share_memory(x, y), np.may_share_memory(x[1:], y), np.shares_memory(x, x)

    traced = tracefn.function(ask, on_unsupported="eager")
    for pair in PAIRS[start:] + PAIRS[:start]:
        assert traced(*pair) == ask(*pair)
    assert len(traced.concrete_functions) > 0
