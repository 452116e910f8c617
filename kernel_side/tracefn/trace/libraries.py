"""Which functions, classes and objects are foreign: of a library that is not NumPy, and not the user's own code."""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
import types
import weakref
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any

import numpy as np

from ..ir.module_name import file_of_module, module_of
from .active import current
from .of_the_moment import is_of_the_moment
from .origin import FORGET, is_library

PURE_PACKAGES: set[str] = set(
    "PIL bisect bottleneck colorsys datetime decimal fractions json math numba numexpr numpy pandas pywt "
    "scipy skimage sklearn statistics statsmodels string struct sympy textwrap zlib".split()
)
"""Packages whose functions do nothing but compute their results: calls of them on constants are made once."""

_OWN = frozenset({"tracefn", "tracefn_widgets", "numpy", "cupy", "builtins", "__main__", "__mp_main__"})
_READS = ("read", "load", "open", "fetch", "imread")
"""How functions of libraries begin that read files."""

_TOOLS = frozenset(
    "IPython _pytest anywidget comm debugpy hypothesis ipykernel ipywidgets llvmlite matplotlib plotly pluggy pytest "
    "tqdm traitlets typeguard typing_extensions".split()
)
"""Packages that look at code or show something: their effects happen while tracing."""

_STANDARD = frozenset(
    "base64 binascii bisect calendar cmath colorsys csv datetime decimal fractions hashlib html json math pprint "
    "random re secrets statistics string struct textwrap urllib uuid zlib _bisect _datetime _decimal _hashlib _json "
    "_pydecimal _pydatetime _random _statistics _struct".split()
)

"""Modules of the standard library whose functions become steps where they are given traced values. The others put
Python values together (functools, itertools, copy, collections), which they do while tracing as well."""

_COMPUTING = frozenset(
    "abc array ast base64 binascii bisect builtins calendar cmath codecs collections colorsys contextlib copy "
    "copyreg csv dataclasses datetime decimal difflib dis enum fractions functools gc graphlib hashlib heapq html "
    "importlib inspect io ipaddress itertools json keyword linecache locale logging math numbers operator pathlib "
    "pickle platform posixpath pprint random re reprlib secrets shlex statistics string struct sys textwrap time "
    "timeit traceback types typing unicodedata urllib uuid warnings weakref zlib".split()
)
"""Modules of the standard library whose functions compute, or are known otherwise. Those of the others use files,
threads, processes or settings."""

_ASKING = frozenset({"exists", "expanduser", "expandvars", "islink", "ismount", "lexists", "realpath"})
"""Functions on paths that look at files."""

_HARMLESS = frozenset({"fspath", "getpid", "cpu_count", "commonprefix", "getenv", "strerror", "current_thread"})

_OTHERS = (BaseException, types.ModuleType, type, tuple)
"""Types of values that are raised, imported, called and taken apart, whichever library they are of."""

_NAMELESS = frozenset({"SuperLU"})
"""Static classes in C that do not say which library they are of."""

_MADE_AT_RUN_TIME = 1 << 9
"""The flag of classes that are no static ones of C."""

_SERIES = "numpy.polynomial."
"""Where NumPy's polynomials are, which are objects. The functions beside them are ops."""

_STANDARD_OBJECTS = frozenset(
    "_decimal _io _pydecimal _random datetime decimal fractions os random statistics uuid zoneinfo".split()
)


def _top(module: Any) -> str:
    return module.partition(".")[0] if isinstance(module, str) else ""


def _is_apart(module: Any) -> bool:
    """True for modules of NumPy with functions that no graph has: its tests, and masked arrays."""
    return isinstance(module, str) and f"{module}.".startswith(("numpy.testing.", "numpy.ma."))


def belongs_to_numpy(value: Any) -> bool:
    """True for a function or class of NumPy's own modules (numpy_financial is another package), but for code that is
    looked into: functions of polynomials, and the polynomials themselves where one call is traced."""
    module: Any = getattr(value, "__module__", None)
    if _top(module) != "numpy":
        return False
    return not (module.startswith(_SERIES) and (isinstance(value, types.FunctionType) or _is_of_one_call()))


