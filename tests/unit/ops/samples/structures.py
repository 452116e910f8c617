"""Sample and error inputs: structured arrays."""

import operator

import numpy as np
import tracefn.ops.structures  # noqa: F401 – tracefn imports it when one of the functions is called
from numpy.lib import recfunctions

from ..table import error, refused, sample

POINT = np.dtype([("x", float), ("y", float), ("z", float)])
MIXED = np.dtype([("x", float), ("v", "f4", (2,)), ("n", np.int32)])
NESTED = np.dtype([("p", POINT), ("name", "U3")])
POINTS = np.array([(0.0, 3.0, 1.0), (2.0, 1.0, 5.0), (4.0, 2.0, 0.0)], POINT)
ITEMS = np.array([(2.0, [1, 2], 3), (4.0, [5, 6], 7)], MIXED)
TREE = np.array([((1, 2, 3), "a"), ((4, 5, 6), "bcd")], NESTED)
ALIGNED = np.zeros((2, 2), np.dtype([("a", "u1"), ("b", float)], align=True))
PLAIN = np.arange(6.0).reshape(2, 3)
NUMBERS = np.array([1, 2])

ROWS = [
    *[sample(operator.getitem, POINTS, i) for i in ("x", ["z", "x"], 1, slice(1, None), [0, 0], POINTS["x"] > 1)],
    *[sample(operator.getitem, ITEMS, i) for i in ("v", ["n"], -1)],
    *[sample(operator.getitem, TREE, i) for i in ("p", "name", 0)],
    sample(operator.getitem, ALIGNED, "b"),
    *[error(operator.getitem, POINTS, i) for i in ("w", ["x", "w"], ("x", "y"), 3)],
    error(operator.getitem, PLAIN, "x"),
    sample(recfunctions.rename_fields, POINTS, {"x": "r"}),
    sample(recfunctions.rename_fields, TREE, {"y": "why"}),
    error(recfunctions.rename_fields, PLAIN, {"x": "r"}),
    *[sample(recfunctions.drop_fields, a, "x", usemask=False) for a in (POINTS, ITEMS, TREE)],
    error(recfunctions.drop_fields, PLAIN, "x", usemask=False),
    refused(recfunctions.drop_fields, POINTS, "x"),
    sample(recfunctions.require_fields, POINTS, [("y", "f4"), ("new", int)]),
    error(recfunctions.require_fields, POINTS, "no such dtype"),
    *[sample(recfunctions.repack_fields, a) for a in (POINTS, ALIGNED, ITEMS[["x", "n"]])],
    sample(recfunctions.repack_fields, POINTS, align=True),
    *[sample(recfunctions.structured_to_unstructured, a) for a in (POINTS, ITEMS, POINTS[["x", "z"]], ALIGNED)],
    sample(recfunctions.structured_to_unstructured, ITEMS, "f4", True),
    error(recfunctions.structured_to_unstructured, ITEMS, np.int8, casting="safe"),
    error(recfunctions.structured_to_unstructured, PLAIN),
    sample(recfunctions.unstructured_to_structured, PLAIN).with_known_lengths(),
    sample(recfunctions.unstructured_to_structured, PLAIN, POINT).with_known_lengths(),
    sample(recfunctions.unstructured_to_structured, PLAIN, names=["a", "b", "c"], align=True).with_known_lengths(),
    error(recfunctions.unstructured_to_structured, PLAIN, MIXED[["x", "n"]]),
    sample(recfunctions.append_fields, POINTS, "w", PLAIN[0], usemask=False),
    sample(recfunctions.append_fields, POINTS, ["w", "k"], [PLAIN[0], NUMBERS], usemask=False, fill_value=-2),
    sample(recfunctions.append_fields, POINTS, "w", PLAIN[0], "i2", usemask=False),
    error(recfunctions.append_fields, POINTS, ["w", "k"], [PLAIN[0]], usemask=False),
    refused(recfunctions.append_fields, POINTS, "w", PLAIN[0]),
    sample(recfunctions.merge_arrays, (NUMBERS, PLAIN[0])),
    sample(recfunctions.merge_arrays, [POINTS, ITEMS]),
    refused(recfunctions.merge_arrays, (NUMBERS, PLAIN[0]), usemask=True),
    refused(recfunctions.merge_arrays, POINTS),
    error(recfunctions.merge_arrays, [POINTS, POINTS], flatten=True),
    sample(recfunctions.stack_arrays, [POINTS, POINTS], usemask=False),
    sample(recfunctions.stack_arrays, (POINTS, ITEMS), usemask=False),
    sample(recfunctions.stack_arrays, (NUMBERS, NUMBERS), usemask=False),
    error(recfunctions.stack_arrays, (ITEMS, recfunctions.rename_fields(POINTS, {"y": "n"})), usemask=False),
    refused(recfunctions.stack_arrays, [POINTS, POINTS]),
    sample(recfunctions.join_by, "x", POINTS, ITEMS, usemask=False),
    sample(recfunctions.join_by, "x", POINTS, ITEMS, "outer", usemask=False),
    error(recfunctions.join_by, "w", POINTS, ITEMS, usemask=False),
    refused(recfunctions.join_by, "x", POINTS, ITEMS),
]
