"""What a user sees of an error: the frames that eager code would have, and one exception."""

import subprocess
import sys
import traceback
import warnings

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi
from tracefn.trace.recording.recorder import Recorder

W = np.ones((4, 4))
SINGULAR = np.zeros((2, 2))
JIT = ["off", pytest.param("now", marks=pytest.mark.skipif(bool(abi.unavailable()), reason="no machine code"))]


def direct(x):
    return x @ np.ones((4, 4))


def helper(x):
    y = x * 2
    return y @ W


def in_helper(x):
    return helper(x) + 1


def in_lambda(x):
    return (lambda y: y.reshape(5))(x + 1)


def loop(x):
    for _ in range(3):
        x = x @ W
    return x


def staged_loop(x):
    i = np.int64(0)
    while i < x.sum():
        x = x @ W
        i += 1
    return x


def branch(x):
    if x.sum() > 0:
        y = x @ W
    else:
        y = x
    return y


def raising(x):
    if x.shape != (4,):
        raise ValueError("four are needed")
    return x


def in_function_in_loop(x):
    for _ in range(2):

        def times(y):
            if y.ndim:
                return y @ W
            return y

        x = times(x)
    return x


def in_operand(x):
    return x.ndim and x @ W


def handled(x):
    try:
        return x @ W
    except ValueError as error:
        raise RuntimeError("not four") from error


class Model:
    def __init__(self):
        self.weights = W

    def __call__(self, x):
        return x @ self.weights


def frames(run):
    """The frames behind that of the call, and those of the errors in whose place it was raised, outermost first."""
    with pytest.raises(Exception) as raised, warnings.catch_warnings(action="ignore"):
        run()
    error, found = raised.value, []
    while error is not None:
        entries = traceback.extract_tb(error.__traceback__)
        found.append((type(error), str(error), [(e.filename, e.lineno, e.name) for e in entries if e.name != "frames"]))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return [
        (kind, text, [e for e in entries if e[2] != "<lambda>" or "reshape" in line(e)])
        for kind, text, entries in found
    ]


def line(entry):
    with open(__file__) as file:
        return file.readlines()[entry[1] - 1]


@pytest.mark.parametrize("on_unsupported", ["eager", "error"])
@pytest.mark.parametrize(
    "f",
    [
        direct,
        in_helper,
        in_lambda,
        loop,
        staged_loop,
        branch,
        raising,
        in_function_in_loop,
        in_operand,
        handled,
        Model(),
    ],
    ids=lambda f: getattr(f, "__name__", "model"),
)
def test_first_call_shows_the_frames_of_eager_code(f, on_unsupported):
    x = np.ones(3)
    traced = tracefn.function(f, on_unsupported=on_unsupported)
    assert frames(lambda: traced(x)) == frames(lambda: f(x))


def test_nested_functions_show_the_frames_of_eager_code():
    inner = tracefn.function(direct)

    def outer(x):
        return inner(x * 2)

    def undecorated(x):
        return direct(x * 2)

    for on_unsupported in ("eager", "error"):
        found = frames(lambda o=on_unsupported: tracefn.function(outer, on_unsupported=o)(np.ones(3)))
        assert [entry[2] for entry in found[0][2]] == ["outer", "direct"]
        assert found[0][:2] == frames(lambda: undecorated(np.ones(3)))[0][:2]


def inverted(x):
    y = x * 2
    return np.linalg.inv(y)


def chosen(x, i):
    return (x * 2 + 1)[i]


def positive(x):
    if x.sum() > 0:
        raise ValueError("positive")
    return -x


LATER = [
    (inverted, (np.eye(2),), (SINGULAR,)),
    (chosen, (np.ones(3), np.int64(0)), (np.ones(3), np.int64(5))),
    (positive, (-np.ones(3),), (np.ones(3),)),
]