def is_of_series(value: Any) -> bool:
    """True for a function or class of `np.polynomial`, all of which is Python."""
    return str(getattr(value, "__module__", None)).startswith(_SERIES)


def _is_of_one_call() -> bool:
    """True in a trace for one call. As its values are known, so is how many coefficients a polynomial has."""
    trace = current()
    return trace is not None and trace.root.value_now is not None


@functools.lru_cache(maxsize=4096)
def _is_installed(top: str) -> bool:
    """True for a package that is installed as a library."""
    if top in _OWN or top in _TOOLS or not top:
        return False
    if top in sys.stdlib_module_names or top in _STANDARD:
        return False
    return is_library(file_of_module(top))


@functools.lru_cache(maxsize=4096)
def _is_compiled(module: str) -> bool:
    """True for an extension module, also one of the user's own."""
    top = _top(module)
    if top in _OWN or top in _TOOLS or top in sys.stdlib_module_names:
        return False
    while module and not (file := file_of_module(module)):  # one that an extension module has made has no file
        module = module.rpartition(".")[0]
    return bool(module) and file.endswith(tuple(EXTENSION_SUFFIXES))


def is_of_library(module: Any) -> bool:
    """True for the name of a module of a package that is installed."""
    return _is_installed(_top(module))


@functools.lru_cache(maxsize=4096)
def _has_objects(module: str) -> bool:
    """True for a module with classes whose objects are used in steps."""
    is_of_numpy_or_python = _is_apart(module) or module.startswith(_SERIES) or module in _STANDARD_OBJECTS
    return is_of_numpy_or_python or _is_installed(_top(module)) or _is_compiled(module)


def is_foreign_class(cls: type) -> bool:
    """True for a class of a library, whose objects are used in steps of the graph."""
    module = cls.__module__
    if module == "builtins":
        return _is_nameless(cls)
    if is_of_series(cls) and _is_of_one_call():
        return False
    return type(module) is str and (_has_objects(module) or _holds_as_library(cls)) and not issubclass(cls, _OTHERS)


def _is_nameless(cls: type) -> bool:
    """True for a class of an extension module that says it is Python's. So does a class of the user's in a namespace
    without a name, as `exec(text, {})` makes it; that is not written in C."""
    made_later = cls.__flags__ & _MADE_AT_RUN_TIME and vars(builtins).get(cls.__name__) is not cls
    return bool(made_later and _is_in_c(cls)) or cls.__name__ in _NAMELESS


def _holds_as_library(cls: type) -> bool:
    """True for a class of the user's whose objects hold data as those of a library: one made of `pandas.DataFrame`, or
    of a class in C."""
    known = _HOLDING.get(cls)
    if known is None:
        known = not issubclass(cls, np.ndarray) and any(_holds_data(base) for base in cls.__mro__[1:])
        _HOLDING[cls] = known
    return known


def _holds_data(cls: type) -> bool:
    """True for a class of a library with data of its own: that of an array, or that in C, which no attribute tells."""
    is_foreign = type(cls.__module__) is str and _has_objects(cls.__module__)
    return is_foreign and (hasattr(cls, "__array__") or _is_in_c(cls))


def _is_in_c(cls: type) -> bool:
    """True for a class that is written in C."""
    if not cls.__flags__ & _MADE_AT_RUN_TIME:
        return True
    methods = [v for v in vars(cls).values() if isinstance(v, types.MethodDescriptorType | types.WrapperDescriptorType)]
    return any(method.__objclass__ is cls for method in methods)


_HOLDING: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


FORGET += [_is_installed.cache_clear, _is_compiled.cache_clear, _has_objects.cache_clear, _HOLDING.clear]


def is_foreign_value(value: Any) -> bool:
    """True for an object of such a class."""
    return is_foreign_class(type(value))


