"""Whether NumPy may warn of a call, by the types of its result and inputs: the field `warns` of ops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ir.types import Kind, TensorType


def never(result: TensorType, inputs: Sequence[TensorType]) -> bool:
    """Of numbers of any kind there is no warning."""
    return False


def unless_floats(result: TensorType, inputs: Sequence[TensorType]) -> bool:
    """An overflow of integers that are scalars is warned of."""
    return _kinds(result, inputs) != {"f"} and unless_integer_arrays(result, inputs)


def unless_integer_arrays(result: TensorType, inputs: Sequence[TensorType]) -> bool:
    """Arrays of integers and booleans overflow silently; floats and scalars do not."""
    return not (result.kind is Kind.ARRAY and _kinds(result, inputs) <= set("biu"))


def unless_python_numbers(result: TensorType, inputs: Sequence[TensorType]) -> bool:
    """Python's ints and floats overflow silently; NumPy's scalars do not."""
    return "c" in _kinds(result, inputs) or any(t.kind is not Kind.PYTHON for t in (result, *inputs))


def unless_safe_cast(result: TensorType, inputs: Sequence[TensorType]) -> bool:
    """A cast to a dtype that does not hold all values may be warned of."""
    return not np.can_cast(inputs[0].dtype, result.dtype)


def _kinds(result: TensorType, inputs: Sequence[TensorType]) -> set[str]:
    return {t.dtype.kind for t in (result, *inputs)}
