"""What can go wrong for a user: one class for each failure. A class's docstring is its help page.

Every message says what happened, where (file or cell, and line), and what to do. `docs/errors.md` is made from here.
"""

from __future__ import annotations


class TracefnError(Exception):
    """The base class of all errors that tracefn raises by itself.

    Errors of NumPy come out as NumPy raises them, while tracing too: a shape that does not fit is a ValueError with
    NumPy's own words.
    """


def message(what: str, where: str = "", fix: str = "") -> str:
    """The text of an error: what happened, where, and what to do."""
    lines = [what]
    if where:
        lines.append(f"  at {where}")
    if fix:
        lines.append(f"  {fix}")
    return "\n".join(lines)


class TensorConversionError(TracefnError, TypeError):
    """A traced value was turned into a concrete array or number, which it does not have yet.

    While a function is traced its arrays are symbols: they have a dtype and a shape, and no elements. Code that needs
    elements at once, such as `np.asarray(x)` in a library, `float(x)`, `int(x)`, `x.item()`, `range(x)` or a C function
    that reads the buffer, cannot be traced.

    What to do: use a NumPy function on the traced value instead (`x.astype(np.float64)` for `float(x)`), take the
    value as a Python argument (each value then gets its own trace), or move the code out of the traced function.
    """


class TensorBoolError(TensorConversionError):
    """Python asked a traced value whether it is true where the graph cannot hold the question: `assert x.all()`.

    `if`, `while`, `for`, `and`, `or` and `not` on traced values are staged (`autograph=True`), where the source of the
    function can be read. What to do elsewhere: `np.where(condition, a, b)` chooses element by element; `&`, `|` and `~`
    combine conditions; a Python argument (each value then gets its own trace) may be tested freely.
    """


class TensorIterationError(TracefnError, TypeError):
    """A traced value was iterated over or unpacked although its length is not known, or it has no axis.

    Iterating over an array works and unrolls: one copy of the loop body for each row. Where the signature leaves the
    length open, the length of the call that is traced is taken, and guarded. Where there is no such call, or only
    values decide the length, there is nothing to unroll.

    What to do: work on the whole array, or give the axis a known length in `input_signature`.
    """


class LeakedTensorError(TracefnError):
    """A traced value was used after its trace had ended, or in another trace.

    A traced value that is stored in a global, in an attribute or in a list outside lives longer than its trace, and
    then means nothing. What to do: return the value from the traced function, and store what the call returns.
    """


class InPlaceWriteError(TracefnError, TypeError):
    """An array was written to in place (`x[0] = 1`, `x += 1`, `out=x`), and it is not certain where that must be seen.

    Writes are traced, through views, into arguments and into arrays outside. Refused are: writing into an array whose
    memory a traced value chose (a branch took a view of another one, a staged loop has swapped it with another),
    or of which it is not known (`x.T.reshape(-1)` with open lengths); into one of two arguments
    that share some of their memory; into an array that a list of the graph holds; `x.resize()`; changing a
    container outside other than by adding to it; and changing a list or dict that is an argument twice, or putting one
    argument into another.

    What to do: write into a copy (`y = y.copy()`), and return it. Of arguments that share memory, pass the whole array
    and take the views inside.
    """


class UnsupportedFunctionError(TracefnError, NotImplementedError):
    """A NumPy function, or a way of calling it, that tracefn does not trace.

    `docs/numpy.md` lists what is traced. What to do: the message names the alternative where there is one; otherwise
    move the call out of the traced function.
    """


class UnsupportedArgumentError(TracefnError, TypeError):
    """An argument of a traced function, or an array that it uses, is of a kind that cannot be traced.

    Refused are subclasses of `np.ndarray` with their own meaning of operators (`np.matrix`, masked arrays), arrays of
    Python objects or raw bytes, and single elements of structured arrays. What to do: pass a plain array
    (`np.asarray(x)`); pass a structured array as a whole, with the index of the element.
    """


class ArgumentMismatchError(TracefnError, TypeError):
    """A call does not fit the declared `input_signature`, or the signature of the concrete function that is called.

    Arrays are never cast or reshaped silently. What to do: convert at the call (`x.astype(np.float32)`), or declare
    what you pass: `None` for a dimension of any length.
    """


class ShapeMismatchError(ArgumentMismatchError, ValueError):
    """An array of the declared dtype has another number of axes, or another length, than the signature says.

    It is a ValueError as well as a TypeError, as NumPy raises ValueError where shapes do not fit. What to do: reshape
    at the call, or declare what you pass: `None` for a dimension of any length, `TensorSpec(None)` for any shape.
    """


class InputSignatureError(TracefnError, TypeError):
    """An `input_signature` that cannot be right: not a sequence of `TensorSpec`s, or not one for each parameter."""


class SymbolicDimensionError(TracefnError, TypeError):
    """Python code needs the number behind a dimension that was declared `None`, and there is no call to take it from.

    Arithmetic on such a dimension, and passing it on as a shape, works. Comparing it, or looping over it, fixes it: at
    a call that is recorded as a guard, but `get_concrete_function` with a `TensorSpec` has no number to take.

    What to do: declare the dimension with its length, or call the function with an array.
    """


class ControlFlowError(TracefnError, TypeError):
    """The branches or the rounds of a loop do not fit together.

    All branches of a `cond` or `switch` must give results of the same structure, dtype and rank, and each round of a
    loop or scan must leave its state with the structure, dtype and rank that it found. A Python number fits any dtype
    that NumPy's promotion lets it take; `None`, a text or a function may be what one of them gives. Lengths may differ:
    such a length is known at call time only. What a scan runs over must be arrays with one leading length, and its
    function returns two things, the carry and a result.

    What to do: convert with `x.astype(...)` where the dtypes meet, give a variable its final dtype and shape before the
    loop, and return the same things from all branches.
    """


