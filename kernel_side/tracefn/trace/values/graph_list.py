"""A list that a staged loop may fill: a Python list, until a branch or loop in the graph changes it."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any, NoReturn, SupportsIndex

import numpy as np

from ...errors import ControlFlowError, message
from ...ir.place import Source
from ...ir.types import NOTHING, Kind
from ..active import current
from ..context import Trace
from ..origin import user_source, where
from ..state.place import Held
from ..tensor import Tensor
from . import lists


class GraphList(list[Any]):
    """Made by rewritten code for a list that grows in a loop. Returned from a traced function it is a plain list."""

    __slots__ = ("_source", "_tensor", "_trace")

    def __init__(self, values: Any = (), source: Source | None = None) -> None:
        super().__init__(values)
        self._trace = current()
        self._tensor: Tensor | None = None
        self._source = source  # the line that makes it, where that can make a Python list as well

    def __tracefn_flatten__(self) -> tuple[tuple[Any, ...], str]:
        return (tuple(self), "values") if self._tensor is None else ((self._tensor,), "list")

    @classmethod
    def __tracefn_unflatten__(cls, kind: str, children: tuple[Any, ...]) -> list[Any]:
        if kind == "values" or current() is None:
            return list(children) if kind == "values" else children[0]
        made = cls([_Gone()])
        (made._tensor,) = children
        return made

    @classmethod
    def of(cls, tensor: Tensor) -> GraphList:
        """A list that the graph keeps in this value."""
        made = cls()
        made._tensor = tensor
        return made

    def _state(self) -> Any:
        return self._tensor

    def _set_state(self, state: Tensor) -> None:
        self._tensor = state

    def stage(self, trace: Trace) -> None:
        """Has the graph keep the elements from here on."""
        owner, values = self._trace or trace, list(self)
        with self._is_plain_next():
            self._tensor = lists.new_list(owner, values)
        super().clear()
        super().append(_Gone())
        owner.staged_lists.append((self, self._tensor._node, values))

    def leave(self, values: list[Any]) -> None:
        """Makes it the Python list again that it was before the graph kept it."""
        self._tensor = None
        super().clear()
        super().extend(values)

    def __tracefn_put__(self, index: Any, value: Any) -> None:
        """Gives it the elements that it had, whatever trace is under way."""
        if self._tensor is None and not (type(value) is GraphList and value.is_staged):
            super().__setitem__(index, value)
        else:
            self[index] = value

    @property
    def is_staged(self) -> bool:
        """True if the graph keeps the elements."""
        return self._tensor is not None

    @property
    def is_of_numbers(self) -> bool:
        """True if the graph keeps elements without axes."""
        return self._tensor is not None and self._tensor._node.type.ndim == 1

    @property
    def holds_python_numbers(self) -> bool:
        """True if the graph keeps elements that are Python's numbers."""
        return self._tensor is not None and self._tensor._node.type.element_kind is Kind.PYTHON

    def _enter(self) -> Trace | None:
        """The trace to change the list in, where that is the graph's; None where it is a Python list."""
        trace = current()
        self._refuse_option()
        if self._tensor is None:
            if trace is self._trace or trace is None or self._trace is None:
                return None
            self.stage(self._trace)
        if trace is None:
            self._refuse("used outside the trace that made it")
        if trace is not self._trace:  # lists made in a branch are not shared
            trace.journal.will_change(Held(self, "list"), user_source(3))
        return trace

    def _refuse_option(self) -> None:
        """Raises for a change after a choice was made of it and others, or a library has taken it."""
        if (trace := current()) is None:
            return
        if trace.is_option(self):
            self._refuse("changed after a traced value has chosen one of several")
        if id(self) in trace.root.lent:
            self._refuse("changed after a library has taken it")

    def _change(self, op_name: str, *arguments: Any) -> None:
        trace = self._enter()
        assert trace is not None and self._tensor is not None
        was_cast, trace.root.casts_lists = trace.root.casts_lists, False
        with self._is_plain_next():
            self._tensor = lists.change(trace, self._tensor, op_name, *arguments)
        if trace.root.casts_lists:
            trace.root.cast_lists |= self._may_be_plain()
        trace.root.casts_lists |= was_cast

    @contextlib.contextmanager
    def _is_plain_next(self) -> Iterator[None]:
        """Around a change that the graph may refuse: the next trace then makes a Python list. A loop of the graph can
        change no such list."""
        try:
            yield
        except ControlFlowError:
            self.stays_plain()
            raise

    def stays_plain(self) -> None:
        """Has the next trace make a Python list, where no loop of the graph changes this one."""
        if self._trace is not None:
            self._trace.root.plain_lists |= self._may_be_plain()

    def _may_be_plain(self) -> set[Source]:
        """The line that makes it, where it can make a Python list as well."""
        around: Any = current()
        while around is not None and around is not self._trace and not around.repeats:
            around = getattr(around, "parent", None)
        return {self._source} if around is self._trace and self._source is not None else set()

    def _ask(self, op_name: str, *arguments: Any) -> Any:
        trace = current()
        if trace is None or self._tensor is None:
            self._refuse("used outside the trace that made it")
        return lists.ask(trace, self._tensor, op_name, *arguments)

    def as_array(self, of_no_elements: bool = False) -> Any:
        """`np.array` of the elements. Without any, it has their dtype and shape where the caller takes such an array
        `of_no_elements`; else the call bails out where eager code gives another one."""
        trace = current()
        assert trace is not None and self._tensor is not None
        if not of_no_elements:
            lists.refuse_empty(trace, self._tensor)
        return lists.as_array(trace, self._tensor)

    def stack(self, axis: int = 0) -> Any:
        """`np.stack` of the elements."""
        return self._ask("list_stack", axis)

    def concatenate(self, axis: int = 0) -> Any:
        """`np.concatenate` of the elements."""
        return self._ask("list_concatenate", axis)

    def length(self) -> Any:
        """The number of elements, a traced Python int where the graph keeps them."""
        return len(self) if self._tensor is None else self._ask("list_len")

    def append(self, value: Any) -> None:
        if self._enter() is None:
            super().append(value)
        else:
            self._change("list_append", value)

    def extend(self, values: Any) -> None:
        if self._enter() is None:
            super().extend(values)
        elif isinstance(values, GraphList) and values.is_staged:
            self._change("list_extend", values._tensor)
        elif isinstance(values, Tensor):
            self._change("list_extend", values)
        else:
            for value in values:
                self._change("list_append", value)

    def __add__(self, values: Any) -> Any:
        return self._sum(self, values)

    def __radd__(self, values: Any) -> Any:
        return self._sum(values, self)

    @staticmethod
    def _sum(left: Any, right: Any) -> Any:
        if not isinstance(left, list) or not isinstance(right, list):
            return NotImplemented
        if not any(type(v) is GraphList and v.is_staged for v in (left, right)):
            return GraphList([*left, *right])
        made: Any = left.copy() if type(left) is GraphList else GraphList(left)
        trace = current()
        if trace is not None and not made.is_staged:
            made.stage(trace)
        made.extend(right)
        return made

    def as_index(self) -> Any:
        """`np.array` of the elements as an index: without any, of integers."""
        assert self._tensor is not None
        return np.zeros(0, np.intp) if self._tensor.dtype == NOTHING else self.as_array(of_no_elements=True)

    def __iadd__(self, values: Any) -> GraphList:
        self.extend(values)
        return self

    def insert(self, index: SupportsIndex, value: Any) -> None:
        if self._enter() is None:
            super().insert(index, value)
        else:
            self._change("list_insert", index, value)

    def pop(self, index: Any = -1) -> Any:
        trace = self._enter()
        if trace is None:
            return super().pop(index)
        assert self._tensor is not None
        self._tensor, value = lists.ask(trace, self._tensor, "list_pop", index)
        return value

    def __getitem__(self, index: Any) -> Any:
        if self._tensor is None and type(index) is Tensor and len(self):
            self.stage(index._trace)
        if self._tensor is None:
            return super().__getitem__(index)
        if isinstance(index, slice):
            return self._made("list_slice", index.start, index.stop, index.step)
        return self._ask("list_get", index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if type(index) is not Tensor and self._enter() is None:
            super().__setitem__(index, value)
            return
        if self._tensor is None:
            self[index]
        if isinstance(index, slice):
            self._refuse("written to by a slice")
        self._change("list_set", index, value)

    def copy(self) -> list[Any]:
        if self._tensor is None:
            return GraphList(self)
        return self._made("list_copy")

    def reverse(self) -> None:
        trace = self._enter()
        if trace is None:
            super().reverse()
        else:
            self._tensor = self._ask("list_reverse")

    def _made(self, op_name: str, *arguments: Any) -> GraphList:
        """Another list, which the graph keeps, too."""
        return GraphList.of(self._ask(op_name, *arguments))

    def __iter__(self) -> Iterator[Any]:
        if self._tensor is not None:
            self._known_length()
        return self._each()

    def _each(self) -> Iterator[Any]:
        """The elements, one by one: code that goes over them may change the list, which the graph may then keep."""
        for index in itertools.count():
            if index >= (super().__len__() if self._tensor is None else self._known_length()):
                return
            yield self[index]

    def _known_length(self) -> int:
        assert self._tensor is not None
        length = self._tensor._node.type.shape[0]
        if not isinstance(length, int):
            self._refuse("iterated over outside a `for` statement")
        return length

    def _refuse(self, what: str) -> NoReturn:
        self.stays_plain()
        raise ControlFlowError(
            message(
                f"a list that grows in a loop of the graph was {what}",
                where(user_source(4)),
                "Use append, `ys[i]`, len(ys), np.array(ys), np.stack(ys), or return it.",
            )
        )


class _Gone:
    """Stands in the Python list of one that the graph keeps, so that code which bypasses its methods fails."""

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ControlFlowError(message("a list that grows in a loop of the graph was read as a Python list",
                                       where(user_source(3)), "Use np.array(ys) or np.stack(ys)."))  # fmt: skip

    __len__ = __iter__ = __getattr__ = __float__ = __array__


def _refusing(name: str) -> Any:
    def method(self: GraphList, *args: Any, **kwargs: Any) -> Any:
        if self._tensor is not None or (current() is not self._trace and self._trace is not None and name in _CHANGING):
            self._refuse(f"used with `{name.strip('_')}`")
        if name in _CHANGING:
            self._refuse_option()
        return getattr(list, name)(self, *args, **kwargs)

    method.__name__ = name
    return method


_CHANGING = {"clear", "remove", "sort", "__delitem__", "__imul__"}
for _name in (*sorted(_CHANGING), "count", "index", "__mul__", "__rmul__", "__contains__", "__reversed__",
              "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):  # fmt: skip
    setattr(GraphList, _name, _refusing(_name))
