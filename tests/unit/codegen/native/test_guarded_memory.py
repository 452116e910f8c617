"""The guard itself: what reads or writes outside of an array ends the process."""

import signal
import subprocess
import sys
from pathlib import Path

import guarded_memory
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="guarded memory is written for Linux")
SCRIPT = """
import ctypes, sys
sys.path.insert(0, {folder!r})
import numpy as np
from guarded_memory import guarded
with guarded():
    x = np.arange({length}.0) * 2
    address, end = x.ctypes.data, x.ctypes.data + x.nbytes
    {crime}
    del x
print("alive")
"""
CRIMES = {
    "ctypes.c_char.from_address(end).value": signal.SIGSEGV,
    "ctypes.c_char.from_address(end).value = b'x'": signal.SIGSEGV,
    "ctypes.c_char.from_address(address - 1).value = b'x'": signal.SIGABRT,
    "del x; x = ctypes.c_double.from_address(address).value": signal.SIGSEGV,
    "pass": 0,
}


@pytest.mark.parametrize("crime", CRIMES)
@pytest.mark.parametrize("length", [5, 1024])
def test_what_lies_outside_is_forbidden(crime, length):
    if length == 1024 and "address - 1" in crime:
        length = 1023  # before an array that fills its pages lies whatever is there
    source = SCRIPT.format(folder=str(Path(guarded_memory.__file__).parent), length=length, crime=crime)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)
    assert done.returncode == -CRIMES[crime]
    assert done.stdout == ("alive\n" if crime == "pass" else "")


def test_the_arrays_of_these_tests_are_guarded():
    x = np.arange(3.0)
    assert guarded_memory.is_guarded(x)
    assert guarded_memory.is_guarded(x + 1)
    assert not guarded_memory.is_guarded(x[1:])
