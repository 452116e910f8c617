"""How a traced function makes a trace: with which numbers as inputs, rewritten or as it is, for which device."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...errors import (
    TensorBoolError,
    TensorConversionError,
    TensorIterationError,
    UnsupportedFunctionError,
    message,
)
from ...ir.place import Source
from ...trace.autograph import converted_code, is_plain, refuse_unseen
from ...trace.origin import is_own_function, where
from ...trace.signature import CallSignature, ForeignSpec, ObjectSpec, Parameters, TensorSpec
from ...trace.state.captures import Captures
from ...trace.state.numbers import Numbers
from ...trace.trace_parts.budget import LONGER, MAX_RECORDED, Budget
from ...trace.trace_parts.own_time import OwnTime
from ...trace.trace_parts.variable_states import Creation
from ...trace.variables.variable import Variable
from ..cache import TraceCache
from ..fallback.early import EARLY
from ..fallback.reasons import falls_back
from ..fallback.storms import Storm
from ..made.built import Built
from ..run_eagerly import RunsEagerly
from ..wrapped import Wrapped
from .build import Request, build
from .changing import Changing
from .phases import Clock
from .report import Report

_TRIES = 2
"""A trace that fails is made again without lengths from outside as inputs, and then without numbers."""

_DISPATCHED = (np.ndarray, np.generic, bool, int, float, complex, str, type(None), TensorSpec, Variable)
"""Types of arguments that NumPy's dispatch finds, or whose values are known."""


class Attempt:
    """An attempt to trace: its reads outside are `seen`, also where it fails. `most` is the limit of its operations
    where it may be given up, and `most_ns` that of its time; 0 is that of first attempts. It `took` time of the
    processor, and native code that was made at once took that of `native`."""

    def __init__(self, most: float = 0, most_ns: float = 0) -> None:
        self.seen: list[Captures] = []
        self.budget = Budget()
        self.took, self.native = OwnTime(), OwnTime()
        self._most = most or MAX_RECORDED
        self._most_ns = most_ns

    @property
    def next_most(self) -> float:
        """The limit of a later attempt, where this one was the first and was given up for its own; else 0."""
        return LONGER * self._most if self.budget.is_spent and self._most == MAX_RECORDED else 0

    def begun(self, may_fall_back: bool, storm: Storm) -> Budget:
        """The budget of the next trace."""
        most_ns = max(self._most_ns, EARLY.most_ns(storm.is_of_package, storm.is_likely_in_vain))
        self.budget = Budget(self._most, most_ns, self.took) if may_fall_back else Budget()
        return self.budget


