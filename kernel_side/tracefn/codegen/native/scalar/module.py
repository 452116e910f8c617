"""The text of a module of machine code: functions, and all that they call."""

from __future__ import annotations

from ....records import dataclass
from ...machine import float_flags
from ...machine.processor import has_fma
from .functions import definitions


@dataclass(frozen=True)
class Code:
    """LLVM IR of functions, with the declarations and mathematical functions that they need."""

    text: str
    declarations: frozenset[str]
    functions: frozenset[tuple[str, int]]

    def module(self) -> str:
        """The text of a module of its own."""
        text, declarations = definitions(self.functions, has_fma())
        flags = float_flags.definitions() if "_flags(" in self.text else ""
        return "\n".join([*sorted(self.declarations | declarations), flags, text, self.text])