class UnsupportedResultError(TracefnError, TypeError):
    """A traced function returned something that cannot be rebuilt at each call: a generator, an open file, a set of
    arrays.

    What to do: return arrays, Python values, and tuples, lists, dicts, named tuples, dataclasses or registered classes
    of them.
    """


class PyFunctionResultError(TracefnError, TypeError):
    """A function called by `tracefn.py_function` returned something else than its `Tout` says.

    The graph after the call was made for the declared dtype, rank, lengths and structure. What to do: declare in `Tout`
    what the function returns (a `TensorSpec` for each array, `None` for a length that may vary, a dtype for a scalar),
    or convert in the function: `return x.astype(np.float32)`.
    """


class AssertionFailedError(TracefnError, AssertionError):
    """A check of `tracefn.debugging` does not hold: `assert_equal`, `assert_all_finite` and the like.

    The message names the line of the check, how many elements fail, and the first of them. What to do: find out where
    the values come from; `tracefn.debugging.enable_check_numerics()` names the operation that made a NaN or an Inf.
    """


class NumericsError(TracefnError, FloatingPointError):
    """A NaN or an Inf was computed while `tracefn.debugging.enable_check_numerics()` was on.

    The message names the operation, its line and its inputs; or the argument that held it already. What to do: change
    the operation or what it is given (`np.log(np.maximum(x, tiny))`, `np.where` on its argument rather than on its
    result). Where Inf is meant, as in a mask, leave the check off for that function.
    """


class RetraceError(TracefnError, RuntimeError):
    """A call inside `tracefn.no_retrace()` needs a new trace.

    The message names every difference from every earlier trace, the nearest first, and the change that would avoid it,
    where there is one. Nothing was traced or run. What to do: what it says, or call the function before the block with
    every kind of argument that it gets in it.
    """


class FallbackError(TracefnError, RuntimeError):
    """A traced function ran eagerly in a `tracefn.no_fallback()` block, or in a test with the fixture `no_fallback`.

    The message names each function, the line without a graph, the reason, and the fix. The calls themselves were made,
    with eager results.

    What to do: apply the fix; or move calls that are meant to run eagerly out of the block.
    """


class DeviceUnavailableError(TracefnError, RuntimeError):
    """The asked device is not there: `device='gpu'` needs CuPy and an NVIDIA GPU that it can use.

    What to do: `pip install "tracefn[gpu]"` on a machine with a GPU, or leave `device` out.
    """


class GraphvizMissingError(TracefnError, RuntimeError):
    """Drawing to SVG needs Graphviz's `dot` program, which was not found.

    What to do: install Graphviz (`apt install graphviz`, `brew install graphviz`, `conda install graphviz`), or use
    `graph.to_dot()` and draw the text elsewhere. The JupyterLab panel draws without it.
    """


class VerificationError(TracefnError, AssertionError):
    """A graph breaks a rule of the representation. This is a fault in tracefn: please report it with the message."""


class ResultsDifferError(TracefnError, AssertionError):
    """The eager function and its graph gave different results, so `tracefn.timing.compare` did not time them.

    The message shows the first elements that differ. A usual cause is a function that does not depend on its arguments
    alone: it draws random numbers, reads a clock or a file, or counts its calls. What to do: pass what changes as an
    argument. If the function depends on its arguments alone, the graph is wrong: please report it.
    """


class WidgetBundleMissingError(TracefnError, RuntimeError):
    """The front-end code of the widgets is not there: the package runs from a checkout in which it was not built.

    What to do: run `npm ci` and `npm run build` in the checkout (`make lab` does both), or install the wheel, which
    has it.
    """


class AutographWarning(UserWarning):
    """A function with branches or loops could not be rewritten by AutoGraph, so it ran as it is written.

    The warning names the function, its line and the cause: its source cannot be read (it was made by `exec`), it is a
    generator, or it reads the variables of its frame (`locals()`). On Python values it works as ever; a branch on a
    traced value in it raises `TensorBoolError`.

    What to do: put the code into a file or notebook cell, write a loop instead of a generator, or mark the function
    with `tracefn.autograph.do_not_convert`, which says that it is meant so.
    """


class FallbackWarning(UserWarning):
    """A call could not be traced, so the Python function itself ran: the answer is eager's, and so is the time.

    The warning names the line that stands in the way, why, and what to do about it. It is given once for each function
    and reason; `f.fallbacks` has all of them, with how often each was called.

    What to do: what it says; or, where running eagerly is meant, silence it:
    `warnings.simplefilter("ignore", tracefn.errors.FallbackWarning)`. To get the error instead, decorate with
    `tracefn.function(on_unsupported="error")`, or call `tracefn.config.on_unsupported("error")` for all functions.
    """


class TracingOnlyWarning(UserWarning):
    """`print` or logging in a traced function happened while tracing, and will not at calls that find the trace.

    `tf.function` does the same: a print shows when tracing happens. Scripts get one warning for each function and line;
    notebooks show it in the panel.

    What to do: write `tracefn.print` to print at each call, `tracefn.py_function(logging.info, [...])` to log at each
    call; or, if once is enough, silence it: `warnings.simplefilter("ignore", tracefn.errors.TracingOnlyWarning)`.
    """


class RetraceWarning(UserWarning):
    """A function was traced five times in ten calls or fewer, each time for the same cause.

    The warning names the cause, what the traces cost so far, and the change that would have avoided them, where a
    replay of the calls proves one. It is given once for each function and cause.

    What to do: what it says; `explain()` and `what_if()` of the function tell more. Where the traces are meant, as at
    the start of a training with many shapes, silence it:
    `warnings.simplefilter("ignore", tracefn.errors.RetraceWarning)`.
    """
