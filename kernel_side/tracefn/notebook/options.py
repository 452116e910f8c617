"""The options of `%%tracefn` and `%tracefn`."""

from __future__ import annotations

import shlex

from ..records import dataclass

FLAGS = ("--time", "--no-wrap", "--quiet")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a magic. `only` is empty where all functions of the cell are meant."""

    time: bool = False
    no_wrap: bool = False
    quiet: bool = False
    only: tuple[str, ...] = ()


def parse_options(line: str) -> Options:
    """The options on the line of `%%tracefn`. Raises ValueError, in one line, for anything else.

    >>> parse_options("--time --only loss")
    Options(time=True, no_wrap=False, quiet=False, only=('loss',))
    """
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        raise ValueError(f"%%tracefn: cannot read the options {line!r}: {error}.") from None
    flags: set[str] = set()
    only: list[str] = []
    while words:
        word = words.pop(0)
        if word in FLAGS:
            flags.add(word)
        elif word == "--only" and words and words[0].isidentifier():
            only.append(words.pop(0))
        elif word == "--only":
            raise ValueError("%%tracefn: --only needs the name of a function of the cell: --only NAME.")
        else:
            raise ValueError(
                f"%%tracefn: unknown option {word!r}; there are --time, --no-wrap, --only NAME and --quiet "
                "(%%tracefn? explains them). Code goes on the lines below."
            )
    if only and "--no-wrap" in flags:
        raise ValueError("%%tracefn: --only says which functions to wrap, --no-wrap to wrap none; give one of them.")
    return Options("--time" in flags, "--no-wrap" in flags, "--quiet" in flags, tuple(only))


def split_expression(line: str) -> tuple[Options, str]:
    """The options and the expression of `%tracefn`. Raises ValueError, in one line, where one of them is wrong.

    >>> split_expression("--time f(x - 1)")
    (Options(time=True, no_wrap=False, quiet=False, only=()), 'f(x - 1)')
    """
    rest = line.strip()
    flags: set[str] = set()
    while rest.startswith("--"):
        word, _, rest = rest.partition(" ")
        rest = rest.lstrip()
        if word not in ("--time", "--quiet"):
            raise ValueError(f"%tracefn: unknown option {word!r}; there are --time and --quiet, then an expression.")
        flags.add(word)
    if not rest:
        raise ValueError("%tracefn: needs an expression to trace, such as %tracefn f(x); %%tracefn traces a cell.")
    return Options(time="--time" in flags, quiet="--quiet" in flags), rest
