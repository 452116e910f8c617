"""The traces of one function, and how a call finds its own."""

from __future__ import annotations

import functools
import math
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ..runtime.calls.eager_entry import (
    Checked,
    Eagerly,
    Make,
    always_eager_entry,
    eager_call,
    eager_entry,
    of_any,
    of_signature,
    of_types,
)
from ..runtime.calls.source import MISS
from ..runtime.calls.target import Form
from ..runtime.device import is_gpu_array
from ..runtime.unseen_frames import unseen_by_warnings
from ..trace.signature import CallSignature, Parameters, SignatureTable
from .concrete import ConcreteFunction
from .fallback.eager_heat import EagerCalls, EagerHeat
from .fallback.reasons import ANY, Fallback
from .guards import Now
from .wrapped import Wrapped

MAX_ENTRIES = 8
"""Generated entries that are tried in turn for one form of call; other signatures are found by their key."""

CALLS_BEFORE_ENTRY = 4
"""Calls of a trace before its entry replaces another one. Most traces of a function with more than `MAX_ENTRIES` serve
fewer calls."""

TRACES_PER_NOTE = 64
"""Traces for each one that is made before the uses of all are noted again: of a few, each time."""

MAX_KEYS = 4096
"""Keys of calls that are remembered beside those of the traces themselves."""


