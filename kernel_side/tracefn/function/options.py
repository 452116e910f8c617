"""The options of a traced function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..config import JIT_MODES, ON_UNSUPPORTED
from ..records import dataclass

MAX_TRACES = 128
"""How many traces a function keeps by default."""


@dataclass(frozen=True)
class Options:
    """Those of `tracefn.function`, which explains them. Raises ValueError for a value that is none of an
    option's."""

    input_signature: Sequence[Any] | None = None
    reduce_retracing: bool = False
    autograph: bool = True
    name: str | None = None
    device: str | None = None
    max_traces: int | None = MAX_TRACES
    jit: str | None = None
    precise: bool = False
    on_unsupported: str | None = None

    def __post_init__(self) -> None:
        if self.max_traces is not None and self.max_traces < 1:
            raise ValueError(f"max_traces must be at least 1, or None for no limit, not {self.max_traces!r}")
        if self.device not in (None, "cpu", "gpu"):
            raise ValueError(f"device must be None, 'cpu' or 'gpu', not {self.device!r}")
        if self.jit not in (None, *JIT_MODES):
            raise ValueError(f"jit must be None, 'auto', 'now' or 'off', not {self.jit!r}")
        if self.on_unsupported not in (None, *ON_UNSUPPORTED):
            raise ValueError(f"on_unsupported must be None, 'eager' or 'error', not {self.on_unsupported!r}")


DEFAULTS = Options()
