"""Every pass keeps the graph valid and its results the same to the bit, and does what it is for."""

import numpy as np
import pytest
import tracefn
from tracefn.ir.evaluate import evaluate
from tracefn.ir.verify import verify
from tracefn.passes.algebra import simplify
from tracefn.passes.fold import fold_constants
from tracefn.passes.merge import drop_dead, merge_common
from tracefn.passes.pipeline import PASSES, optimize
from tracefn.passes.repeated import without_repeats

SPECIAL = np.array([0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan])
COMPLEX = np.zeros(7, complex)
COMPLEX.imag[:] = SPECIAL[::-1]
COMPLEX.real[:] = SPECIAL


def traced(function, *args):
    return tracefn.function(function).get_concrete_function(*args).traced_graph


def ops(graph):
    return [n.op.name for n in graph if not n.is_leaf]


PROGRAMS = {
    "neutral": lambda x: ((x * 1 - 0) / 1) ** 1 + 0 * x,
    "not neutral": lambda x: (x + 0, 0 - x, x + 0.0, x - 0.0, x * 1.0, 1 / x, x - (-0.0)),
    "involutions": lambda x: (np.negative(-x), ~~(x > 0), np.logical_not(np.logical_not(x > 1)), abs(abs(x))),
    "views": lambda x: (x.reshape(7, 1).T.T, x[None, :, None].transpose(2, 0, 1).transpose(1, 2, 0), x.reshape(7)),
    "same": lambda x: (np.maximum(x, x), np.minimum(x, x), np.where(x > 0, x, x), x.copy(), np.real(x), x.conj()),
    "casts": lambda x: (x.astype(float), x.astype("f4").astype("f4"), x.astype("f4").astype(float)),
    "common": lambda x: np.tanh(x) + np.tanh(x) * np.tanh(x),
    "constants": lambda x: x + np.arange(7.0) * 2 + np.ones(7).sum(),
    "repeated": lambda x: (
        x * np.broadcast_to(x[0], 7),
        np.broadcast_to(x[0], 7) + 1,
        np.where(x > 0, np.broadcast_to(x[1], 7), x.T),
    ),
    "dead": lambda x: (np.sin(x), x + 1)[1],
    "scalars": lambda x: (x[0] * 1, x[1] + 0, x[2] ** 1, x[3] / 1),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(
    "values", [SPECIAL, SPECIAL.astype("f4"), np.arange(-3, 4), COMPLEX], ids=["f8", "f4", "int", "c16"]
)
@pytest.mark.filterwarnings("ignore:Casting complex")
def test_every_pass_keeps_the_bits(name, values):
    graph = verify(traced(PROGRAMS[name], values))
    with np.errstate(all="ignore"):
        wanted = evaluate(graph, [values])
        for _, run in (*PASSES, ("all", lambda g: optimize(g)[0])):
            got = evaluate(verify(run(graph)), [values])
            for a, b in zip(got, wanted, strict=True):
                assert type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape
                assert a.tobytes() == b.tobytes()


def test_repeated_numbers():
    graph = without_repeats(traced(lambda x: x - np.broadcast_to(np.tanh(x[0, 0]), (2, 2)) * x, np.ones((2, 2))))
    multiply = next(n for n in graph if n.op.name == "multiply")
    assert [n.op.name for n in multiply.inputs] == ["tanh", "input"]
    kept = traced(lambda x: np.broadcast_to(np.tanh(x[0, 0]), (2, 2)) * x[0], np.ones((2, 2)))
    assert without_repeats(kept) is kept


def test_fold_constants():
    graph = fold_constants(traced(lambda x: x + np.sqrt(np.arange(4.0).reshape(2, 2)).T, np.ones((2, 2))))
    assert ops(graph) == ["add"]

    def captured(x):
        return x + weights * 2

    weights = np.ones(2)
    assert ops(fold_constants(traced(captured, np.ones(2)))) == ["multiply", "add"]


def test_a_constant_that_warns_is_not_folded():
    def eager(x):
        return x + tracefn.trace.active.current().record(tracefn.ir.op.by_call(np.log), (np.zeros(2),), {})

    f = tracefn.function(eager)
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            f(np.ones(2))


def test_merge_and_drop():
    graph = traced(lambda x: (np.exp(x), np.sin(x) + np.sin(x), np.cos(x))[1], np.ones(2))
    assert ops(graph) == ["exp", "sin", "sin", "add", "cos"]
    merged = merge_common(graph)
    assert ops(merged) == ["exp", "sin", "add", "cos"]
    assert ops(drop_dead(merged)) == ["sin", "add"]


def test_only_what_is_equal_in_everything_is_merged():
    graph = traced(lambda x: (x + 1.0, x + 2.0, x + 1.0, x + 1, x * 1.0, x + 2.0), np.ones(2))
    merged = merge_common(graph)
    assert [merged.outputs.index(node) for node in merged.outputs] == [0, 1, 0, 3, 4, 1]
    assert len(merged) == len(graph) - 2


def test_a_graph_in_which_nothing_changes_stays_itself():
    graph = traced(lambda x: np.sin(x) + np.cos(x), np.ones(2))
    assert merge_common(graph) is graph and drop_dead(graph) is graph


def test_unused_arguments_stay():
    f = tracefn.function(lambda x, y: x + 1)
    assert len(f.get_concrete_function(np.ones(2), np.ones(3)).graph.inputs) == 2
    np.testing.assert_array_equal(f(np.ones(2), np.ones(3)), [2, 2])


def test_a_number_that_is_reshaped_twice_is_an_array():
    found = tracefn.function(lambda x: np.reshape(x[0] + 1, 1).reshape(()))(np.ones(2))
    assert type(found) is np.ndarray


def test_needed_lengths_stay():
    def eager(x):
        k = np.nonzero(x)[0]
        return np.ones(1).reshape(1) * k.shape[0]

    f = tracefn.function(eager)
    for x in (np.array([0.0, 1, 2]), np.zeros(3)):
        np.testing.assert_array_equal(f(x), eager(x))


def test_identities_that_are_not_exact_are_left():
    graph = traced(lambda x: (x + 0, x * 0, x - x, x / x), np.ones(2))
    assert len(simplify(graph)) == len(graph)


def test_counts_of_every_pass():
    concrete = tracefn.function(lambda x: np.sin(x) * 1 + np.sin(x)).get_concrete_function(np.ones(2))
    assert [p.name for p in concrete.passes] == [name for name, _ in PASSES] + ["separate outputs"]
    assert concrete.passes[0].before == concrete.nodes_before == 5
    assert concrete.passes[-1].after == concrete.nodes_after == 3
    assert all(a.after == b.before for a, b in zip(concrete.passes, concrete.passes[1:], strict=False))


def test_outputs_do_not_share_memory_by_rewriting():
    cases = [
        lambda x: (x + 1, x + 1),
        lambda x: x * 1,
        lambda x: (x.copy(), x),
        lambda x: np.ones(3),
        lambda x: (np.ones(3), np.ones(3)),
        lambda x: (np.positive(x), x.astype(float)),
    ]
    for eager in cases:
        f = tracefn.function(eager)
        x = np.arange(3.0)
        for _ in range(3):
            got, wanted = f(x), eager(x)
            got = got if isinstance(got, tuple) else (got,)
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            arrays, wanted_arrays = [x, *got], [x, *wanted]
            for i in range(len(arrays)):
                for j in range(i):
                    assert np.shares_memory(arrays[i], arrays[j]) == np.shares_memory(
                        wanted_arrays[i], wanted_arrays[j]
                    )
            for a in got:
                np.testing.assert_array_equal(a, wanted[0] if a is got[0] else wanted[1])
                if a is not x:
                    a[:] = -1
            x = np.arange(3.0)


def test_outputs_share_memory_where_eager_does():
    f = tracefn.function(lambda x: (x, x.T, x[1:], x.reshape(-1)))
    x = np.arange(6.0).reshape(2, 3)
    for _ in range(2):
        same, transposed, rows, flat = f(x)
        assert same is x
        assert all(np.shares_memory(x, v) for v in (transposed, rows, flat))


def test_a_list_of_arrays_is_transposed_and_reshaped():
    x = np.arange(3)
    for eager in (lambda x: np.transpose([x, x + 1]), lambda x: np.reshape([x, x + 1], (3, 2))):
        np.testing.assert_array_equal(tracefn.function(eager)(x), eager(x))
