"""Texts with traced values in them: f-strings, `%`, `format`, `str` are those of each call."""

import collections
import dataclasses

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree
from tracefn.errors import TensorConversionError

X = np.array([1.5, -2.25, 3.0])


def f_strings(x):
    m, width = x.mean(), 9
    return f"{m:.3f} {m!r} {m!s:>12}|{m:{width}.2f}|{x}{{}}", f"{x.shape} {len(x)}", f"{[m, 1]} { {'m': m} }"


def percents(x):
    return "%.2f" % x[0], "%d and %s" % (x[1], x), f"{x[0]:.1f}%%" % ()  # noqa: UP031


def formats(x):
    return f"{x[0]:.1f} {x[1]}", "{1:{w}.2f}/{0}/{a[2]}".format(x[0], x[1], w=8, a=x), format(x[0], ".4f")


def conversions(x):
    n = int(x[0])
    return str(x), repr(x[0]), str(n) + "!" + str(n + 1), ", ".join(str(v) for v in x), "-".join([str(v) for v in x])


def dtypes(x):
    dtype, known = x.dtype, np.dtype("f4")
    nested = f"{[dtype, x[0]]} {(x[1], {'d': known})} {known!r:>20} {np.float32}"
    return f"{x.sum()} {dtype}", "%s %r %s" % (x[0], dtype, known), f"{x[0]} {known}", nested  # noqa: UP031


def methods(x):
    text = f"{x.sum():.2f} Units"
    return (
        text.upper(),
        text[:4],
        text * 2,
        len(text),
        text.rjust(20),
        "x" + text,
        text.replace(".", ","),
        text.find("U"),
    )


def questions(x):
    text = f"{x[0]:.1f}"
    return text == "1.5", text in ("2.5", "1.5"), "." in text, text.startswith("2"), f"{x[1]:+.1f}" < text


def decide(x):
    if f"{x[0]:.0f}".endswith("2"):
        return "ends with two"
    return "does not"


def chosen(x):
    kind = "high" if x[0] > 2 else "low"
    label = "none"
    if x[1] > 0:
        label = f"{x[1]:.1f}"
    return f"{kind:>6}: {label}", label + "!", {"kind": kind, label: 1} if isinstance(label, int) else kind


def in_a_loop(x):
    text = ""
    for v in x:
        if v < 0:
            continue
        text += f"{v:.1f};"
    k = 0
    while abs(x[0]) * 2**k < 20:
        k += 1
    return text, f"k={k}"


def raised_later(x):
    text = f"sum is {x.sum():.2f}"
    if x[0] > 2:
        raise ValueError(text)
    if x[0] < -2:
        raise KeyError(f"{text}, {x[0]:.1f}")
    return text


class Sum:
    def __init__(self, x):
        self.total = x.sum()

    def __repr__(self):
        return f"<{self.total:.2f}>"


@dataclasses.dataclass
class Step:
    value: object
    name: str = "step"


Pair = collections.namedtuple("Pair", "first second")


def objects(x):
    made, step = Sum(x), Step(x[0])
    print(made, step)
    return f"{made} {made!r:>10}", str(made), f"{step}", repr(Pair(x[1], [x[0]])), f"{[x[0], Pair]}", f"{Step(1)}"


def keywords(x):
    return str(object=x), str(object=x[0]), str(object=b"a", encoding="ascii")


def wrong_format(x):
    return f"{x:.3f}"


def wrong_value(x):
    return f"{x[0]:d}"


def wrong_percent(x):
    return "%d" % (x[0], x[1])  # noqa: F507, UP031


def names(x, params):
    return sum(params[f"w{i}"] for i in range(2)) + x[0], {f"k{i}": f"{v:.0f}" for i, v in enumerate(x)}


FUNCTIONS = [
    f_strings, percents, formats, conversions, dtypes, methods, questions, decide, chosen, in_a_loop, objects,
    raised_later, keywords, wrong_format, wrong_value, wrong_percent,
]  # fmt: skip


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_eager(function, mode):
    traced = assert_all_agree(function, (X,), (X + 1,), (X - 4,), (X.astype("f4"),), (X[::-1],), jit=mode, precise=True)
    assert traced.tracing_count <= 4