class TraceCache:
    """The traces of a function, by the keys of calls.

    `entries` has, by the form of a call (number of positional arguments, then keywords), the generated functions that
    are tried in turn; it is one dict for good. `traces` is a new list whenever one joins.
    """

    def __init__(self, parameters: Parameters, wrapped: Wrapped) -> None:
        self.traces: list[ConcreteFunction] = []
        self.storing: list[ConcreteFunction] = []  # those whose calls change something outside
        self.entries: dict[Any, tuple[Callable[..., Any], ...]] = {}
        self._open: dict[int, ConcreteFunction] = {}  # those that fit calls of several shapes, by their numbers
        self._open_table = SignatureTable()
        self._table_lock = threading.Lock()
        self._by_key: dict[Any, tuple[ConcreteFunction, ...]] = {}
        self._seen: dict[ConcreteFunction, int] = {}
        self._published: dict[ConcreteFunction, int] = {}
        self._order: list[ConcreteFunction] = []
        self._used: dict[ConcreteFunction, int] = {}
        self._unnoted = 0  # traces that were made since uses were noted
        self._moment = 0
        self._parameters = parameters
        self._wrapped = wrapped
        self.functions: weakref.WeakSet[Any] = weakref.WeakSet()
        self.eager: dict[Any, Fallback] = {}  # the calls that run eagerly, by key
        self._eager_forms: set[tuple[Fallback, Form]] = set()
        self._makes: dict[tuple[Fallback, Form], Make] = {}

    def goes_on_with(self, wrapped: Wrapped) -> Parameters:
        """Lets a function of the same source take the place of the one before. It may get other defaults later."""
        self._wrapped, self._parameters.function = wrapped, wrapped.function
        for fallback in {fallback for fallback, _ in self._eager_forms}:
            self._forget_eager(fallback)
        self._take_eagerly()
        return self._parameters

    def add(self, concrete: ConcreteFunction, call: CallSignature) -> None:
        """Takes up a trace that was made for a call. Other threads look for traces meanwhile: one that sees the new
        list finds the trace by its key."""
        if not self.traces:
            self.publish()  # calls that run eagerly came first so far
        if not concrete.signature.is_exact:
            self._open = {**self._open, concrete.number: concrete}
            with self._table_lock:
                self._open_table.add(concrete.number, concrete.signature)
        self._remember(concrete.signature.key(), concrete)
        if concrete.signature is not call:
            self._remember(call.key(), concrete)
        self.traces = [*self.traces, concrete]
        if concrete._built.store is not None:
            self.storing = [*self.storing, concrete]
        self._unnoted += 1
        if self._unnoted > len(self.traces) // TRACES_PER_NOTE:
            self._note_use()
        self._used.setdefault(concrete, self._moment)

    @property
    def newest(self) -> ConcreteFunction | None:
        """The trace that was made last, of those that are there."""
        return self.traces[-1] if self.traces else None

    def least_recent(self) -> ConcreteFunction:
        """The trace that was not called for the longest, as far as the making of traces shows: never the newest."""
        return min(self.traces[:-1] or self.traces, key=lambda c: self._used[c])

    def _note_use(self) -> None:
        """Sees which traces were called since the last one was made. A call itself has no time for that."""
        self._unnoted, before = 0, self._seen
        self._seen = {c: c.calls.count for c in self.traces}
        moment = self._moment = self._moment + 1
        self._used = {c: moment if n != before.get(c) else self._used[c] for c, n in self._seen.items()}

    def remove(self, concrete: ConcreteFunction) -> None:
        """Lets a trace go."""
        self.traces = [c for c in self.traces if c is not concrete]
        self.storing = [c for c in self.storing if c is not concrete]
        if concrete.number in self._open:
            self._open = {n: c for n, c in self._open.items() if c is not concrete}
            with self._table_lock:
                self._open_table.remove(concrete.number, concrete.signature)
        with self._table_lock:
            for key in [key for key, found in self._by_key.items() if concrete in found]:
                self._by_key[key] = tuple(c for c in self._by_key[key] if c is not concrete)
                if not self._by_key[key]:
                    del self._by_key[key]
        for form, entries in list(self.entries.items()):
            self.entries[form] = tuple(e for e in entries if getattr(e, "concrete", None) is not concrete)
        self._seen.pop(concrete, None)
        self._used.pop(concrete, None)
        if concrete._execution.has_direct:
            self.publish()

    def publish(self) -> None:
        """Hands the traces that take calls as machine code, in order, to the functions that use this cache."""
        self._order = self._by_use()
        self._published = {c: c.calls.count for c in self._order}
        for function in list(self.functions):
            function._take_directly(self._order)

    def reorder(self) -> None:
        """Lets the traces that were called most of late be tried first."""
        if self._by_use() != self._order:
            self.publish()

    def _by_use(self) -> list[ConcreteFunction]:
        """The traces that machine code can take calls of: new ones first, then by their calls since the last time."""
        direct = [c for c in self.traces if c._execution.has_direct]
        calls = {c: c.calls.count - self._published[c] if c in self._published else math.inf for c in direct}
        return sorted(direct, key=lambda c: (calls[c], c.number), reverse=True)

    def clear(self) -> None:
        """Lets all traces go."""
        self.storing = []
        self.traces, self._open, self._by_key, self._seen, self._used = [], {}, {}, {}, {}
        self._open_table = SignatureTable()
        self.entries.clear()
        self.eager.clear()
        self._eager_forms.clear()
        self._makes = {}
        self.publish()

    def runs_eagerly(
        self, call: CallSignature | None, fallback: Fallback, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Makes calls like this one, or all calls without a trace, run the Python function from now on. `call` is None
        for arguments that fit no signature."""
        if call is not None and fallback.signature_text != ANY:
            if len(self.eager) > MAX_KEYS:
                self.eager.clear()
            self.eager[call.key()] = fallback
        wrapped, form = self._wrapped, Form(len(args), (*kwargs,))
        if wrapped.has_own or (fallback, form) in self._eager_forms:
            return
        self._eager_forms.add((fallback, form))
        run, parameters = Eagerly(wrapped.function, fallback.counter, fallback.looks), self._parameters.parameters
        is_any = fallback.signature_text == ANY
        checked: Checked = of_any
        if call is None:
            checked = functools.partial(of_types, args, {**self._parameters.bind(args, kwargs), **kwargs})
        elif not is_any:
            checked = functools.partial(of_signature, call, parameters)
        entry: Any = always_eager_entry(run) if is_any else eager_entry(checked, form, run)
        if entry is not None:
            entry.fallback = fallback
            self._add_eager(entry, (len(args), *kwargs) if kwargs else len(args))
        make: Make = functools.partial(eager_call, checked, run, parameters, form)
        self._makes = {(fallback, form): make, **({} if is_any else self._makes)}
        self._take_eagerly()
        heat, of = fallback.counter.heat, None if is_any else call
        if (is_any or call is not None) and (heat is None or heat.is_gone):
            fallback.counter.heat = EagerHeat(self, EagerCalls(fallback, form, of, run, parameters, make))

    def _take_eagerly(self) -> None:
        """Lets the functions begin with the eager calls, the newest first, where there are no traces."""
        if not self.traces:
            for function in list(self.functions):
                function._take_eagerly([*self._makes.values()][:MAX_ENTRIES])

    def take_directly(self, fallback: Fallback, form: Form, make: Make) -> None:
        """Lets machine code take eager calls, if they still run eagerly."""
        if (fallback, form) in self._makes:
            self._makes = {key: make if key == (fallback, form) else known for key, known in self._makes.items()}
            self._take_eagerly()

    def _add_eager(self, entry: Any, key: Any) -> None:
        """Puts an entry behind those of graphs. It replaces the other eager entries if it takes all calls."""
        known = self.entries.get(key, ())
        graphs = [e for e in known if not hasattr(e, "fallback")]
        eager = [e for e in known if hasattr(e, "fallback") and entry.fallback.signature_text != ANY]
        self.entries[key] = (*graphs[: MAX_ENTRIES - 1], *[entry, *eager][: max(1, MAX_ENTRIES - len(graphs))])

    def tries_again(self, call: CallSignature, fallback: Fallback) -> None:
        """Lets the next call of a signature be traced again."""
        self.eager.pop(call.key(), None)
        self._forget_eager(fallback)
        self.publish()
        self._take_eagerly()

    def _forget_eager(self, fallback: Fallback) -> None:
        """Lets the entries of eager calls go."""
        self._eager_forms = {(f, form) for f, form in self._eager_forms if f is not fallback}
        for form, entries in list(self.entries.items()):
            self.entries[form] = tuple(e for e in entries if getattr(e, "fallback", None) is not fallback)
        self._makes = {key: make for key, make in self._makes.items() if key[0] is not fallback}

    def of_key(self, key: Any) -> tuple[ConcreteFunction, ...]:
        """The traces that calls with this key have used, the last first."""
        return self._by_key.get(key, ())

    def run(self, call: CallSignature, now: Now, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call by a trace that exists, or MISS."""
        key = call.key()
        for concrete in self.of_key(key):
            result = self._run_entry(concrete, args, kwargs)
            if result is MISS:
                result = concrete._execution.run(now.leaves, now)
            if result is not MISS:
                self._add_entry(concrete, args, kwargs)
                return result
        for concrete in _most_specific_first(self._accepting(call)):
            result = concrete._execution.run(now.leaves, now)
            if result is not MISS:
                self._remember(key, concrete)
                for narrower in self._narrower(concrete):  # their calls must not find this entry alone
                    self._add_entry(narrower, args, kwargs)
                self._add_entry(concrete, args, kwargs)
                return result
        return MISS

    @unseen_by_warnings
    def run_by_entry(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call by the first entry that takes it, or MISS: where the fast path is closed to the call, as
        for those that are made while tracing, but outside of the trace."""
        for entry in self.entries.get((len(args), *kwargs) if kwargs else len(args), ()):
            if (result := entry(*args, **kwargs)) is not MISS:
                return result
        return MISS

    def _run_entry(self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call by the entry of a trace that is not tried in turn. Generated code checks the guards in a
        hundredth of the time."""
        if len(self.traces) <= MAX_ENTRIES or concrete.calls.count < CALLS_BEFORE_ENTRY:
            return MISS
        entry = self._make_entry(concrete, args, kwargs)
        return MISS if entry is None else entry(*args, **kwargs)

    def _accepting(self, call: CallSignature) -> list[ConcreteFunction]:
        """The traces with open lengths that this call fits, the newest first."""
        traces = self._open  # another thread may drop one meanwhile
        if not traces:
            return []
        with self._table_lock:
            numbers = self._open_table.accepting(call)
        return [traces[n] for n in numbers if n in traces]

    def _narrower(self, concrete: ConcreteFunction) -> list[ConcreteFunction]:
        """The traces with open lengths all of whose calls would fit this one, too."""
        return [c for c in self._open.values() if c is not concrete and concrete.signature.accepts(c.signature)]

    def _remember(self, key: Any, concrete: ConcreteFunction) -> None:
        with self._table_lock:
            if len(self._by_key) > MAX_KEYS + len(self.traces):
                self._forget_calls()
            known = tuple(c for c in self.of_key(key) if c is not concrete)
            self._by_key[key] = (concrete, *known)

    def _forget_calls(self) -> None:
        """Forgets the keys of calls; those of the traces, of which several may have the same, stay."""
        keys: dict[Any, tuple[ConcreteFunction, ...]] = {}
        for concrete in self.traces:
            key = concrete.signature.key()
            keys[key] = (concrete, *keys.get(key, ()))
        self._by_key = keys

    def _add_entry(self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Puts the entry of a trace first among those for this form of call, but behind narrower ones."""
        key = (len(args), *kwargs) if kwargs else len(args)
        entries = self.entries.get(key, ())
        entries = tuple(e for e in entries if getattr(e, "concrete", None) is not concrete or self._is_current(e))
        made = next((e for e in entries if getattr(e, "concrete", None) is concrete), None)
        if made is None and len(entries) == MAX_ENTRIES and concrete.calls.count < CALLS_BEFORE_ENTRY:
            return
        if made is None:
            made = self._make_entry(concrete, args, kwargs)
        if made is not None:
            narrower = self._narrower(concrete)
            first = [e for e in entries if getattr(e, "concrete", None) in narrower]
            others = [e for e in entries if e is not made and e not in first]
            self.entries[key] = (*first, made, *others)[:MAX_ENTRIES]

    def _make_entry(
        self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Callable[..., Any] | None:
        """The generated function for calls of this form. None where there can be none."""
        fixed = self._wrapped.args
        if self._wrapped.kwargs or any(is_gpu_array(a) for a in fixed):
            return None
        entry = concrete._execution.entry(Form(len(fixed) + len(args), (*kwargs,)), self._parameters)
        if entry is None:
            return None
        if self._wrapped.has_own:
            inner, wrapped = entry, self._wrapped

            def entry(*args: Any, **kwargs: Any) -> Any:
                return MISS if wrapped.kwargs else inner(*fixed, *args, **kwargs)

        entry.concrete, entry.version = concrete, concrete._execution.version  # type: ignore[attr-defined]
        entry.parameters = self._parameters.parameters  # type: ignore[attr-defined]
        return entry

    def _is_current(self, entry: Any) -> bool:
        """False for an entry whose trace goes by other functions of the same source now, or with other defaults."""
        is_of_now = entry.parameters is self._parameters.parameters
        return is_of_now and bool(entry.version == entry.concrete._execution.version)


def _most_specific_first(traces: Sequence[ConcreteFunction]) -> list[ConcreteFunction]:
    return sorted(traces, key=lambda c: sum(c.signature.accepts(other.signature) for other in traces))
