"""Functions of the standard library and NumPy that read files, clocks, settings and the like."""

from __future__ import annotations

import sys
import types
from typing import Any

_READERS: dict[str, frozenset[str]] = {
    module: frozenset(names.split())
    for module, names in {
        "_contextvars": "get",
        "_locale": "localeconv",
        "contextvars": "get",
        "gc": "collect get_count get_stats get_threshold isenabled",
        "genericpath": "exists getatime getctime getmtime getsize isdir isfile samefile",
        "glob": "glob iglob",
        "io": "open",
        "linecache": "getline getlines",
        "locale": "getlocale getpreferredencoding localeconv",
        "numpy": "fromfile fromregex genfromtxt get_printoptions getbufsize geterr geterrcall load loadtxt memmap",
        "os": "cpu_count fwalk get_exec_path getenv getenvb walk",
        "platform": "*",
        "posix": "access cpu_count getcwd getcwdb getegid geteuid getgid getgroups getloadavg getlogin getpid getppid "
        "getuid listdir lstat readlink scandir stat sysconf times uname urandom",
        "posixpath": "abspath expanduser expandvars ismount lexists realpath relpath samefile",
        "random": "*",
        "_random": "*",
        "resource": "getrlimit getrusage",
        "secrets": "*",
        "shutil": "disk_usage get_terminal_size which",
        "sys": "getrecursionlimit getrefcount getswitchinterval",
        "tempfile": "gettempdir",
        "time": "*",
        "uuid": "*",
    }.items()
}
"""Functions whose answer may differ at each call, by module. `*` stands for all functions of a module."""

_OF_PATHS = frozenset(
    "absolute cwd exists expanduser glob group home is_block_device is_char_device is_dir is_fifo is_file is_mount "
    "is_socket is_symlink iterdir lstat owner read_bytes read_text readlink resolve rglob samefile stat walk".split()
)
"""Methods of a `pathlib.Path` that read."""


def is_of_the_moment(function: Any) -> bool:
    """True for a function that reads a clock, a file, the environment, a setting or random numbers."""
    module, name = _place(function)
    if module == "pathlib":
        return name in _OF_PATHS
    if module == "datetime":
        return name in ("now", "today", "utcnow")
    names = _READERS.get(module, frozenset())
    return name in names or "*" in names


def _place(function: Any) -> tuple[str, str]:
    """The module that a function, or the class of the object that it is bound to, belongs to, and its name."""
    name = str(getattr(function, "__name__", ""))
    owner = getattr(function, "__self__", None)
    if owner is None or isinstance(owner, types.ModuleType):
        module = "" if isinstance(function, type) else getattr(function, "__module__", None)
    else:
        cls = owner if isinstance(owner, type) else type(owner)
        pathlib = sys.modules.get("pathlib")
        module = "pathlib" if pathlib is not None and issubclass(cls, pathlib.Path) else cls.__module__
    return module if isinstance(module, str) else "", name
