"""Scopes: the calls and rounds of the user's code in which nodes are recorded: `forward/for line 3/round#2/relu`.

Rewritten functions tell when they begin (`entered`). Nothing tells when they end: the frames on Python's stack say
which calls are under way. A frame is known by its identity and its code. None is held: it would hold variables.
"""

from __future__ import annotations

import dis
import inspect
from functools import lru_cache
from types import CodeType, FrameType

from ...ir.place import Scope
from ..code.rewritten import PART, REWRITTEN
from ..origin import is_user_frame, source_of, user_frame


class _Open:
    """A scope that nodes may be recorded in. `frame` and `code` are those of its call; None for a round or a body, and
    for a call that is expected. `counts` are the numbers of scopes in it, by name."""

    __slots__ = ("calling", "code", "counts", "frame", "instruction", "is_expected", "scope")

    def __init__(self, scope: Scope, is_expected: bool = False) -> None:
        self.scope = scope
        self.is_expected = is_expected
        self.frame: int | None = None
        self.code: CodeType | None = None
        self.instruction = -1
        self.calling = -1
        self.counts: dict[str, int] | None = None

    def is_of(self, frame: FrameType) -> bool:
        return self.frame == id(frame) and self.code is frame.f_code


class Scopes:
    """The scopes that are open, outer ones first. The first one is that of the traced function, whose code is `traced`
    where it is not rewritten."""

    def __init__(self) -> None:
        self.traced: CodeType | None = None
        self._open = [_Open(Scope(""), is_expected=True)]
        self._numbers: dict[int, int] = {}  # of the scopes of frames, by identity; those of frames that are gone, too
        self._seen: tuple[int, CodeType] | None = None  # the last frame that was asked for, inside the innermost scope

    @property
    def innermost(self) -> Scope:
        """The scope of the last node or call."""
        return self._open[-1].scope

    def entered(self, frame: FrameType) -> None:
        """Notes that a call begins."""
        self._close_ended(frame.f_back)
        self._begins(frame)

    def of(self, frame: FrameType | None) -> Scope:
        """The scope of a frame of user code that is running."""
        if self._open[0].is_expected:
            self._find_traced(frame)
        top = self._open[-1]
        if frame is None:
            return top.scope
        if top.frame == id(frame) and top.code is frame.f_code:  # `is_of`, which nearly every node asks
            if top.instruction < 0:
                return top.scope
            is_later, top.instruction = frame.f_lasti >= top.instruction, frame.f_lasti
            if is_later or len(self._open) == 1 or not _is_straight(frame.f_code):
                return top.scope
            self._open.pop()  # the same memory, and another call
        elif self._seen == (id(frame), frame.f_code):
            return top.scope
        if top.frame is not None or top.is_expected:  # in a round or body that is open, no call has ended
            if not self._close_ended(frame) and not self._open[0].is_expected:
                return self._open[0].scope  # the traced function has returned
            top = self._open[-1]
            if top.is_of(frame):
                return top.scope
        if self._number(frame) is not None or _is_part(frame.f_code):
            self._seen = (id(frame), frame.f_code)
            return top.scope
        self._begins(frame)
        self._open[-1].instruction = frame.f_lasti
        return self._open[-1].scope

    def of_called(self, called: FrameType, frame: FrameType | None) -> Scope:
        """The scope of a call of tracefn's own that is seen in graphs, which the user's frame has made."""
        if self._open[0].is_expected:
            self._find_traced(called)
        top = self._open[-1]
        calling = -1 if frame is None else frame.f_lasti
        if top.is_of(called) and top.calling in (-1, calling):
            is_later, top.instruction = called.f_lasti >= top.instruction, called.f_lasti
            if is_later or len(self._open) == 1 or not _is_straight(called.f_code):
                return top.scope
        self._seen = None
        self.of(frame)
        self._begins(called)
        top = self._open[-1]
        top.instruction, top.calling = called.f_lasti, calling
        return top.scope

    def inner(self, name: str, numbered: bool = True) -> Scope:
        """The scope that begins now in the innermost call. Bodies of a branch or loop, which their node tells apart,
        are not `numbered`."""
        frame = user_frame(2)
        outer = self.of(frame)
        return self._named(name, frame) if numbered else Scope.inside(outer, name, source_of(frame))

    def open(self, scope: Scope, is_expected: bool = False) -> int:
        """Opens a scope until `close` is called with the number that it returns. Where a call `is_expected`, the first
        one that begins in it has no other scope."""
        self._open.append(_Open(scope, is_expected))
        self._seen = None
        return len(self._open) - 1

    def close(self, number: int) -> None:
        del self._open[number:]
        self._seen = None

    def _find_traced(self, frame: FrameType | None) -> None:
        """Gives the first scope to the frame of a traced function that does not tell when it begins."""
        while frame is not None and self.traced is not None:
            if frame.f_code is self.traced:
                return self._begins(frame)
            frame = frame.f_back

    def _number(self, frame: FrameType) -> int | None:
        """The number of the scope that is of this frame."""
        number = self._numbers.get(id(frame))
        is_open = number is not None and number < len(self._open) and self._open[number].is_of(frame)
        return number if is_open else None

    def _close_ended(self, frame: FrameType | None) -> bool:
        """Closes the scopes of calls that have ended: all that are inside the innermost call which is on the stack, but
        for the rounds and bodies that were opened in it. False where none is on the stack."""
        known = self._numbers
        while frame is not None:
            if id(frame) in known and (number := self._number(frame)) is not None:
                number += 1
                while number < len(self._open) and self._open[number].frame is None:
                    number += 1
                del self._open[number:]
                return True
            frame = frame.f_back
        return False

    def _begins(self, frame: FrameType) -> None:
        """Opens the scope of a call, or gives it the one that waits for it."""
        if not self._open[-1].is_expected:
            name = _name(frame.f_code) if is_user_frame(frame) else _own_name(frame)
            self._open.append(_Open(self._named(name, user_frame_from(frame.f_back))))
        top = self._open[-1]
        top.frame, top.code, top.is_expected = id(frame), frame.f_code, False
        self._numbers[top.frame] = len(self._open) - 1
        self._seen = None

    def _named(self, name: str, caller: FrameType | None) -> Scope:
        top = self._open[-1]
        if top.counts is None:
            top.counts = {}
        count = top.counts[name] = top.counts.get(name, 0) + 1
        return Scope.inside(top.scope, name if count == 1 else f"{name}#{count}", source_of(caller))