@pytest.mark.parametrize("jit", JIT)
@pytest.mark.parametrize("on_unsupported", ["eager", "error"])
@pytest.mark.parametrize(("f", "works", "fails"), LATER, ids=lambda value: getattr(value, "__name__", ""))
def test_later_call_shows_the_frames_of_eager_code(f, works, fails, on_unsupported, jit):
    traced = tracefn.function(f, on_unsupported=on_unsupported, jit=jit)
    for _ in range(3):  # by a new trace, by the entries of its calls
        traced(*works)
        assert frames(lambda: traced(*fails)) == frames(lambda: f(*fails))
    assert traced.tracing_count == 1


@pytest.mark.parametrize("jit", JIT)
def test_call_that_runs_eagerly_shows_the_frames_of_eager_code(jit):
    def packed(x):
        x.tobytes()
        return np.linalg.inv(x)

    traced = tracefn.function(packed, on_unsupported="eager", jit=jit)
    for _ in range(4):
        with warnings.catch_warnings(action="ignore"):
            traced(np.eye(2))
        assert frames(lambda: traced(SINGULAR)) == frames(lambda: packed(SINGULAR))
    assert traced.fallbacks


def interrupted(x):
    for i in range(3):
        if i == 1:
            number = i + 1
            x = np.tanh(x) * number
        x = x + 1
    return x


def test_an_interrupted_statement_is_at_its_line_of_the_function(monkeypatch):
    """Notebooks look up source by the first line of a frame's code, and show its qualified name."""
    record = Recorder.record

    def interrupt(self, op, *args):
        if op.name == "tanh":
            raise KeyboardInterrupt
        return record(self, op, *args)

    monkeypatch.setattr(Recorder, "record", interrupt)
    with pytest.raises(KeyboardInterrupt) as raised:
        tracefn.function(interrupted)(np.ones(3))
    _, (frame, line), _ = traceback.walk_tb(raised.value.__traceback__)
    written = interrupted.__code__
    assert (frame.f_code.co_qualname, frame.f_code.co_firstlineno) == ("interrupted", written.co_firstlineno)
    assert line == frame.f_lineno == written.co_firstlineno + 4
    assert frame.f_globals["number"] == 2


def test_refusals_end_at_the_users_line():
    def packed(x):
        return (x * 2).tobytes()

    traced = tracefn.function(packed, on_unsupported="error")
    ((kind, _, entries),) = frames(lambda: traced(np.ones(2)))
    assert kind is tracefn.errors.TensorConversionError
    assert [name for _, _, name in entries] == ["packed"]


def wrong_calls():
    f = tracefn.function(lambda x: x + 1)
    declared = tracefn.function(lambda x: x + 1, input_signature=[tracefn.TensorSpec((2,), np.float64)])
    concrete = f.get_concrete_function(np.ones(2))
    return {
        "too many": lambda: f(1, 2),
        "declared": lambda: declared(np.ones(3)),
        "concrete": lambda: concrete(np.ones(3)),
        "for arguments": lambda: tracefn.function(direct).get_concrete_function(1, 2),
        "signature": lambda: tracefn.function(lambda x: x, input_signature=[np.float32]),
        "as decorator": lambda: tracefn.function(input_signature=[np.float32])(lambda x: x),
    }


@pytest.mark.parametrize("call", wrong_calls().values(), ids=wrong_calls())
def test_errors_of_the_call_itself_end_at_the_call(call):
    ((_, _, entries),) = frames(call)
    assert entries == []


def test_get_concrete_function_ends_at_the_users_line():
    ((_, _, entries),) = frames(lambda: tracefn.function(direct).get_concrete_function(np.ones(3)))
    assert [name for _, _, name in entries] == ["direct"]


def test_what_the_caller_handles_stays_as_it_is():
    f = tracefn.function(lambda x: x + 1)
    f(np.ones(2))

    def handling():
        try:
            direct(np.ones(3))
        except ValueError:
            with tracefn.no_retrace():
                f(np.ones(3))

    raised, handled = frames(handling)
    assert raised[0] is tracefn.errors.RetraceError and [e[2] for e in raised[2]] == ["handling"]
    assert handled[0] is ValueError and [e[2] for e in handled[2]] == ["handling", "direct"]


