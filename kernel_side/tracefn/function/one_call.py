"""Traces that hold for one call alone: its values decide its branches and loops, so any control flow can be
followed. Each call pays for a trace of its own, of which nothing is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..runtime.garbage import no_collection
from ..trace.autograph import converted_code, is_plain
from ..trace.foreign import first_run
from ..trace.signature import CallSignature
from .concrete import ConcreteFunction
from .execution import ProgramFailed
from .guards import Now
from .tracing.build import Request, build
from .tracing.phases import Clock

if TYPE_CHECKING:
    from .traced import Function


def run_once(function: Function[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call, by a trace that is made for it: `function` keeps no trace and emits no event.

    Raises refusals of the trace that have other reasons than control flow, and errors of the program.
    """
    arguments = function._bind(args, kwargs)
    signature, values = CallSignature.of(arguments)
    python, code = function._wrapped.function, function._wrapped.code
    is_simple = code is None or is_plain(python, arguments.values())
    with no_collection():
        built = build(
            Request(
                python,
                function.name,
                f"{function.function_id}/once",
                function._parameters,
                arguments,
                signature,
                Clock(_ignored),
                rewritten=code is not None and not is_simple and converted_code(code) is not None,
                creation=function._creation,
                numbers=function._changing.numbers(),
                of_one_call=True,
            )
        )
    concrete = ConcreteFunction(built, signature, function._parameters, function.function_id, 0, "cpu")
    try:
        with first_run(concrete.graph):
            return concrete._execution.run_traced_call(values, Now(signature, values, arguments))
    except ProgramFailed as failed:
        raise failed.error from None


def _ignored(phase: str, duration_ns: int) -> None: ...
