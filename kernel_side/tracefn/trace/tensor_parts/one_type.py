"""The tag of a number whose type a traced value chooses: see `number_types`."""

from __future__ import annotations

from typing import Any, NamedTuple


class OneType(NamedTuple):
    """The type is the one of `types` with the tag `which`, a traced int or a known one."""

    which: Any
    types: tuple[int, ...]
