"""Puts elements that a failed trace took from iterators back, for the Python function."""

from __future__ import annotations

import functools
import gc
import operator
import types
from collections import deque
from collections.abc import Callable, Generator, Iterator
from typing import Any

from ...errors import UnsupportedFunctionError, message
from ...ir.module_name import module_of
from ...trace.state.taken import element, pending

Put = Callable[[Any], None]


class Replaced:
    """Around the call that follows: other iterators, which begin with the items that were taken, stand for the
    iterators of these, wherever they are held."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._stand_ins: list[tuple[Any, Any, list[Any]]] = []
        self._ended: list[bool] = []
        self.args, self.kwargs = args, kwargs

    def __enter__(self) -> Replaced:
        for iterator, values, place in pending():
            if isinstance(iterator, types.GeneratorType):
                stand_in: Any = _resumed(values, iterator, self._ended)
            else:
                stand_in = _Longer(values, iterator)
            places = _places_of(iterator)
            if place is not None:
                places.append(_place(*place))
            for put in places:
                put(stand_in)
            self._stand_ins.append((iterator, stand_in, values))
            if not self._is_given(iterator, stand_in) and not places:
                raise UnsupportedFunctionError(
                    message(
                        "the call was traced in vain, and the items that it took from an iterator cannot be given back",
                        fix="Pass the iterator as an argument, or its items.",
                    )
                )
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.append(True)
        for iterator, stand_in, values in self._stand_ins:
            if not values:
                for put in _places_of(stand_in):
                    put(iterator)

    def _is_given(self, iterator: Any, stand_in: Any) -> bool:
        """True for an iterator among the arguments, in whose place these have another one now."""
        given = (*self.args, *self.kwargs.values())
        self.args = tuple([stand_in if a is iterator else a for a in self.args])
        self.kwargs = {k: stand_in if a is iterator else a for k, a in self.kwargs.items()}
        return any(a is iterator for a in given)

    def result(self, value: Any) -> Any:
        """The result of the call, with the iterators themselves."""
        for iterator, stand_in, values in self._stand_ins:
            if value is stand_in and not values:
                return iterator
        if type(value) is tuple and self._stand_ins:
            return tuple(map(self.result, value))
        return value


class _Longer:
    """Some values, and then those of an iterator."""

    def __init__(self, values: list[Any], iterator: Any) -> None:
        self._values = values
        self._iterator = iterator

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return element(self._values.pop(0)) if self._values else next(self._iterator)


def _resumed(values: list[Any], generator: Any, ended: list[bool]) -> Generator[Any, Any, Any]:
    """Some values, and then those of a generator, which gets the values sent and the errors thrown then. When the call
    has `ended`, the generator is there without this one, whose end is not its own."""
    resume: Any = generator.__next__
    while True:
        try:
            value = element(values.pop(0)) if values else resume()
        except StopIteration as end:
            return end.value
        try:
            sent = yield value
        except GeneratorExit:
            if not ended or values:
                generator.close()
            raise
        except BaseException as error:
            resume = functools.partial(generator.throw, error)
        else:
            resume = generator.__next__ if sent is None else functools.partial(generator.send, sent)


def _places_of(value: Any) -> list[Put]:
    """Setters of each place that holds a value: attributes, items, variables."""
    found: list[Put] = []
    for holder in gc.get_referrers(value):
        if isinstance(holder, dict):
            found += [_place(holder, "item", k) for k, v in list(holder.items()) if v is value]
        elif isinstance(holder, list | deque):
            found += [_place(holder, "item", i) for i, v in enumerate(holder) if v is value]
        elif isinstance(holder, types.CellType):
            found.append(_place(holder, "attr", "cell_contents"))
        elif not isinstance(holder, tuple | types.FrameType) and not module_of(type(holder)).startswith("tracefn."):
            found += [_place(holder, "attr", name) for name in _names(holder) if getattr(holder, name, None) is value]
    return found


def _names(holder: Any) -> list[str]:
    """The attributes that an object holds itself."""
    slots = [s for cls in type(holder).__mro__ for s in (getattr(cls, "__slots__", None) or ())]
    return [*getattr(holder, "__dict__", ()), *slots]


def _place(owner: Any, kind: str, key: Any) -> Put:
    store: Any = setattr if kind == "attr" else operator.setitem
    return functools.partial(store, owner, key)
