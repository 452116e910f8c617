"""Later calls get memory that freed arrays have left: the system gives no new pages."""

import platform
import subprocess
import sys

import pytest

SOURCE = """
import resource

import numpy as np
import tracefn


@tracefn.function(jit="off")
def f(x):
    parts = [np.sqrt(x + k) for k in range(8)]
    return np.stack(parts).sum()


def faults(calls):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(calls):
        f(x)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


x = np.ones(14_000)
f(x)
f(x)
print(faults(20))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="tests glibc's malloc")
def test_the_second_call_fetches_no_memory_from_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", SOURCE], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 20  # 1000 and more where each call gets its pages anew
