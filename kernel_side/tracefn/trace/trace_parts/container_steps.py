"""An operation on a container that branches do again in the trace around them."""

from __future__ import annotations

from ...records import dataclass
from ..state.place import Contents


@dataclass(frozen=True, eq=False)
class ContainerStep:
    """One operation on a container, which one side or every side does."""

    place: Contents
    method: str
    side: int | None = None
    """The number of the side that does it, None for all."""

    def __str__(self) -> str:
        return f"{self.place}.{self.method}(…)"