def test_full_tracebacks_show_all():
    traced = tracefn.function(inverted)
    traced(np.eye(2))
    with tracefn.config.full_tracebacks():
        with pytest.raises(np.linalg.LinAlgError) as raised:
            traced.concrete_functions[0](SINGULAR)
    text = "".join(traceback.format_tb(raised.tb))
    assert "concrete.py" in text and "in inverted" in text


PROGRAM = """
import numpy as np, tracefn
@tracefn.function(on_unsupported={0!r})
def f(x):
    return x @ np.ones((4, 4))
f(np.ones(3))
"""


@pytest.mark.parametrize("on_unsupported", ["eager", "error"])
def test_a_script_prints_a_few_lines(tmp_path, on_unsupported):
    path = tmp_path / "script.py"
    path.write_text(PROGRAM.format(on_unsupported))
    printed = subprocess.run([sys.executable, path], capture_output=True, text=True).stderr.splitlines()
    assert len(printed) < 12
    assert [text for text in printed if "tracefn/" in text] == []
    assert "    return x @ np.ones((4, 4))" in printed
    assert printed[-2].startswith("ValueError: matmul: Input operand 1 has a mismatch")
    assert printed[-1] == "  matmul of float64[3], float64[4, 4]"


def test_a_derivative_notes_the_types_once():
    with pytest.raises(ValueError) as info:
        tracefn.grad(lambda w, x: ((x @ w) ** 2).sum())(np.ones(3), np.ones((2, 4)))
    assert info.value.__notes__ == ["  matmul of float64[2, 4], float64[3]"]


def filled(x, n):
    for i in range(n):
        x[i] = x.sum()
    return x


def if_positive(x, w):
    if x.sum() > 0:
        x = x @ w
    return x


def rows_if_positive(xs, w):
    for x in xs:
        if_positive(x, w)
    return xs


def over_rows(xs, w):
    total = np.zeros(3)
    for x in xs:
        total = total + x @ w
    return total


def while_small(x, w):
    while x.sum() < 100:
        x = x @ w
    return x


A, MASK = np.ones((3, 2)), np.array([True, False])
WRONG = [  # a function, arguments that it can take, arguments that it cannot, and the note
    (np.linalg.solve, (np.eye(2), np.ones(2)), (SINGULAR, np.ones(2)), "linalg.solve of float64[2, 2], float64[2]"),
    (lambda x, i: x[i], (A, np.int64(1)), (A, np.int64(3)), "indexing of float64[3, 2], int64"),
    (filled, (A, np.int64(3)), (A, np.int64(4)), "item assignment of float64[3, 2], int, float64"),
    (lambda x, m: x[m], None, (A, MASK), "indexing of float64[3, 2], bool[2]"),
    (lambda x, i: x[i], None, (A, np.ones(2)), "indexing of float64[3, 2], float64[2]"),
    (lambda x, y: x + "y", None, (A, A), "add of float64[3, 2], 'y'"),
    (lambda x, y: y**-1, None, (A, np.arange(3)), "pow of int64[3], -1"),
    (lambda x, y: x.__setitem__(0, y), None, (A, np.ones(3)), "item assignment of float64[3, 2], float64[3]"),
    (if_positive, (-A, A), (A, A), "matmul of float64[3, 2], float64[3, 2]"),
    (rows_if_positive, (-A, A), (A, A), "matmul of float64[2], float64[3, 2]"),
    (over_rows, None, (np.ones((200, 2)), np.ones((5, 3))), "matmul of float64[2], float64[5, 3]"),
    (while_small, None, (np.ones(2), A), "matmul of float64[2], float64[3, 2]"),
]


@pytest.mark.parametrize(
    ("f", "works", "fails", "note"), WRONG, ids=[f"{f.__name__}: {note}" for f, _, _, note in WRONG]
)
def test_errors_note_the_types_that_met(f, works, fails, note):
    def caller(*args):
        return f(*args)

    traced = tracefn.function(caller)
    if works is not None:
        traced(*works)
    for _ in range(2):
        with pytest.raises(Exception) as expected:
            caller(*fails)
        with pytest.raises(type(expected.value)) as info:
            traced(*fails)
        assert str(info.value) == str(expected.value) and info.value.__notes__ == [f"  {note}"]