def test_keys():
    assert_all_agree(names, (X, {"w0": 1.0, "w1": X}), (X + 1, {"w0": 1.0, "w1": X}))


def test_many_rounds():
    def table(n):
        lines = []
        for i in range(n):
            lines.append(f"{i:3d}")
        return "\n".join(lines), {f"k{i}": i for i in range(n)}

    assert_all_agree(table, (40,))


def test_open_lengths():
    traced = assert_all_agree(
        lambda x: f"{len(x)} of {x.shape}", (X,), (X[:2],), (X[:1],), (np.arange(9.0),), reduce_retracing=True
    )
    assert traced.tracing_count == 2


def test_dtypes_as_values(capsys):
    def shows(x):
        tracefn.print(x.sum(), x.dtype, [x.dtype])
        return np.array([x.sum(), x.dtype], dtype=object)

    assert_all_agree(shows, (X,), (X.astype("f4"),))
    shown = capsys.readouterr().out.splitlines()
    assert set(shown) == {"2.25 float64 [dtype('float64')]", "2.25 float32 [dtype('float32')]"}


def test_shown_while_tracing(capsys):
    @tracefn.function
    def shows(x):
        text = f"loss {x.mean():.3f}"
        print(text, f"{text}!")
        tracefn.print(text, f"{x[0]:.1f}")
        return x

    shows(X), shows(X + 1)
    shown = 'loss Tensor("mean:0", shape=(), dtype=float64)'
    assert capsys.readouterr().out == f"{shown} {shown}!\nloss 0.750 1.5\nloss 1.750 2.5\n"


def test_a_print_in_a_branch_leaves_the_loop_staged(capsys):
    def halved(x):
        for i in range(200):
            x = x / 2
            if np.abs(x).max() < 1e-3:
                print("converged after", i, f"rounds: {x[0]:.2e}")
                return x, i
        print("no convergence")
        return x, 200

    traced = tracefn.function(halved)
    assert traced(X)[1] == halved(X)[1] == 11
    assert "for" in str(traced.staging()) and len(traced.concrete_functions[0].graph) < 40
    assert capsys.readouterr().out.count("converged after 11 rounds: ") == 2


@pytest.mark.parametrize(
    ("use", "what"),
    [
        (lambda t: {t: 1}, "was hashed"),
        (lambda t: t.split(), r"was used with .split\(\)"),
        (lambda t: list(t), "was iterated over"),
        (lambda t: np.array([t]), "was made an array"),
        (lambda t: t.nothing, "no attribute 'nothing'"),
    ],
)
def test_refused(use, what):
    with pytest.raises((TensorConversionError, AttributeError), match=what):
        tracefn.function(lambda x: use(f"{x[0]}"))(X)


def test_print_options_hold_for_texts_inside():
    def shown(x):
        with np.printoptions(precision=2, formatter={"float_kind": lambda v: f"{v:.1f}"}):
            text = str(x)
        return text, str(x)

    traced = tracefn.function(shown, on_unsupported="eager")
    for first in (1.2345678, 2.5):
        x = np.array([first, 2])
        assert traced(x) == shown(x)


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_a_format_that_is_not_for_a_number_is_handled_by_a_try_before_an_iterator_advances():
    def step(x, k):
        try:
            found = f"{x[0]:.1f} {k:03d}"
        except ValueError as error:
            found = str(error)
        return found, next(items)

    given, seen = [1, 2.0, 3], []
    for function in (tracefn.function(step, on_unsupported="eager"), step):
        items = iter("abc")
        seen.append([function(np.ones(2), k) for k in given])
    assert seen[0] == seen[1]


def numbers_in_texts(x):
    bits = "".join(map(str, (x > 0).astype(int)))
    return int(bits, 2), int(str(int(x[0])), base=len(x)), float(str(x[0]))


def test_numbers_are_read_from_texts_in_the_base_that_is_given():
    assert_all_agree(numbers_in_texts, (X,), (X[::-1].copy(),), (-X,))
