"""Sample and error inputs: text."""

import numpy as np

from ..table import error, refused, sample

VARIABLE = np.dtypes.StringDType()
U = np.array(["ab c", "D1", ""])
U2 = np.array([["x", "abc"], ["1", " y "]])
B = np.array([b"ab", b"c d "])
T = np.array(["ab c", "D1", ""], VARIABLE)
T2 = np.array([["x", "abc"], ["1", " y "]], VARIABLE)
SPACE = np.array(" ", VARIABLE)
U0 = np.array("abc")
TEXT = np.str_("abc")
NUMBERS = np.arange(3)
EMPTY = np.zeros((0, 2), "U3")

ROWS = [
    sample(np.add, U, "xyz"),
    sample(np.add, U, U2[0, 0]),
    sample(np.add, U2, np.array([[b"a"]]).astype("U2")),
    sample(np.add, B, b"x"),
    sample(np.add, T, T),
    sample(np.add, T, U),
    sample(np.add, EMPTY, "abcd"),
    sample(np.add, U.astype(">U4"), "x"),
    error(np.add, U, 1),
    error(np.add, U, B[:1]),
    error(np.add, U, U2),
    sample(np.equal, U, "D1"),
    sample(np.less, U2, U2[0]),
    sample(np.greater_equal, T, "b"),
    sample(np.not_equal, B, b"ab"),
    error(np.equal, U, 1),
    error(np.multiply, U, 2),
    sample(np.multiply, T, 2),
    sample(np.strings.count, U, "a"),
    sample(np.strings.count, T, "a", 0, 2),
    sample(np.strings.count, U0, "a", np.array([0, 1])),
    error(np.strings.count, NUMBERS, "a"),
    sample(np.strings.find, U, "b"),
    sample(np.strings.find, U2, sub="b", start=1),
    sample(np.strings.find, B, b"c", 0, np.array([1, 2])),
    sample(np.strings.find, TEXT, "c"),
    error(np.strings.find, U, 1),
    error(np.strings.find, U, B[0]),
    sample(np.strings.rfind, U, "b"),
    sample(np.strings.rfind, T, "b", end=3),
    error(np.strings.rfind, U, "a", "b"),
    sample(np.strings.index, U[:1], "b"),
    error(np.strings.index, NUMBERS, "b"),
    sample(np.strings.rindex, T[:1], "b"),
    error(np.strings.rindex, U[:1], "b", "c"),
    sample(np.strings.startswith, U, "a"),
    sample(np.strings.startswith, T, ["a", "b", ""]),
    error(np.strings.startswith, U, ["a", "b"]),
    sample(np.strings.endswith, U2, "c", 1, 3),
    sample(np.strings.endswith, B, suffix=b"b"),
    error(np.strings.endswith, NUMBERS, "b"),
    sample(np.strings.str_len, U2),
    sample(np.strings.str_len, T),
    sample(np.strings.str_len, TEXT),
    error(np.strings.str_len, NUMBERS),
    sample(np.strings.strip, U),
    sample(np.strings.strip, U2, "a "),
    sample(np.strings.strip, T, chars=" b"),
    sample(np.strings.strip, TEXT),
    error(np.strings.strip, U, 1),
    sample(np.strings.lstrip, B, b"a"),
    sample(np.strings.lstrip, U2),
    error(np.strings.lstrip, NUMBERS),
    sample(np.strings.rstrip, T2),
    sample(np.strings.rstrip, U, np.array(["c", "1", "x"])),
    error(np.strings.rstrip, U, np.array(["c", "1"])),
    sample(np.strings.translate, U, {97: "z"}),
    sample(np.strings.translate, T, {97: "zz"}),
    sample(np.strings.translate, B, bytes(range(256)), b"a"),
    error(np.strings.translate, NUMBERS, {97: "z"}),
    sample(np.char.join, "-", T),
    refused(np.char.join, "-", U),
    error(np.char.join, "-", NUMBERS),
    sample(np.strings.mod, np.array(["%d", "%3d"], VARIABLE), 2),
    refused(np.strings.mod, np.array(["%d", "%3d"]), 2),
    error(np.strings.mod, NUMBERS, 2),
]
for call in (
    np.strings.isalpha,
    np.strings.isdigit,
    np.strings.isspace,
    np.strings.isalnum,
    np.strings.islower,
    np.strings.isupper,
    np.strings.istitle,
):
    ROWS += [sample(call, U2), sample(call, B), sample(call, T), error(call, NUMBERS)]
