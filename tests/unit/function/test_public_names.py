"""The names that users see of a traced function and of a trace: what the engine needs beside them is private."""

import numpy as np
import tracefn


def public_names(value):
    return {name for name in dir(value) if not name.startswith("_")}


def test_a_traced_function_shows_what_users_need():
    @tracefn.function
    def f(x):
        return x + 1

    of_functions = public_names(lambda: None)
    assert public_names(f) - of_functions == {
        "autograph",
        "clear_cache",
        "concrete_functions",
        "device",
        "evict",
        "explain",
        "fallbacks",
        "function",
        "function_id",
        "get_concrete_function",
        "input_signature",
        "jit",
        "max_traces",
        "name",
        "on_unsupported",
        "options",
        "precise",
        "pretty_printed_concrete_signatures",
        "python_function",
        "reduce_retracing",
        "staging",
        "tracing_count",
        "what_if",
    }


def test_a_trace_shows_what_users_need():
    concrete = tracefn.function(lambda x: x + 1).get_concrete_function(np.ones(3))
    assert public_names(concrete) == {
        "calls",
        "device",
        "function_id",
        "graph",
        "is_rewritten",
        "kernels",
        "line_ns",
        "name",
        "native_program",
        "nbytes",
        "nodes_after",
        "nodes_before",
        "not_kept",
        "number",
        "passes",
        "phases",
        "plan",
        "pretty_printed_signature",
        "program",
        "side_effects",
        "signature",
        "signature_id",
        "stages",
        "staging",
        "structured_input_signature",
        "structured_outputs",
        "taken_over",
        "traced_graph",
    }
