"""Compiled code on disk: used by the next process, never where it does not fit, and never without bound."""

import functools
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import llvmlite
import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi, engine, object_cache, processor

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

SOURCE = """
import numpy as np, tracefn
from tracefn.codegen.machine import engine
optimize, ran = engine._optimize, []
engine._optimize = lambda *args: ran.append(1) or optimize(*args)
f = tracefn.function(lambda x: {0}, jit="now")
print(f(np.arange(64.0)).tolist(), f.concrete_functions[0].plan, len(ran))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TRACEFN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def run(source="np.sqrt(x) * 2 + np.tanh(x)"):
    done = subprocess.run([sys.executable, "-c", SOURCE.format(source)], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    result, plan, passes = done.stdout.strip().rsplit(" ", 2)
    assert plan == "native"
    return result, int(passes)


def compute(x):
    engine._KNOWN.clear()  # as in a new process
    f = tracefn.function(lambda x: np.sqrt(x) * 2 + x, jit="now")
    return f(x), f.concrete_functions[0].plan


def test_the_next_process_does_not_compile(folder):
    first, compiled = run()
    assert compiled == 1
    assert list(folder.glob("*.o"))
    assert run() == (first, 0)


def test_code_that_other_code_calls_is_kept_by_itself(folder):
    first, compiled = run("np.exp(-np.tanh(x))")
    called = {found for path in folder.glob("*.o") for found in re.findall(rb"shared\.(\w+)\.", path.read_bytes())}
    assert compiled == 1 + len(called) > 1
    for name in called:
        (folder / f"{name.decode()}.o").unlink()
    assert run("np.exp(-np.tanh(x))") == (first, len(called))


@pytest.mark.parametrize("content", [b"", b"tracefn 1\n", b"\x7fELF nonsense", b"tracefn 1\n" + b"0" * 16 + b"code"])
def test_files_that_are_no_code_are_ignored(folder, content):
    compute(np.arange(4.0))
    files = list(folder.glob("*.o"))  # of the kernel, of what takes its calls, and the program
    assert files
    good = [file.read_bytes() for file in files]
    for file in files:
        file.write_bytes(content)
    with tracefn.events.record() as events:
        result, plan = compute(np.arange(4.0))
    assert plan == "native"
    np.testing.assert_array_equal(result, np.sqrt(np.arange(4.0)) * 2 + np.arange(4.0))
    assert [e.phase for e in events if e.type == "error"] == ["cache"] * len(files)
    assert [file.read_bytes() for file in files] == good


def test_a_truncated_file_is_ignored(folder):
    compute(np.arange(4.0))
    for file in folder.glob("*.o"):
        file.write_bytes(file.read_bytes()[:-1])
    assert compute(np.arange(4.0))[1] == "native"


def test_what_the_code_depends_on_is_in_its_name(folder, monkeypatch):
    compute(np.arange(4.0))
    made = len(list(folder.glob("*.o")))
    surroundings = engine.surroundings()
    assert surroundings == (processor.identity(), llvmlite.__version__, sys.version, np.__version__)
    for k in range(4):
        others = *surroundings[:k], "another", *surroundings[k + 1 :]
        before = len(list(folder.glob("*.o")))
        with monkeypatch.context() as patch:
            patch.setattr(engine, "surroundings", functools.partial(tuple, others))
            compute(np.arange(4.0))
        assert len(list(folder.glob("*.o"))) == before + made


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("no folder")
    monkeypatch.setenv("TRACEFN_CACHE", str(file / "cache"))
    assert compute(np.arange(4.0))[1] == "native"


def test_it_can_be_switched_off(tmp_path, monkeypatch):
    monkeypatch.setenv("TRACEFN_CACHE", "off")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert compute(np.arange(4.0))[1] == "native"
    assert list(tmp_path.iterdir()) == []
    monkeypatch.delenv("TRACEFN_CACHE")
    assert object_cache.folder() == str(tmp_path / "tracefn")


def test_the_oldest_files_go(folder):
    for k in range(5):
        object_cache.store(f"code{k}", b"x" * 1000)
        os.utime(folder / f"code{k}.o", (k, k))
    assert object_cache.load("code0") == b"x" * 1000  # which makes it the newest
    object_cache.prune(folder, limit=3100)
    assert sorted(p.stem for p in folder.glob("*.o")) == ["code0", "code3", "code4"]


def _store_many(number):
    for k in range(50):
        object_cache.store("shared", bytes([number]) * 100_000)
        code = object_cache.load("shared")
        assert code is None or len(set(code)) == 1
        time.sleep(0.0005 * (k % 3))
    return number


def test_processes_share_a_folder(folder):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(_store_many, range(2))) == [0, 1]
    assert [p.name for p in folder.iterdir()] == ["shared.o"]


def errors_of_cache(work):
    object_cache._tell.cache_clear()
    with tracefn.events.record() as events:
        found = work()
    return found, [e.message for e in events if e.type == "error" and e.phase == "cache"]


def make_foreign(path, monkeypatch):
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
        return
    real = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: real + 1)


def open_to_all(path, monkeypatch):
    path.chmod(path.stat().st_mode | 0o002)


def open_to_group(path, monkeypatch):
    path.chmod(path.stat().st_mode | 0o020)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such bits")
@pytest.mark.parametrize("change", [make_foreign, open_to_all, open_to_group])
@pytest.mark.parametrize("which", ["file", "folder", "around"])
def test_what_others_may_have_written_is_not_run(folder, monkeypatch, change, which):
    object_cache.store("code", b"x")
    os.chown(folder.parent, os.geteuid(), 54321) if os.geteuid() == 0 else None  # a group with others in it
    if which == "around" and change is open_to_group and os.geteuid():
        pytest.skip("the user may have no other group")
    change({"file": folder / "code.o", "folder": folder, "around": folder.parent}[which], monkeypatch)
    (found, again), told = errors_of_cache(lambda: (object_cache.load("code"), object_cache.load("code")))
    assert found is again is None and len(told) == 1 and str(folder.parent) in told[0]
    assert compute(np.arange(4.0))[1] == "native"


def test_a_file_of_others_is_replaced(folder):
    object_cache.store("code", b"x")
    (folder / "code.o").chmod(0o666)
    object_cache.store("code", b"x")
    assert errors_of_cache(lambda: object_cache.load("code")) == (b"x", [])
    assert (folder / "code.o").stat().st_mode & 0o777 == 0o600 and folder.stat().st_mode & 0o777 == 0o700


def test_a_link_is_not_followed(folder, tmp_path):
    object_cache.store("code", b"x")
    (folder / "code.o").rename(tmp_path / "elsewhere.o")
    (folder / "code.o").symlink_to(tmp_path / "elsewhere.o")
    assert object_cache.load("code") is None


def test_a_full_disk_keeps_nothing(folder, monkeypatch):
    object_cache.store("code", b"x")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    object_cache.store("other", b"y")
    assert [p.name for p in folder.iterdir()] == ["code.o"]
    assert compute(np.arange(4.0))[1] == "native"
