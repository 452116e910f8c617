"""What calls of functions with loops do, in eager Python and as machine code."""

import copy
import traceback
import warnings

import numpy as np


def outcome(function, args, file):
    """What a call does: result or error, warnings with their lines, and what the arguments hold then. The function is
    in `file`."""
    given = copy.deepcopy(args)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function(*given)
        except Exception as error:
            line = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file][-1:]
            result = (type(error), str(error), line)
    told = sorted({(w.category, str(w.message), w.lineno) for w in caught}, key=str)
    return result, told, given


def equal(a, b):
    if isinstance(a, tuple):
        return type(b) is tuple and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, np.ndarray | np.generic | float):
        if type(a) is not type(b) or np.asarray(a).dtype != np.asarray(b).dtype:
            return False
        return np.shape(a) == np.shape(b) and np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f")
    return type(a) is type(b) and a == b


def is_native(concrete):
    """True if the loops of a signature are in kernels."""
    source = concrete.native_program
    return concrete.plan == "native" and not any(word in source for word in ("for ", "while "))
