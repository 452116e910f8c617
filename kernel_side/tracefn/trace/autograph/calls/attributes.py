"""`getattr`, `hasattr`, `setattr`, `delattr` and `vars` in rewritten code: their reads and changes are known to the
trace."""

from __future__ import annotations

from typing import Any, NoReturn

from ....errors import UnsupportedFunctionError, message
from ... import provided
from ...active import current
from ...code.plain import stored
from ...control.undefined import Maybe
from ...foreign import OWN_NAMES, Foreign
from ...origin import user_source, where
from ...tensor import Tensor
from ...values.graph_container import is_container
from ..containers.changes import decided
from ..hooks.attributes import holder_of, refuse_dict
from ..hooks.places import delete_attribute, store_attribute
from ..special import is_of_user


def get_attribute(owner: Any, name: str, *default: Any) -> Any:
    """`getattr(owner, name, default)`."""
    owner = holder_of(owner)
    if not default:
        return provided.attribute(owner, name)
    if not _is_computed(owner, name):
        return provided.attribute(owner, name) if has_attribute(owner, name) else default[0]
    try:
        return provided.attribute(owner, name)
    except AttributeError:
        return default[0]


def has_attribute(owner: Any, name: str, /) -> bool:
    """`hasattr(owner, name)`. Another answer needs another trace."""
    trace, owner = current(), holder_of(owner)
    if trace is None:
        return hasattr(owner, name)
    if is_container(owner):
        return hasattr(owner.empty, name)
    if _is_computed(owner, name):
        try:
            provided.attribute(owner, name)
        except AttributeError:
            return False
        return True
    found = hasattr(owner.known if type(owner) is Foreign and name in OWN_NAMES else owner, name)
    if type(owner) is Tensor and (cls := owner.__class__) is not Tensor:  # a number has no length, a Tensor has
        return any(name in vars(base) for base in cls.__mro__)
    held = stored(owner, "__dict__")
    if type(held) is dict and type(held.get(name)) is Maybe:
        decided([held[name]])
    if not found:
        trace.lacks(owner, "attr", name)
    elif type(held) is dict and name in held:
        trace.observe(owner, "attr", name, held[name])
    elif type(held) is dict and is_of_user(type(owner)):  # its class has it, and may have other bases later
        trace.observe(owner, "attr", name, getattr(owner, name))
    return found


def _is_computed(owner: Any, name: str) -> bool:
    """True for an attribute that the user's code computes, which is to run once."""
    trace = current()
    return trace is not None and type(owner) is not Tensor and provided.computation(trace, owner, name) is not None


def set_attribute(owner: Any, name: str, value: Any, /) -> None:
    """`setattr(owner, name, value)`."""
    store_attribute(value, owner, name)


def del_attribute(owner: Any, name: str, /) -> None:
    """`delattr(owner, name)`."""
    delete_attribute(owner, name)


def attributes_of(*owner: Any) -> Any:
    """`vars(owner)`."""
    if current() is None or (owner and isinstance(owner[0], type)):
        return vars(*owner)
    return provided.attribute(owner[0], "__dict__") if owner else refuse_dict("`vars()`")


def refuse_names(*args: Any) -> NoReturn:
    """`globals()`, `dir(x)`: names and values that nothing watches."""
    raise UnsupportedFunctionError(
        message(
            "`globals()` or `dir()` is called, and reads and writes through it are not watched",
            where(user_source(3)),
            "Use the names themselves, or getattr and hasattr.",
        )
    )


def refuse_reading(cls: type, name: str) -> NoReturn:
    raise UnsupportedFunctionError(
        message(
            f"the class {cls.__name__} has a `__getattribute__` of its own, which reads `{name}`",
            where(user_source(3)),
            "Use a property.",
        )
    )
