"""The calls of a traced function that run the Python function itself."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

from ..config import unsupported_choice
from ..ir.bail_out import RunsEagerlyOnce
from ..runtime.unseen_frames import unseen_by_warnings
from ..trace.signature import CallSignature, Parameters
from ..trace.stand_ins import names_stand_in
from .cache import TraceCache
from .fallback.error_events import Called, tell_error
from .fallback.given_back import Replaced
from .fallback.inner import in_place, refused_outside, run_eagerly_inside
from .fallback.reasons import ANY, Fallback, Fallbacks, unexpected
from .fallback.storms import SPENT, Storm
from .guards import Now
from .held import Held
from .input_signature import Declared
from .wrapped import Wrapped

MAX_SURROUNDINGS = 16
"""The most traces for one key with different state outside; after that, such calls run eagerly."""

STORM_FIX = "Pass arrays instead of values that differ at each call; `explain()` says which they are."


@unseen_by_warnings
class RunsEagerly(Held):
    """The part of `Function` that falls back."""

    __slots__ = ()

    on_unsupported: str | None
    max_traces: int | None
    _wrapped: Wrapped
    _parameters: Parameters
    _declared: Declared | None
    _cache: TraceCache
    _fallbacks: Fallbacks
    _storm: Storm
    _lock: Any
    _class_has: Any
    _instances: dict[int, Any]
    _bind: Callable[..., dict[str, Any]]
    _evict: Callable[..., None]
    _settles: Callable[[], None]

    def _give_up(self, call: CallSignature, now: Now, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Makes calls run eagerly whose state outside differs at each call."""
        broken = [b for c in self._cache.of_key(call.key()) for b in c._execution.broken_outside(now)]
        cause = broken[-1].cause.text if broken else "a value outside that it reads"
        reason = f"{MAX_SURROUNDINGS} traces were made as something outside is another at each call: {cause}"
        fallback = Fallback(call.text, "Retraces", reason, "Pass it as an argument, or keep it in an array.", None)
        self._fallbacks.add(self, fallback)
        self._cache.runs_eagerly(call, fallback, args, kwargs)

    def _run_waiting(self, call: CallSignature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs the Python function for a call that waits for another one like it."""
        storm = self._storm
        if storm.fallback is None:
            kind = "calls that are the first of their kind"
            storm.fallback = Fallback(kind, "Retraces", storm.reason, STORM_FIX, None)
            self._fallbacks.add(self, storm.fallback, warns=not storm.waits_for_others)
        start, besides_ns, ran_ns = time.thread_time_ns(), SPENT.besides_ns, storm.ran_ns
        with storm.fallback.timed():
            result = self._call_eagerly(args, kwargs)
        took_ns = time.thread_time_ns() - start - (SPENT.besides_ns - besides_ns)
        storm.ran(call, took_ns, took_ns - (storm.ran_ns - ran_ns))
        self._give_up_waiting()
        return result

    def _run_unseen(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs the Python function for a call that waits, as those before it, and is not looked at."""
        storm, fallback = self._storm, self._storm.fallback
        assert fallback is not None
        begin, start, before_ns = time.perf_counter_ns(), time.thread_time_ns(), SPENT.besides_ns + storm.ran_ns
        result = self._call_eagerly(args, kwargs)
        storm.ran_unseen(time.thread_time_ns() - start - (SPENT.besides_ns + storm.ran_ns - before_ns))
        fallback.counter.counted += 1
        fallback.counter.time(time.perf_counter_ns() - begin)
        self._give_up_waiting()
        return result

    def _give_up_waiting(self) -> None:
        """Makes all calls run eagerly where it does not pay that they wait for a trace."""
        storm = self._storm
        if storm.is_hopeless and self._fallbacks.always is None:
            reason = f"{storm.waited} calls waited for one like them, and no trace was worth it"
            self._fallbacks.add(self, Fallback(ANY, "Retraces", reason, STORM_FIX, None))
            self._drop_unused()

    def _drop_unused(self) -> None:
        """Lets the traces go that served few calls, those of all instances together."""
        few, owner = self._storm.most_served_in_vain, self if self._class_has is None else self._class_has
        for function in {owner, self, *list(owner._instances.values())}:
            with function._lock:
                for concrete in [c for c in function._cache.traces if c.calls.count <= few]:
                    function._evict(concrete, "removed", "it served few calls, and calls like them did not come")

    def _call_eagerly_for_others(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs the Python function for a call by code that runs eagerly itself. It counts where the trace of the
        function that calls this one was refused in it."""
        outer = refused_outside(self)
        result = self._call_eagerly(args, kwargs)
        if outer is not None:
            self._fallbacks.of_outer(self, outer).counter.counted += 1
        return result

    @property
    def _may_fall_back(self) -> bool:
        return (self.on_unsupported or unsupported_choice()) == "eager"

    @property
    def _may_give_up(self) -> bool:
        """False where calls need their traces, however many these are."""
        return self._may_fall_back and not self._storm.needs_traces

    @property
    def _may_wait(self) -> bool:
        """True for a function that storms make wait: `max_traces=None` asks for a trace for each call."""
        return self._may_give_up and self._declared is None and self.max_traces is not None

    @property
    def _is_unseen(self) -> bool:
        """True where no trace can fit, and calls wait for one."""
        is_known = self._fallbacks.always is None and self._storm.fallback is not None
        return is_known and not self._cache.traces and self._may_wait

    @property
    def _is_full(self) -> bool:
        """True where another trace means that one goes."""
        return self.max_traces is not None and len(self._cache.traces) >= self.max_traces

    def _run_eagerly(
        self, fallback: Fallback, call: CallSignature | None, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Runs the Python function for a call that is known to have no graph. `call` is None for arguments that fit no
        signature."""
        if fallback.signature_text == ANY:
            self._settles()
        if self._declared is None or fallback.signature_text != ANY:
            self._cache.runs_eagerly(call, fallback, args, kwargs)
        with fallback.timed():
            return self._call_eagerly(args, kwargs)

    def _fall_back(
        self,
        fallback: Fallback,
        refused: Exception,
        call: CallSignature,
        values: list[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Runs the Python function after a failed trace. Its errors are the user's own."""
        start, parameters = time.perf_counter_ns(), self._parameters.parameters
        with _noted(refused), run_eagerly_inside(refused, fallback), Replaced(args, kwargs) as given:
            result = given.result(self._call_eagerly(given.args, given.kwargs))
        fallback.eager_ns = time.perf_counter_ns() - start
        fallback.counter.counted = 1
        fallback.counter.time(fallback.eager_ns)
        if fallback.rests_on is not None:
            fallback.rests_on.settle(values)
        self._fallbacks.add(self, fallback)
        if self._parameters.parameters is parameters:  # a function that compiles itself replaces its own code
            self._cache.runs_eagerly(call, fallback, args, kwargs)
        return result

    def _run_in_place(
        self, error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any], called: Called | None = None
    ) -> Any:
        """Runs the Python function where its trace, or the program of the one `called`, has met an error of the user's
        code.

        The function raises that itself, and leaves its changes before. `args` are all of them.
        """
        with _noted(error, called), in_place(), Replaced(args, kwargs) as given:
            result = given.result(self._wrapped.function(*given.args, **given.kwargs))
        if not self._may_fall_back:
            raise unexpected(error) from error
        if names_stand_in(error) or isinstance(error, RunsEagerlyOnce):  # else it may be one that the code handles
            self._fallbacks.for_arguments(self, error).counter.counted += 1
        return result

    def _call_eagerly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._declared is not None:
            self._declared.check(CallSignature.of(self._bind(args, kwargs))[0])
        return self._wrapped.function(*self._wrapped.args, *args, **{**self._wrapped.kwargs, **kwargs})


@contextlib.contextmanager
def _noted(known: Exception, called: Called | None = None) -> Iterator[None]:
    """Adds the notes of an error to the same one that is raised inside, and tells of it where a call has raised."""
    try:
        yield
    except Exception as error:
        noted = getattr(error, "__notes__", ())  # a derivative that runs eagerly has noted its own
        for note in getattr(known, "__notes__", ()) if str(error) == str(known) else ():
            if note not in noted:
                error.add_note(note)
        if called is not None:
            tell_error(called, error, known)
        raise
