"""A Python function that is traced once for each kind of call and then runs as a graph."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from ..config import functions_run_eagerly
from ..errors import UnsupportedArgumentError, UnsupportedFunctionError
from ..ir.bail_out import BailOut, RunsEagerlyOnce
from ..ir.own_modules import has_own_builtins
from ..runtime import own_frames
from ..runtime.calls.eager_entry import Make
from ..runtime.calls.source import MISS
from ..runtime.store import SharedContainerError
from ..runtime.unseen_frames import unseen_by_warnings
from ..trace.active import ACTIVE, TRACING, current, only_traces
from ..trace.signature import CallSignature, Parameters
from ..trace.trace_parts.budget import LONGER
from ..trace.trace_parts.variable_states import Creation
from .cache import TraceCache
from .concrete import ConcreteFunction
from .execution import ProgramFailed
from .fallback.early import note_code
from .fallback.given_back import Replaced
from .fallback.inner import runs_eagerly_for_others
from .fallback.reasons import ANY, Fallback, Fallbacks, fallback_for, falls_back, raise_refusal
from .fallback.rests import RestsOn
from .fallback.storms import SPENT, Storm
from .fallback.warned import not_warned_again
from .first_runs import FirstRuns
from .guards import Now
from .history.call_log import CallLog
from .history.traces import History
from .input_signature import Declared
from .inside import Inside
from .kept.surroundings import prepare
from .looking import Looking
from .methods import Methods
from .options import DEFAULTS, Options
from .redefinition import earlier_definition
from .registry import Registry
from .run_eagerly import MAX_SURROUNDINGS
from .tracing.arrays import has_arrays
from .tracing.building import Attempt
from .tracing.changing import Changing
from .tracing.new_trace import Tracing
from .tracing.own_numbers import OwnNumbers
from .wrapped import Wrapped, attribute_of, part_of_function, unwrap

MAX_BAILS = 3
"""How often programs of a function bail out and are traced anew; after that, it runs eagerly."""

_BAILED = "Types of values that only a call knows differ from call to call. Convert them: x.astype(...), float(...)."

MAX_DIRECT = 8
"""How many signatures machine code tries in turn."""

_numbers = itertools.count(1)
_CLASSES = threading.RLock()
"""Held where a function gets another class: another thread may have built its machine code. The garbage collector may
come to call a traced function meanwhile."""


P = ParamSpec("P")
Rest = ParamSpec("Rest")
R = TypeVar("R", covariant=True)


@unseen_by_warnings
class Function(Looking, Tracing, FirstRuns, Inside, Methods, Generic[P, R]):
    """A traced function. Made by `tracefn.function`.

    Calling it runs the trace that fits the call and makes one where none does. A trace fits when every array has the
    dtype and shape, and every Python value the type and value, that it was made for, and everything that it read
    outside (globals, closure cells, attributes) is as it was. Arrays outside are read anew at every call.

    To type checkers it is a `Function[P, R]`: calls take the parameters `P` of the Python function and give its result
    `R`. A method of an instance has the parameters behind the first.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x * 2)
    >>> f(np.ones(2)), f(np.zeros(2)), len(f.concrete_functions)
    (array([2., 2.]), array([0., 0.]), 1)
    """

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type | None = None) -> Function[P, R]: ...
        @overload
        def __get__(
            self: Function[Concatenate[Any, Rest], R], instance: object, owner: type | None = None
        ) -> Function[Rest, R]: ...
        def __get__(self, instance: Any, owner: type | None = None) -> Any: ...

    def __init__(self, python_function: Callable[P, R], options: Options = DEFAULTS) -> None:
        self._wrapped: Wrapped = unwrap(python_function)
        self.python_function = python_function
        self.name = options.name or self._wrapped.name
        self.function_id = f"{self.name}#{next(_numbers)}"
        self.reduce_retracing = options.reduce_retracing
        self.autograph = options.autograph
        self.device = options.device
        self.max_traces = options.max_traces
        self.jit = options.jit
        self.precise = options.precise
        self.on_unsupported = options.on_unsupported
        self.input_signature = options.input_signature
        self._parameters = Parameters(self._wrapped.function, self.name)
        declared = options.input_signature
        self._declared = None if declared is None else Declared(self.name, self._parameters, declared)
        self._lock = threading.RLock()
        self._cache = TraceCache(self._parameters, self._wrapped)
        self._history = History()
        self._log = CallLog()
        self._fallbacks, self._storm = Fallbacks(), Storm(note_code(self._wrapped.runs))
        self._bails = 0
        self._changing, self._own_numbers = Changing(), OwnNumbers()
        self._special: dict[str, Any] = {}
        self._has_no_instance()
        self._creation = Creation()
        self.options = dataclasses.replace(options, name=self.name)
        named = python_function if isinstance(python_function, Function) else self._wrapped.function
        functools.update_wrapper(self, named, updated=())
        if (earlier := earlier_definition(self)) is not None:
            self._go_on_with(earlier)
        self._entries = self._cache.entries
        self._cache.functions.add(self)
        FUNCTIONS.remember(self)
        prepare()

    def _go_on_with(self, earlier: Function) -> None:
        """Shares all that the function knew before it was defined again."""
        self._changing, self._own_numbers = earlier._changing, earlier._own_numbers
        self.function_id, self._lock, self._creation = earlier.function_id, earlier._lock, earlier._creation
        self._cache, self._history, self._log = earlier._cache, earlier._history, earlier._log
        self._fallbacks, self._storm = earlier._fallbacks, earlier._storm
        self._parameters = self._cache.goes_on_with(self._wrapped)

    __code__ = part_of_function("__code__")
    __defaults__ = part_of_function("__defaults__")
    __kwdefaults__ = part_of_function("__kwdefaults__")

    @property
    def tracing_count(self) -> int:
        """How often the function was traced so far; of a method that is read from its class, for all instances."""
        return self._made_by_gone[0] + sum(function._history.made for function in self._with_instances)

    # --- calling

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            if not TRACING:
                for entry in self._entries.get((len(args), *kwargs) if kwargs else len(args), ()):
                    result = entry(*args, **kwargs)
                    if result is not MISS:
                        return result
            return self._call_slowly(args, kwargs)
        except BaseException as error:
            own_frames.cut(error)
            raise

    def _call_slowly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        trace = current()
        if trace is not None:
            return self._call_inside(trace, args, kwargs)
        if ACTIVE.eager:
            return ACTIVE.eager[-1].called(self, args, kwargs)
        if functions_run_eagerly() or not has_own_builtins():
            return self._call_eagerly(args, kwargs)
        if TRACING and only_traces() and (result := self._cache.run_by_entry(args, kwargs)) is not MISS:
            return result
        if not self._cache.traces and runs_eagerly_for_others(self) and self._may_fall_back:
            return self._call_eagerly_for_others(args, kwargs)
        if self._storm.pause.is_on and self._is_unseen and self._storm.takes_unseen():
            return self._run_unseen(args, kwargs)
        start = time.perf_counter_ns()
        arguments = self._bind(args, kwargs)
        try:
            self._wrapped.refuse_reading(arguments.values())
            given, values = CallSignature.of(arguments)
        except (UnsupportedArgumentError, UnsupportedFunctionError) as error:
            if not self._may_fall_back or self._declared is not None:
                raise
            self._fits_no_signature()
            fallback = self._fallbacks.for_arguments(self, error)
            return self._run_eagerly(fallback, None, args, kwargs)
        if self._declared is not None:
            given = self._declared.check(given)
        try:
            return self._run_or_trace(given, values, arguments, args, kwargs, start)
        except SharedContainerError as error:
            if not self._may_fall_back:
                raise
            with self._fallbacks.for_arguments(self, error).timed():
                return self._call_eagerly(args, kwargs)
        except ProgramFailed as failed:
            reference, problem = failed.reference, failed.error
        return self._again(reference, problem, (*self._wrapped.args, *args), {**self._wrapped.kwargs, **kwargs})

    def _run_or_trace(
        self,
        given: CallSignature,
        values: list[Any],
        arguments: dict[str, Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        start: int,
    ) -> Any:
        """The result of a call by a trace that exists, by a new one, or by the Python function."""
        fixed: frozenset[str] = frozenset()
        attempt = Attempt()
        while True:
            call = self._own_numbers.of(given)
            known, now = self._cache.traces, Now(call, values, arguments)
            if (result := self._cache.run(call, now, args, kwargs)) is not MISS:
                return result
            if (fallback := self._fallbacks.always or self._cache.eager.get(call.key())) is not None:
                if fallback.looks(values):
                    return self._run_eagerly(fallback, call, args, kwargs)
                self._cache.tries_again(call, fallback)
                attempt = Attempt(fallback.longer, LONGER * fallback.trace_ns if fallback.longer else 0)
            if runs_eagerly_for_others(self) and self._may_fall_back:
                return self._call_eagerly_for_others(args, kwargs)
            with self._lock:  # nothing is run in here: a program may wait for variables
                if self._cache.traces is not known:
                    continue  # another thread made a trace meanwhile
                if self._declared is None and self._own_numbers.learn(call, self._cache.storing, known):
                    continue
                if self._may_give_up and len(self._cache.of_key(call.key())) >= MAX_SURROUNDINGS:
                    self._give_up(call, now, args, kwargs)
                    continue
                waits = self._may_wait and self._storm.waits(call, self._is_full)
                refused, concrete = None, None
                begin = time.perf_counter_ns()
                try:
                    if not waits:
                        with attempt.took:
                            concrete = self._trace(call, arguments, now, begin - start, attempt)
                except Exception as error:
                    if not (fixed or attempt.budget.is_over) and (fixed := self._own_numbers.fix(call)):
                        continue
                    self._own_numbers.is_not_to_blame(fixed)
                    if not falls_back(error):
                        raise
                    if not self._may_fall_back:
                        raise_refusal(error)
                    refused = error
                else:
                    if concrete is not None and concrete._created:
                        return self._run_creating(concrete, values, arguments)
            if waits:
                return self._run_waiting(call, args, kwargs)
            trace_ns = time.perf_counter_ns() - begin
            served = None if concrete is None else concrete.calls
            self._storm.traced(served, attempt.took.ns, has_arrays(call, concrete))
            SPENT.compiled_ns += attempt.native.ns
            if concrete is None:
                assert refused is not None
                if not self._may_fall_back:
                    return self._run_in_place(refused, (*self._wrapped.args, *args), {**self._wrapped.kwargs, **kwargs})
                number, source = f"{self.function_id}/{self._history.made + 1}", attempt.budget.loop
                fallback = fallback_for(refused, call.text, trace_ns, number, source)
                fallback.rests_on = RestsOn(call, attempt.seen[0] if attempt.seen else None)
                fallback.longer = attempt.next_most
                try:
                    return self._fall_back(fallback, refused, call, values, args, kwargs)
                finally:  # it holds this frame, and so the frames around, and all that is in these
                    refused = None
            return self._first_run(concrete, values, arguments)

    def _again(self, reference: Any, error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes a call anew whose program has raised: with another trace where it bailed out, else eagerly."""
        concrete = reference()
        retry = None if concrete is None else concrete._built.retry
        if retry is None or not retry.takes(error):
            if retry is not None:
                retry.leave()
            raise error
        retry.restore()
        if not isinstance(error, BailOut) or isinstance(error, RunsEagerlyOnce):
            with not_warned_again(error):
                return self._run_in_place(error, args, kwargs, concrete)
        with self._lock:
            self._bails += not error.is_learned
            if concrete in self._cache.traces:
                self._evict(concrete, "removed", f"bailed out: {error.reason}")
            if self._bails > MAX_BAILS and self._may_fall_back:
                self._fallbacks.add(self, Fallback(ANY, "BailOut", error.reason, _BAILED, None))
        if (fallback := self._fallbacks.always) is not None:
            with fallback.timed(), Replaced(args, kwargs) as whole:
                return whole.result(self._wrapped.function(*whole.args, **whole.kwargs))
        given = len(self._wrapped.args)
        return self._call_slowly(args[given:], kwargs)

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        wrapped = self._wrapped
        if wrapped.has_own:
            args, kwargs = wrapped.args + args, {**wrapped.kwargs, **kwargs}
        return self._parameters.bind(args, kwargs)

    # --- machine code that takes calls

    def _take_eagerly(self, makes: Sequence[Make]) -> None:
        """Makes `__call__` of a function without traces run eager calls, in this order. Others go the usual way."""
        otherwise: Callable[..., Any] = functools.partial(_call_in_python, weakref.ref(self))
        taking = otherwise
        for make in reversed(makes):
            taking = make(taking) or taking
        self._has(__call__=None if taking is otherwise else staticmethod(taking))
        if isinstance(taking, BuiltinFunctionType):
            self._is_read_directly()

    def _has(self, **special: Any) -> None:
        """Gives the function a class of its own with these special methods; None takes one away."""
        with _CLASSES:
            self._special = {n: method for n, method in {**self._special, **special}.items() if method is not None}
            own = {**self._special, "__module__": Function.__module__}
            self.__class__ = type("Function", (Function,), own) if self._special else Function

    def _take_directly(self, traces: Sequence[ConcreteFunction]) -> None:
        """Lets machine code take the calls that fit one of these traces, in this order. Others go the usual way."""
        if not traces or self._wrapped.has_own:
            self._has(__call__=None)
            return
        taking: Callable[..., Any] = functools.partial(_call_in_python, weakref.ref(self))
        for concrete in reversed(traces[:MAX_DIRECT]):
            taking = concrete._execution.direct(taking)
        self._has(__call__=taking)
        self._is_read_directly()

    # --- as an object

    def __repr__(self) -> str:
        return f"<tracefn.Function {self.name}: {len(self._cache.traces)} traces>"

    if not TYPE_CHECKING:  # which are to find misspelled names

        def __getattr__(self, name: str) -> Any:
            """Attributes of the Python function: `f.cache`, `f.__code__`."""
            return attribute_of(self, name)

    def __deepcopy__(self, memo: Any) -> Function:
        """Itself, as Python's own functions are."""
        return self

    def __reduce__(self) -> str:
        """By name, as Python's own functions are pickled."""
        return str(self._wrapped.function.__qualname__)

    def _alike(self) -> Function:
        """Another function of the same code with the same options, which knows nothing yet."""
        return Function(self._wrapped.function, self.options)


@unseen_by_warnings
def _call_in_python(reference: Callable[[], Function | None], /, *args: Any, **kwargs: Any) -> Any:
    function = reference()
    assert function is not None
    try:
        return Function.__call__(function, *args, **kwargs)
    except BaseException as error:
        own_frames.cut(error)
        raise


FUNCTIONS: Registry[Function[Any, Any]] = Registry()
"""The traced functions that exist."""
