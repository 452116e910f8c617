"""Object files become functions, or are left to LLVM."""

import ctypes
import gc
import platform
import weakref
from pathlib import Path

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi, engine, object_file

pytestmark = [
    pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable()),
    pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="LLVM loads the code of this processor"),
]

AROUND = """
declare double @pow(double, double)
@table = private unnamed_addr constant [3 x double] [double 1.0, double 2.0, double 4.0]
define double @power(i64 %k) nounwind {
    %at = getelementptr double, ptr @table, i64 %k
    %x = load double, ptr %at
    %y = call double @pow(double %x, double 3.0)
    ret double %y
}
define double @half_of_power(i64 %k) nounwind {
    %y = call double @power(i64 %k)
    %z = fmul double %y, 0.5
    ret double %z
}
"""


def loaded(text, resolve=engine._address):
    return object_file.load(engine.object_code(text, False), resolve)


def call(code, name, *args):
    return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(code.address(name))(*args)


def test_code_refers_to_its_own_data_and_functions_and_to_those_of_others():
    code = loaded(AROUND)
    assert code is not None
    assert [call(code, "power", k) for k in range(3)] == [1.0, 8.0, 64.0]
    assert call(code, "half_of_power", 2) == 32.0


def test_memory_goes_with_the_code():
    code = loaded(AROUND)
    address, memory = code.address("power") & ~0xFFF, weakref.ref(code)
    assert _is_mapped(address)
    del code
    gc.collect()
    assert memory() is None and not _is_mapped(address)


def _is_mapped(address):
    ranges = [line.split()[0].split("-") for line in Path("/proc/self/maps").read_text().splitlines()]
    return any(int(begin, 16) <= address < int(end, 16) for begin, end in ranges)


def _patched(content, offset, value):
    return content[:offset] + value + content[offset + len(value) :]


@pytest.mark.parametrize(
    ("text", "change"),
    [
        (AROUND, lambda c: b"no object file"),
        (AROUND, lambda c: b""),
        (AROUND, lambda c: _patched(c, 18, b"\xb7\0")),  # of another processor
        (AROUND, lambda c: _patched(c, 16, b"\3\0")),  # a shared library
        (AROUND.replace("@pow(", "@no_such_function("), lambda c: c),
        (AROUND.replace("private unnamed_addr constant", "global"), lambda c: c),  # can be written
        (
            AROUND.replace("define double @power", "define double @power")
            .replace("private unnamed_addr", "external")
            .replace(" [double 1.0, double 2.0, double 4.0]", ""),
            lambda c: c,
        ),
    ],
)
def test_what_is_not_known_is_left_to_llvm(text, change):
    assert object_file.load(change(engine.object_code(text, False)), engine._address) is None


def test_other_relocations_are_left_to_llvm():
    machine = engine._llvm().Target.from_default_triple().create_target_machine(codemodel="small", reloc="pic")
    content = bytes(machine.emit_object(engine._llvm().parse_assembly(AROUND)))
    assert object_file.load(content, engine._address) is None


def test_where_llvm_loads_code_results_are_the_same(monkeypatch):
    def f(x):
        total = 0.0
        for k in range(len(x)):
            if x[k] > 0:
                total += x[k] ** 1.5
        return np.sqrt(x) * 2 + x, x.sum(), total

    x = np.linspace(0, 1, 57)
    expected = tracefn.function(f, jit="now")(x)
    engine._KNOWN.clear()
    monkeypatch.setattr(object_file, "load", lambda *_: None)
    again = tracefn.function(f, jit="now")
    found = again(x)
    assert again.concrete_functions[0].plan == "native"
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)
    with pytest.warns(RuntimeWarning, match="invalid value encountered in sqrt"):
        again(-x)


def test_where_llvm_loads_code_it_finds_what_kernels_share(monkeypatch):
    x = np.linspace(0, 1, 100)
    expected = tracefn.function(lambda x: np.exp(-np.tanh(x)), jit="now")(x)
    engine._KNOWN.clear()
    monkeypatch.setattr(object_file, "load", lambda *_: None)
    np.testing.assert_array_equal(tracefn.function(lambda x: np.exp(-np.tanh(x)), jit="now")(x), expected)