def user_frame_from(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of user code from this one on outwards."""
    while frame is not None and not is_user_frame(frame):
        frame = frame.f_back
    return frame


def _name(code: CodeType) -> str:
    """The name of a call: `relu`, `Dense.forward`."""
    name = code.co_qualname.rpartition("<locals>.")[2]
    return name.removeprefix("<").removesuffix(">").replace("/", "|")


def _own_name(frame: FrameType) -> str:
    """The name of a call of tracefn's own: `nn.relu`, `optimize.adamw.update`. Another library's has the name of its
    code."""
    package, _, path = frame.f_globals["__name__"].partition(".")
    if package != "tracefn":
        return _name(frame.f_code)
    return f"{path.partition('.')[0]}.{frame.f_code.co_qualname.replace('.<locals>', '')}"


_TELLS = "enter"
"""The operator that rewritten functions begin with, and their parts do not."""


def is_part_of_function(code: CodeType) -> bool:
    """True for a function of AutoGraph's that is none for the user: a loop body, a branch, an operand."""
    if REWRITTEN not in code.co_qualname or _TELLS in code.co_names or code.co_name in _COMPREHENSIONS:
        return False
    if not code.co_flags & inspect.CO_OPTIMIZED or code.co_flags & _RUNS_PIECEWISE:
        return False  # a class, a generator
    return code.co_name != "<lambda>" or (not code.co_argcount and PART in code.co_varnames)


_RUNS_PIECEWISE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def _is_part(code: CodeType) -> bool:
    """True for code that runs inside of a rewritten function: a loop body, a branch, a lambda or a comprehension."""
    return REWRITTEN in code.co_qualname or REWRITTEN in code.co_consts or code.co_name in _COMPREHENSIONS


_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


@lru_cache(maxsize=1024)
def _is_straight(code: CodeType) -> bool:
    """True where a call runs no instruction twice."""
    return not any(op in _BACKWARD for op in code.co_code[::2])


_BACKWARD = frozenset(number for name, number in dis.opmap.items() if "BACKWARD" in name)