def is_foreign_function(function: Any) -> bool:
    """True for a function or class that becomes a step where it is given traced values."""
    if isinstance(function, types.ModuleType):
        return False
    if is_of_the_moment(function):
        return True
    owner = getattr(function, "__self__", None)
    if isinstance(owner, type) or (owner is not None and not isinstance(owner, types.ModuleType)):
        return is_foreign_class(owner if isinstance(owner, type) else type(owner))
    module = getattr(function, "__module__", None)
    top = _top(module)
    if not top:
        return False
    if _is_apart(module):
        return True
    if isinstance(function, type) and is_of_series(function):
        return not issubclass(function, BaseException) and not _is_of_one_call()
    if isinstance(function, type) and issubclass(function, BaseException):
        return False
    if isinstance(function, types.FunctionType) and not is_library(function.__code__.co_filename):
        return False
    return top in _STANDARD or _is_installed(top) or _is_compiled(module)


def is_standard(function: Any) -> bool:
    """True for a function of the standard library."""
    return _top(getattr(function, "__module__", None)) in sys.stdlib_module_names


def is_of_known_library(function: Any) -> bool:
    """True for a function, method, class or object of NumPy and the packages that are known to be pure: where it is
    decorated itself, calls of it are traced, and not its code."""
    owner = getattr(function, "__self__", None)
    found = function if owner is None or isinstance(owner, types.ModuleType) else owner
    module = (found if isinstance(found, type | types.FunctionType) else type(found)).__module__
    return _top(module).removeprefix("_") in PURE_PACKAGES


def does_more(function: Any) -> bool:
    """True for a function, method or class of the standard library that may do more than compute: with files, threads,
    processes and settings."""
    owner = getattr(function, "__self__", None)
    name = str(getattr(function, "__name__", ""))
    if owner is None or isinstance(owner, types.ModuleType):
        module, found = getattr(function, "__module__", None), function
    else:
        found = owner if isinstance(owner, type) else type(owner)
        module = found.__module__
    top = _top(module)
    if top not in sys.stdlib_module_names or name in _HARMLESS:
        return False
    if top == "pathlib":
        import pathlib

        return found is not function and not hasattr(pathlib.PurePath, name)
    if top == "posixpath":
        return name in _ASKING
    if top.lstrip("_") == "pickle" and isinstance(found, type):  # picklers
        return not issubclass(found, BaseException)
    if top == "contextlib":
        return issubclass(found, contextlib._RedirectStream) if isinstance(found, type) else False
    return top.lstrip("_") not in _COMPUTING and not (isinstance(found, type) and issubclass(found, _OTHERS[:2]))


def keeps_state(value: Any) -> bool:
    """True for an object of the standard library whose methods may change it, or tell how it was changed."""
    top = _top(type(value).__module__).lstrip("_")
    return top in ("csv", "hashlib", "zlib", "md5", "sha1", "sha2", "sha3", "blake2", "contextvars")


def is_pure(function: Any) -> bool:
    """True for a function of a package that is known to compute its results and nothing else."""
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        module = (owner if isinstance(owner, type) else type(owner)).__module__
    top = _top(module)
    name = str(getattr(function, "__name__", ""))
    if name.startswith(_READS) or (isinstance(module, str) and ".io" in module) or is_of_the_moment(function):
        return False
    return top.removeprefix("_") in PURE_PACKAGES or top in PURE_PACKAGES


def dotted_name(function: Any) -> str:
    """A function as messages and graphs name it, without the private modules that it lies in."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", type(function).__name__)
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        cls = owner if isinstance(owner, type) else type(owner)
        return f"{_public(module_of(cls))}.{cls.__qualname__}.{getattr(function, '__name__', '__call__')}"
    module = getattr(function, "__module__", None)
    return f"{_public(module)}.{name}" if isinstance(module, str) else str(name)


def _public(module: str) -> str:
    if module in ("_operator", "builtins"):
        return module.lstrip("_")
    parts = module.split(".")
    return ".".join([parts[0].lstrip("_"), *[p for p in parts[1:] if not p.startswith("_")]])


def is_logger(value: Any) -> bool:
    """True for a logger of Python's. Where `logging` was never imported, there is none."""
    logging = sys.modules.get("logging")
    return logging is not None and isinstance(value, logging.Logger)
