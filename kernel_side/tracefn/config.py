"""Switches for all traced functions of the process."""

from __future__ import annotations

import functools
import os
import sys
from types import TracebackType
from typing import Any

from .trace.libraries import PURE_PACKAGES
from .trace.modes import Mode, Setting

_EAGERLY = Mode("functions run eagerly")
_REUSED = Mode("traces are reused", on=True, concerns_calls=False)
_KEPT = Mode("traces are kept", os.environ.get("TRACEFN_KEEP_TRACES", "1") != "0", concerns_calls=False)
_FULL_TRACEBACKS = Mode("full tracebacks", os.environ.get("TRACEFN_FULL_TRACEBACKS", "0") != "0", concerns_calls=False)


def run_functions_eagerly(run_eagerly: bool = True) -> Setting:
    """Whether calls of traced functions run the Python function itself, as if it were not decorated: for debuggers.

    It holds for all threads from now on; as a context manager, until the block ends. Traces are kept, and none are made
    by calls; `get_concrete_function` still traces.

    >>> import numpy as np, tracefn
    >>> @tracefn.function
    ... def f(x):
    ...     print("Python runs")
    ...     return x + 1
    >>> f(np.zeros(2)), f(np.zeros(2))
    Python runs
    (array([1., 1.]), array([1., 1.]))
    >>> with tracefn.config.run_functions_eagerly(True):
    ...     f(np.zeros(2))
    Python runs
    array([1., 1.])
    >>> tracefn.config.functions_run_eagerly()
    False
    """
    return _EAGERLY.set(run_eagerly)


def functions_run_eagerly() -> bool:
    """True if calls of traced functions run the Python function itself."""
    return _EAGERLY.on


def reuse_traces(reuse: bool = True) -> Setting:
    """Whether a traced function that is defined again goes on with the traces that it had: as when a notebook cell is
    run again. It is on unless switched off.

    The definition must be of the same name, source, defaults and options, at the top level of a module or notebook. It
    holds from now on; as a context manager, until the block ends.

    >>> import numpy as np, tracefn
    >>> @tracefn.function
    ... def f(x):
    ...     return x + 1
    >>> f(np.zeros(2)), f.tracing_count
    (array([1., 1.]), 1)
    >>> @tracefn.function
    ... def f(x):
    ...     return x + 1
    >>> f.tracing_count
    1
    >>> with tracefn.config.reuse_traces(False):
    ...     @tracefn.function
    ...     def f(x):
    ...         return x + 1
    >>> f.tracing_count
    0
    """
    return _REUSED.set(reuse)


def traces_are_reused() -> bool:
    """True if a function that is defined again goes on with the traces that it had."""
    return _REUSED.on


def keep_traces(keep: bool = True) -> Setting:
    """Whether traces are kept on disk, so that the first call of an unchanged function in a later process need not
    trace it. It is on unless switched off, here or by the environment variable `TRACEFN_KEEP_TRACES=0`.

    A trace is kept where all that it rests on can be proved again: the code of the functions, the values of their
    names, Python, NumPy and tracefn. It is where machine code is, in the folder that `TRACEFN_CACHE` names. It holds
    from now on; as a context manager, until the block ends.

    >>> import tracefn
    >>> with tracefn.config.keep_traces(False):
    ...     tracefn.config.traces_are_kept()
    False
    """
    return _KEPT.set(keep)


def traces_are_kept() -> bool:
    """True if traces are kept on disk, and those of earlier processes are taken over."""
    return _KEPT.on


def full_tracebacks(full: bool = True) -> Setting:
    """Whether the tracebacks of errors in traced functions keep tracefn's own frames, and the lines of its programs.

    They are cut out unless this is on: the rest are the lines that eager code would have run through. It holds
    from now on; as a context manager, until the block ends. It is on from the start where the environment variable
    `TRACEFN_FULL_TRACEBACKS` is set to 1.

    >>> import traceback
    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x @ np.ones((4, 4)))
    >>> def frames():
    ...     try:
    ...         f(np.ones(3))
    ...     except ValueError as error:
    ...         return [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    >>> frames()
    ['frames', '<lambda>']
    >>> with tracefn.config.full_tracebacks():
    ...     '_call_slowly' in frames()
    True
    """
    return _FULL_TRACEBACKS.set(full)


