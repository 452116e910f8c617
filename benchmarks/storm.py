"""A storm of retraces: the source of a notebook's cell, and a script that times the same in plain Python."""

import json
import time

import numpy as np
import tracefn

TRACES = 2000


@tracefn.function(max_traces=None, jit="off")
def stormy(x):
    """Is traced anew for each length: about ten events each."""
    return np.tanh(x * 2) + 1


def storm(first):
    """Seconds of calls with lengths from `first` on."""
    begin = time.perf_counter()
    for length in range(first, first + TRACES):
        stormy(np.ones(length))
    return time.perf_counter() - begin


if __name__ == "__main__":
    storm(1)
    print(json.dumps(storm(TRACES + 1)))
