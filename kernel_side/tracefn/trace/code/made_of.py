"""The parts of a Python function at one moment: its code and its defaults, which anyone may replace."""

from __future__ import annotations

from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

from .plain import plain


class HasCode(NamedTuple):
    """A function has the code that was traced: `function.__code__ = …` gives it another one."""

    function: Any  # a Python function
    code: CodeType

    @property
    def holds(self) -> bool:
        return self.function.__code__ is self.code


class MadeOf(NamedTuple):
    """The code of a function, and the values of its defaults. Positional ones are in one tuple, which cannot change.
    `cells` hold the variables around it, and are its own for as long as it lives."""

    code: CodeType
    defaults: tuple[Any, ...] | None
    keyword_defaults: tuple[tuple[str, Any], ...]
    cells: tuple[CellType, ...]

    @classmethod
    def of(cls, function: Any) -> MadeOf | None:
        """That of a function, traced or not. None for anything else."""
        function = plain(function)
        if type(function) is not FunctionType:
            return None
        keywords = (*(function.__kwdefaults__ or {}).items(),)
        return cls(function.__code__, function.__defaults__, keywords, function.__closure__ or ())

    def is_of(self, function: Any) -> bool:
        """True where the function has the same code and the very same defaults now."""
        found = MadeOf.of(function)
        return (
            found is not None
            and found.code is self.code
            and found.defaults is self.defaults
            and len(found.keyword_defaults) == len(self.keyword_defaults)
            and all(
                name == other and value is known
                for (name, value), (other, known) in zip(found.keyword_defaults, self.keyword_defaults, strict=True)
            )
        )
