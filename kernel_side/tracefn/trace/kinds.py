"""Variables and choices, recognised by a mark of their class: rooms below theirs ask."""

from __future__ import annotations

from typing import Any


def is_variable(value: Any) -> bool:
    return hasattr(type(value), "__tracefn_tensor__") and not is_choice(value)


def is_choice(value: Any) -> bool:
    """True for a `OneOf`: a traced number says which."""
    return hasattr(type(value), "__tracefn_choice__")
