"""The fields of a traced function: in slots, apart from the attributes that its users give it."""

from __future__ import annotations


class Held:
    """The base of all parts of `Function`. Its `__dict__`, all of which `functools.wraps` gives to another
    function, has the users' attributes alone."""

    __slots__ = (
        "_bails", "_cache", "_changing", "_class_has", "_creation", "_declared", "_entries", "_fallbacks", "_history",
        "_instance", "_instances", "_lock", "_log", "_made_by_gone", "_own_numbers", "_parameters", "_patterns",
        "_special", "_storm", "_unfit", "_wrapped", "autograph", "device", "function_id", "input_signature", "jit",
        "max_traces", "name", "on_unsupported", "options", "precise", "python_function", "reduce_retracing",
    )  # fmt: skip