def tracebacks_are_full() -> bool:
    """True if the tracebacks of errors in traced functions keep tracefn's own frames."""
    return _FULL_TRACEBACKS.on


pure_packages = PURE_PACKAGES
"""The names of packages whose functions do nothing but compute their results: SciPy, pandas, scikit-learn, and others.

A traced function calls the functions of other packages at each call, in its order, as they may have effects. Those of
pure ones it calls once, while tracing, where they are given constants alone, and leaves them out where nothing is to
be changed by a trace. Add the names of packages of your own: `tracefn.config.pure_packages.add("mylib")`.
"""

JIT_MODES = ("auto", "now", "off")
COMPILERS = ("process", "thread", "off")


class _Choice:
    """A setting that is one of several words, or a number."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def set(self, value: Any) -> _Restoring:
        before, self.value = self.value, value
        return _Restoring(self, before)


class _Restoring:
    """A setting that has been made; at the end of a `with` block it is as it was before."""

    def __init__(self, choice: _Choice, before: Any) -> None:
        self._choice = choice
        self._before = before

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._choice.value = self._before


_UNSUPPORTED = _Choice(
    os.environ.get("TRACEFN_ON_UNSUPPORTED") if os.environ.get("TRACEFN_ON_UNSUPPORTED") == "error" else "eager"
)
_JIT = _Choice(os.environ.get("TRACEFN_JIT") if os.environ.get("TRACEFN_JIT") in JIT_MODES else "auto")
_COMPILER = _Choice(
    os.environ.get("TRACEFN_COMPILER") if os.environ.get("TRACEFN_COMPILER") in COMPILERS else "process"
)
_THREADS = _Choice(0)
_KEPT_ARGUMENTS = _Choice(int(_given) if (_given := os.environ.get("TRACEFN_KEPT_ARGUMENTS", "")).isdigit() else 0)


ON_UNSUPPORTED = ("eager", "error")


def on_unsupported(choice: str) -> _Restoring:
    """The treatment of calls that cannot be traced, for functions without a choice of their own.

    'eager': all that the trace did is taken back and the Python function itself runs; a `FallbackWarning` says where
    and why, once for each function and reason. 'error': the error names the unsupported part. It holds from now on; as
    a context manager, until the block ends. The environment variable `TRACEFN_ON_UNSUPPORTED` sets the choice at first;
    without it, 'eager'.

    Raises ValueError for another word.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: float(np.asarray(x).item(0)), autograph=False)
    >>> with tracefn.config.on_unsupported("error"):
    ...     f(np.ones(2))
    Traceback (most recent call last):
    ...
    tracefn.errors.TensorConversionError: ...
    """
    if choice not in ON_UNSUPPORTED:
        raise ValueError(f"on_unsupported must be 'eager' or 'error', not {choice!r}")
    return _UNSUPPORTED.set(choice)


def unsupported_choice() -> str:
    """The setting of `on_unsupported`: 'eager' or 'error'."""
    return str(_UNSUPPORTED.value)


def jit(mode: str) -> _Restoring:
    """When parts of graphs become machine code, for functions that do not say themselves.

    'auto': in the background, once a signature is called often or its calls take long. 'now': while it is traced,
    before the first run. 'off': never. It holds for traces made from now on; as a context manager, until the block
    ends. The environment variable `TRACEFN_JIT` sets the choice at first; without it, 'auto'.

    Raises ValueError for another word.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: np.sqrt(x) * 2 + x)
    >>> with tracefn.config.jit("now"):
    ...     f(np.array([1.0, 4.0]))
    array([3., 8.])
    >>> f.concrete_functions[0].plan
    'native'
    """
    if mode not in JIT_MODES:
        raise ValueError(f"jit mode must be one of {', '.join(map(repr, JIT_MODES))}, not {mode!r}")
    return _JIT.set(mode)


def jit_mode() -> str:
    """The setting of `jit`: 'auto', 'now' or 'off'."""
    return str(_JIT.value)


def compiler(where: str) -> _Restoring:
    """Where native code is built in the background.

    'process': in a process of its own, of low priority, so that nothing waits for it: not for Python's lock, nor
    for a processor. It is started with the first build, has about 50 MB of memory of its own, and ends after a
    minute without work, or with this process. Where it cannot be started a thread builds. 'thread': in a thread of
    this process. 'off': nowhere; builds of an earlier process are still used. It holds for builds that begin
    from now on; as a context manager, until the block ends. The environment variable `TRACEFN_COMPILER` sets
    the choice at first; without it, 'process'.

    Raises ValueError for another word.

    >>> import tracefn
    >>> with tracefn.config.compiler("thread"):
    ...     tracefn.config.compiler_choice()
    'thread'
    """
    if where not in COMPILERS:
        raise ValueError(f"compiler must be one of {', '.join(map(repr, COMPILERS))}, not {where!r}")
    return _COMPILER.set(where)


def compiler_choice() -> str:
    """The setting of `compiler`: 'process', 'thread' or 'off'."""
    return str(_COMPILER.value)


def threads(count: int) -> _Restoring:
    """In how many threads native code runs where there are elements enough for more than one.

    0: as many as `OMP_NUM_THREADS` says, or as there are processors for this process, and no more than `threadpoolctl`
    allows the libraries that it knows. It holds from now on; as a context manager, until the block ends. Results do not
    depend on it. Raises ValueError for a negative number.

    >>> import tracefn
    >>> with tracefn.config.threads(1):
    ...     tracefn.config.thread_count()
    1
    """
    if count < 0:
        raise ValueError(f"the number of threads must not be negative, but {count!r} is")
    return _THREADS.set(count)


def thread_count() -> int:
    """In how many threads native code may run."""
    if _THREADS.value:
        return int(_THREADS.value)
    given = os.environ.get("OMP_NUM_THREADS", "")
    if given.isdigit() and int(given):
        count = int(given)
    else:
        count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    control = sys.modules.get("threadpoolctl")
    return count if control is None else min([count, *[lib.num_threads or count for lib in _libraries(control)]])


@functools.cache
def _libraries(control: Any) -> list[Any]:
    """The libraries of which threadpoolctl, where it is in use, limits the threads: they tell how many they may."""
    return list(control.ThreadpoolController().lib_controllers)


def kept_arguments(size: int) -> _Restoring:
    """Keeps at most `size` bytes of arguments, so that a call can be measured again with its own arrays after its
    caller has released them (`timing.measure`, and *Measure* in the panel).

    They are those of the calls that made traces, of all functions together; the oldest are let go first, and an array
    counts with the memory that it is a view of. It holds for traces made from now on, with the first of which a smaller
    size takes effect; as a context manager, until the block ends. The environment variable `TRACEFN_KEPT_ARGUMENTS`
    sets it at first; without it nothing is kept, and random numbers take the place of arrays that are gone. Raises
    ValueError for a negative size.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x * 2 + 1)
    >>> with tracefn.config.kept_arguments(1_000_000):
    ...     _ = f(np.arange(4.0))
    >>> tracefn.timing.measure(f).made
    ()
    """
    if size < 0:
        raise ValueError(f"the size of kept arguments must not be negative, but {size!r} is")
    return _KEPT_ARGUMENTS.set(size)


def kept_arguments_size() -> int:
    """The setting of `kept_arguments`, in bytes."""
    return int(_KEPT_ARGUMENTS.value)