class Building(RunsEagerly):
    """The part of `Function` that builds."""

    __slots__ = ()

    name: str
    function_id: str
    autograph: bool
    device: str | None
    _wrapped: Wrapped
    _parameters: Parameters
    _cache: TraceCache
    _changing: Changing
    _creation: Creation

    def _build(
        self,
        number: int,
        arguments: dict[str, Any],
        signature: CallSignature,
        report: Report,
        attempt: Attempt,
    ) -> Built:
        """Traces the function: rewritten, so that its control flow can be staged, or as it is."""
        self._wrapped.refuse()
        trace = partial(self._build_with_lists, number, arguments, signature, report, attempt)
        trace_lists = partial(self._retried, trace, attempt, self._has_learned, _TRIES + 1)
        return self._retried(trace_lists, attempt, self._keeps_more, sys.maxsize)

    def _retried(
        self, trace: Callable[[], Built], attempt: Attempt, may_retry: Callable[[int], bool], most: int
    ) -> Built:
        """The first of at most `most` traces that succeeds. `may_retry` tells whether a failed one, before which so
        many facts about lists were known, makes another one worth a try. Raises the first error where none succeeds:
        the facts are then forgotten. An error that only taught what a list holds is not told."""
        known = self._changing.list_kinds.copy()
        first: Exception | None = None
        is_told = False
        for _ in range(most):
            before, told = len(self._changing.list_kinds), self._changing.list_kinds.told
            try:
                return trace()
            except Exception as error:
                first = error if first is None or is_told else first
                is_told = self._changing.list_kinds.told > told
                if attempt.budget.is_over or not falls_back(error) or not may_retry(before):
                    break
        self._changing.list_kinds = known
        assert first is not None
        try:
            raise first
        finally:
            del first  # its traceback has this frame

    def _has_learned(self, before: int) -> bool:
        """True if more is known about lists than before."""
        return len(self._changing.list_kinds) > before

    def _keeps_more(self, before: int) -> bool:
        """True if the graph may keep other deques, sets and dicts, which it then does."""
        return self._changing.list_kinds.keep_more()

    def _build_with_lists(
        self,
        number: int,
        arguments: dict[str, Any],
        signature: CallSignature,
        report: Report,
        attempt: Attempt,
    ) -> Built:
        """A trace, with numbers and lengths as inputs as far as it can be made with these."""
        first = self._changing.numbers()
        for _ in range(_TRIES):
            numbers = self._changing.numbers()
            lists = len(self._changing.list_kinds)
            try:
                return self._build_with(numbers, number, arguments, signature, report, attempt)
            except Exception as error:
                is_over = attempt.budget.is_over or len(self._changing.list_kinds) > lists
                if is_over or not (falls_back(error) and self._changing.must_be_fixed(numbers)):
                    self._changing.is_not_to_blame(first)
                    raise
        try:
            return self._build_with(self._changing.numbers(), number, arguments, signature, report, attempt)
        except Exception:
            self._changing.is_not_to_blame(first)
            raise

    def _build_with(
        self,
        numbers: Numbers,
        number: int,
        arguments: dict[str, Any],
        signature: CallSignature,
        report: Report,
        attempt: Attempt,
    ) -> Built:
        name = f"{self.function_id}/{number}"
        clock, code, earlier = Clock(report.phase), self._wrapped.code, self._cache.newest
        is_dispatched = all(isinstance(a, _DISPATCHED) for a in arguments.values())
        is_simple = code is None or (is_dispatched and is_plain(self._wrapped.function, arguments.values()))
        rewritten = self.autograph and not is_simple and _is_rewritten(self._wrapped.function, code)
        if self.autograph and not rewritten and not is_simple:
            refuse_unseen(self._wrapped.function, is_called=False)
            _refuse_objects(self._wrapped.function, signature)
        numbers.stored_by_methods(arguments.values())
        numbers.is_rewritten = lambda code: rewritten and converted_code(code) is not None
        try:
            return build(
                Request(
                    self._wrapped.function,
                    self.name,
                    name,
                    self._parameters,
                    arguments,
                    signature,
                    clock,
                    rewritten=rewritten,
                    creation=self._creation,
                    earlier=None if earlier is None else earlier._built,
                    falls_back=self._may_fall_back,
                    numbers=numbers,
                    seen=attempt.seen,
                    budget=attempt.begun(self._may_fall_back, self._storm),
                    list_kinds=self._changing.list_kinds,
                    failed=report.came_to,
                )
            )
        except (TensorBoolError, TensorIterationError, TensorConversionError) as error:
            if self.autograph and not rewritten and (code is None or not is_simple):
                report.cannot_rewrite(code, error)
            raise

    def _device(self, signature: CallSignature) -> str:
        on_gpu = any(isinstance(leaf, TensorSpec) and leaf.device == "gpu" for leaf in signature.leaves)
        return self.device or ("gpu" if on_gpu else "cpu")


def _is_rewritten(function: Any, code: types.CodeType | None) -> bool:
    """True for code that can be rewritten, and for tracefn's own, as of derivatives, which needs no rewriting."""
    return code is not None and (is_own_function(function) or converted_code(code) is not None)


def _refuse_objects(function: Any, signature: CallSignature) -> None:
    """Raises for arguments of code that is not rewritten whose methods and operators are not followed."""
    pairs = zip(signature.paths, signature.leaves, strict=True)
    for path in [path for path, leaf in pairs if isinstance(leaf, ObjectSpec | ForeignSpec)]:
        raise UnsupportedFunctionError(
            message(
                f"`{function.__qualname__}` is given the object `{path}` and cannot be rewritten: its use is "
                "not recorded",
                where(Source(function.__code__.co_filename, function.__code__.co_firstlineno)),
                "Put it into a file or a notebook cell, where its source can be read.",
            )
        )
