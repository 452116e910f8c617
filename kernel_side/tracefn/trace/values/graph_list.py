"""A list that a staged loop may fill: a Python list, until a branch or loop in the graph changes it."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any, NoReturn, SupportsIndex

from ...errors import ControlFlowError, message
from ..active import current
from ..context import Trace
from ..origin import user_source, where
from ..references import PARAMETER, holders
from ..state.place import Held
from ..tensor import Tensor
from ..trace_parts.list_kinds import Maker
from . import lists
from .kept_items import are_made_now, is_lent, is_made_now, keep
from .rearranged import Rearranged
from .records import Record, as_python, common_record, record_of


class GraphList(Rearranged):
    """Made by rewritten code for a list that grows in a loop. Returned from a traced function it is a plain list.

    The graph keeps numbers and arrays in one column, tuples in a column for each of their parts.
    """

    __slots__ = ("_maker", "_trace", "found_in")

    def __init__(self, values: Any = (), maker: Maker | None = None) -> None:
        super().__init__(values)
        self._trace = current()
        self._columns: tuple[Tensor, ...] = ()  # none while it is a Python list
        self._record: Record | None = None  # of items that are tuples
        self._maker = maker  # where that can make a Python list as well
        self.found_in: Any = None  # the container from outside that holds the elements

    def __tracefn_flatten__(self) -> tuple[tuple[Any, ...], Any]:
        return (self._columns, (self._record,)) if self._columns else (tuple(self), None)

    @classmethod
    def __tracefn_unflatten__(cls, kept: tuple[Record | None] | None, children: tuple[Any, ...]) -> list[Any]:
        if kept is None:
            return list(children)
        (record,) = kept
        return as_python(children, record) if current() is None else cls.of(*children, record=record)

    @classmethod
    def of(cls, *columns: Tensor, record: Record | None = None) -> GraphList:
        """The list that the graph keeps in these columns."""
        made = cls([_Gone()])
        made._columns, made._record = columns, record
        return made

    def _state(self) -> Any:
        return self._columns[0] if len(self._columns) == 1 else self._columns

    def _set_state(self, state: Any) -> None:
        self._columns = state if type(state) is tuple else (state,)

    def stage(self, trace: Trace) -> None:
        """Has the graph keep the elements from here on."""
        owner, is_alone = self._trace or trace, are_made_now(trace, super().__iter__())
        values = list(self)
        record = common_record(values) if values else owner.root.list_kinds.record_of(self._maker)
        with self._is_plain_next():
            if record is not None and record.may_change and not is_alone:
                lists.refuse_shared(values[0])
            rows = [[v] if record is None else record.columns(v) for v in values]
            columns = zip(*rows, strict=True) if rows else [()] * (1 if record is None else record.width)
            self._columns = tuple([lists.new_list(owner, column) for column in columns])
        self._record = record
        list.clear(self)
        super().append(_Gone())
        owner.staged_lists.append((self, [column._node for column in self._columns], values))
        owner.root.kept_lists |= self._may_be_plain()

    def leave(self, values: list[Any]) -> None:
        """Makes it the Python list again that it was before the graph kept it."""
        self._columns, self._record = (), None
        list.clear(self)
        super().extend(values)

    def __tracefn_put__(self, index: Any, value: Any) -> None:
        """Gives it the elements that it had, whatever trace is under way."""
        if not self._columns and not (type(value) is GraphList and value.is_staged):
            super().__setitem__(index, value)
        else:
            self[index] = value

    @property
    def is_staged(self) -> bool:
        """True if the graph keeps the elements."""
        return bool(self._columns)

    @property
    def is_made_here(self) -> bool:
        """True in the trace that has made it, where it can be a Python list."""
        return current() is self._trace

    def _enter(self) -> Trace | None:
        """The trace to change the list in, where that is the graph's; None where it is a Python list."""
        trace = current()
        self._refuse_option()
        if not self._columns:
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
        if is_lent(trace, self):
            self._refuse("changed after a library has taken it")

    def _put(self, op_name: str, value: Any, *position: Any, is_alone: bool = False) -> None:
        """Changes it by an op that takes an element, which `is_alone` if it has no name."""
        if self._is_without_type and (found := record_of(value)) is not None:
            if (trace := current()) is not None and self._maker is not None:
                trace.root.list_kinds.records[self._maker] = found  # for the next trace
            lists.refuse_unlike(value, is_final=True)
        with self._is_plain_next():
            values = [value] if self._record is None else self._record.columns(value)
            if values is None:
                lists.refuse_unlike(value)
            if self._record is not None and self._record.may_change:
                self._lend(value, is_alone)
        self._change(op_name, [(*position, v) for v in values])

    def _lend(self, item: Any, is_alone: bool) -> None:
        """Has the graph keep a list or dict. Raises `ControlFlowError` for one that is not only this item."""
        trace = current()
        assert trace is not None
        if not is_made_now(trace, item, is_alone):
            lists.refuse_shared(item)
        if not is_alone:
            keep(trace, item)

    def _change(self, op_name: str, arguments: list[tuple[Any, ...]]) -> None:
        """Changes each column by an op that takes these arguments."""
        trace = current()
        assert trace is not None
        with self._noting_casts(trace):
            pairs = zip(self._columns, arguments, strict=True)
            self._columns = tuple([lists.change(trace, column, op_name, *given) for column, given in pairs])

    @contextlib.contextmanager
    def _noting_casts(self, trace: Trace) -> Iterator[None]:
        """Around a change: notes where it makes Python numbers of the list NumPy scalars."""
        was_cast, trace.root.casts_lists = trace.root.casts_lists, False
        with self._is_plain_next():
            yield
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
            self._trace.root.list_kinds.plain |= self._may_be_plain()

    def _may_be_plain(self) -> set[Maker]:
        """The line that makes it, where it can make a Python list as well."""
        around: Any = current()
        while around is not None and around is not self._trace and not around.repeats:
            around = getattr(around, "parent", None)
        return {self._maker} if around is self._trace and self._maker is not None else set()

    def length(self) -> Any:
        """The number of elements, a traced Python int where the graph keeps them."""
        return self._ask("list_len")[0] if self._columns else len(self)

    def append(self, value: Any, held: int = PARAMETER) -> None:
        """`held` is the number of references to a value that has no name."""
        is_alone = holders(value) <= held
        if self._enter() is None:
            super().append(value)
        else:
            self._put("list_append", value, is_alone=is_alone)

    def extend(self, values: Any) -> None:
        if self._enter() is None:
            super().extend(values)
        elif isinstance(values, GraphList) and values.is_staged:
            if values._record != self._record:
                self._refuse("extended by a list of other elements")
            self._change("list_extend", [(column,) for column in values._columns])
        elif isinstance(values, Tensor) and self._record is None:
            self._change("list_extend", [(values,)])
        else:
            for value in values:
                self._put("list_append", value)

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

    def __iadd__(self, values: Any) -> GraphList:
        self.extend(values)
        return self

    def _stage_for(self, *asked: Any) -> None:
        """Has the graph keep the elements, where one of those that are asked for is traced, or an element is."""
        trace = current()
        if trace is not None and not self._columns and len(self):
            if any(type(v) is Tensor for v in (*asked, *super().__iter__())):
                self.stage(trace)

    def insert(self, index: SupportsIndex, value: Any) -> None:
        is_alone = holders(value) <= PARAMETER
        if type(index) is Tensor:
            self._stage_for(index)
        if self._enter() is None:
            super().insert(index, value)
        else:
            self._put("list_insert", value, index, is_alone=is_alone)

    def pop(self, index: Any = -1) -> Any:
        if type(index) is Tensor:
            self._stage_for(index)
        trace = self._enter()
        if trace is None:
            return super().pop(index)
        popped = self._ask("list_pop", index)
        self._columns = tuple([column for column, _ in popped])
        values = [value for _, value in popped]
        return self._read(values) if trace.root.reads_items else self._item(values)

    def __getitem__(self, index: Any) -> Any:
        if not self._columns and type(index) is Tensor and len(self):
            self.stage(index._trace)
        if not self._columns:
            return super().__getitem__(index)
        if isinstance(index, slice):
            return self._made("list_slice", index.start, index.stop, index.step)
        return self._read(self._ask("list_get", index))

    def __setitem__(self, index: Any, value: Any) -> None:
        if type(index) is Tensor and not self._columns:
            self.stage(index._trace)
        if self._enter() is None:
            super().__setitem__(index, value)
            return
        if isinstance(index, slice):
            self._refuse("written to by a slice")
        self._put("list_set", value, index)

    def copy(self) -> list[Any]:
        if not self._columns:
            return GraphList(self)
        return self._made("list_copy")

    def _made(self, op_name: str, *arguments: Any) -> GraphList:
        """Another list, which the graph keeps, too."""
        if self._record is not None and self._record.may_change:
            self._refuse("copied, and both have its lists or dicts")
        return GraphList.of(*self._ask(op_name, *arguments), record=self._record)

    def __iter__(self) -> Iterator[Any]:
        if self._columns:
            self._known_length()
        return self._each()

    def _each(self) -> Iterator[Any]:
        """The elements, one by one: code that goes over them may change the list, which the graph may then keep."""
        for index in itertools.count():
            if index >= (self._known_length() if self._columns else super().__len__()):
                return
            yield self[index]

    def _known_length(self) -> int:
        length = self._columns[0]._node.type.shape[0]
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
        if self._columns or (current() is not self._trace and self._trace is not None and name in _CHANGING):
            self._refuse(f"used with `{name.strip('_')}`")
        if name in _CHANGING:
            self._refuse_option()
        return getattr(list, name)(self, *args, **kwargs)

    method.__name__ = name
    return method


_CHANGING = {"__imul__"}
for _name in (*sorted(_CHANGING), "__mul__", "__rmul__", "__contains__", "__reversed__",
              "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):  # fmt: skip
    setattr(GraphList, _name, _refusing(_name))