for call in (np.strings.isdecimal, np.strings.isnumeric):
    ROWS += [sample(call, U2), sample(call, T), sample(call, U0), error(call, B)]
for call in (
    np.char.equal,
    np.char.not_equal,
    np.char.less,
    np.char.less_equal,
    np.char.greater,
    np.char.greater_equal,
):
    ROWS += [sample(call, U, "ab c  "), sample(call, B, B), error(call, NUMBERS, U), error(call, U, U2)]
for call in (np.strings.upper, np.strings.lower, np.strings.swapcase, np.strings.capitalize, np.strings.title):
    ROWS += [sample(call, U2), sample(call, B), sample(call, T2), sample(call, EMPTY), sample(call, U0)]
    ROWS += [error(call, NUMBERS)]
for call in (np.strings.center, np.strings.ljust, np.strings.rjust):
    ROWS += [
        sample(call, U, 9),
        sample(call, U, 6, "*"),
        sample(call, U, [4, 9, 2], fillchar=np.array(["+", "-", "."])),
        sample(call, B, 5, b"*"),
        sample(call, U0, 3),
        refused(call, U, 3),
        refused(call, U, NUMBERS),
        error(call, U, 9, "**"),
        error(call, U, 1.5),
        error(call, NUMBERS, 9),
    ]
ROWS += [
    sample(np.strings.zfill, U, 9),
    sample(np.strings.zfill, B, [4, 9]),
    refused(np.strings.zfill, U, 3),
    error(np.strings.zfill, U, 1.5),
    error(np.strings.zfill, NUMBERS, 9),
    sample(np.strings.multiply, T, 3),
    sample(np.strings.multiply, T, NUMBERS),
    refused(np.strings.multiply, U, 3),
    error(np.strings.multiply, U, 1.5),
    error(np.strings.multiply, T, np.arange(2)),
    error(np.strings.multiply, NUMBERS, 3),
    sample(np.strings.replace, T, "a", "xyz"),
    sample(np.strings.replace, T, T, T, count=np.array([[1], [2]])),
    refused(np.strings.replace, U, "a", "xyz"),
    error(np.strings.replace, T, "a", "xyz", 1.5),
    error(np.strings.replace, NUMBERS, "a", "xyz"),
    sample(np.strings.expandtabs, T),
    sample(np.strings.expandtabs, T, np.array([[1], [2]])),
    refused(np.strings.expandtabs, U, 4),
    error(np.strings.expandtabs, NUMBERS),
]
if hasattr(np.strings, "partition"):
    for call in (np.strings.partition, np.strings.rpartition):
        ROWS += [
            sample(call, T2, SPACE),
            sample(call, T, sep=np.array(["b", "1", "x"], VARIABLE)),
            refused(call, U, " "),
            error(call, T, " "),
            error(call, NUMBERS, " "),
        ]
if hasattr(np.strings, "slice"):
    ROWS += [
        sample(np.strings.slice, U, 2),
        sample(np.strings.slice, U, 1, None),
        sample(np.strings.slice, B, None, 2),
        sample(np.strings.slice, T, NUMBERS, 3, 2),
        sample(np.strings.slice, U0, np.array([0, 1]), np.array([[2], [3]]), -1),
        error(np.strings.slice, U, 0, 2, 0),
        error(np.strings.slice, U, np.arange(2)),
    ]
if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
    for call in (np.strings.center, np.strings.ljust, np.strings.rjust):
        ROWS += [sample(call, T, 3), sample(call, T, NUMBERS, "*")]
    ROWS += [sample(np.strings.zfill, T, NUMBERS), sample(np.strings.replace, T, "a", U)]
