"""Which test modules of NumPy run traced, and which of them in the ordinary test-suite."""

from __future__ import annotations

#: Not among them: tests of files, printing, pickles, the C interfaces, dtype objects and memory, which are not traced.
MODULES = [
    *[f"_core/tests/test_{name}.py" for name in """
        array_coercion casting_floatingpoint_errors datetime defchararray deprecations einsum errstate function_base
        half indexerrors indexing item_selection longdouble multiarray nep50_promotions numeric numerictypes regression
        scalar_methods scalarmath shape_base strings ufunc umath umath_accuracy umath_complex unicode
    """.split()],
    *[f"lib/tests/test_{name}.py" for name in """
        array_utils arraypad arraysetops function_base histograms index_tricks mixins nanfunctions packbits polynomial
        regression shape_base stride_tricks twodim_base type_check ufunclike
    """.split()],
    *[f"linalg/tests/test_{name}.py" for name in "deprecations linalg regression".split()],
    *[f"fft/tests/test_{name}.py" for name in "helper pocketfft".split()],
]  # fmt: skip

#: What runs in less than a minute: shapes, indices and views. Values of functions are in the op table, too.
SAMPLE = [
    *[f"_core/tests/test_{name}.py" for name in "function_base indexerrors indexing item_selection numeric".split()],
    *[f"lib/tests/test_{name}.py" for name in "arraysetops shape_base stride_tricks twodim_base".split()],
    "linalg/tests/test_regression.py",
]
