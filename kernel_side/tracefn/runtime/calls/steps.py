"""Short programs that the machine code of a call runs step by step: kernels, and operators of Python numbers.

A process that takes such a program over needs these records, and nothing of what finds them (`native_steps.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...ir.graph import Node


class Known(NamedTuple):
    """An operand that is the same in all calls."""

    value: Any


class Step(NamedTuple):
    """`function(*given)`; its results are values of the graph, one or the items of a tuple. Nodes, or numbers where the
    graph is not there, stand for values."""

    function: Callable[..., Any]
    given: tuple[Node | int | Known, ...]
    made: tuple[Node | int, ...]


class Steps(NamedTuple):
    """All steps of a program, its arguments in order, and its results in order. `ops` are the names of those that are
    operators, empty for kernels."""

    all: tuple[Step, ...]
    inputs: tuple[Node | int, ...]
    outputs: tuple[Node | int, ...]
    ops: tuple[str, ...]
