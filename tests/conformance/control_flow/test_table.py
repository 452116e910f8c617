"""The table of control flow: each program on each kind of input gives what eager Python gives, errors included."""

import numpy as np
import pytest
import tracefn
from conformance.control_flow.programs import OF_A_NUMBER, OF_AN_ARRAY, OF_ELEMENTS
from roundings import ON_MACHINE_CODE
from tracefn import TensorSpec, Variable
from tracefn.data import Dataset

NUMBERS = (4, 1, 7, 12)
SEQUENCES = ([1.0, 2.5, -3.0, 4.0], [-1.0], [0.5, 0.25], [2.0, -1.0, 3.0, 5.0, 1.0, -2.0] * 8)


def outcome(function, *args):
    """What a call gives: ('value', the result) or ('error', type, text)."""
    try:
        return "value", function(*args)
    except Exception as error:
        return "error", type(error), str(error)


def assert_same(got, expected, texts=True):
    """Equal values and errors; Python numbers may come back as NumPy's where a traced loop or branch made them."""
    assert got[0] == expected[0], (got, expected)
    if got[0] == "error":
        assert got[1] is expected[1] and (not texts or got[2] == expected[2])
    else:
        leaves = zip(flat(got[1]), flat(expected[1]), strict=True)
        for mine, theirs in leaves:
            np.testing.assert_allclose(mine, theirs, rtol=1e-13 if ON_MACHINE_CODE else 1e-15)


def flat(value):
    return [leaf for part in value for leaf in flat(part)] if isinstance(value, tuple) else [value]


NUMBER_KINDS = {
    "python": lambda n: n,
    "scalar": np.int64,
    "0-d array": np.array,
    "variable": lambda n: Variable(n, dtype=np.int64),
}


@pytest.mark.parametrize("kind", NUMBER_KINDS)
@pytest.mark.parametrize("program", OF_A_NUMBER, ids=lambda p: p.__name__)
def test_a_number(program, kind):
    traced = tracefn.function(program)
    for n in NUMBERS:
        # a Variable works as the array it holds, but shows as a Variable in the text of an error
        expected = outcome(program, NUMBER_KINDS["0-d array" if kind == "variable" else kind](n))
        assert_same(outcome(traced, NUMBER_KINDS[kind](n)), expected, texts=kind != "variable")
    assert kind == "python" or traced.tracing_count == 1


@pytest.mark.parametrize("program", OF_A_NUMBER, ids=lambda p: p.__name__)
def test_a_symbolic_dimension(program):
    def of_the_length(x):
        return program(x.shape[0])

    traced = tracefn.function(of_the_length, input_signature=[TensorSpec((None,), float)])
    for n in NUMBERS:
        assert_same(outcome(traced, np.zeros(n)), outcome(of_the_length, np.zeros(n)))


ELEMENT_KINDS = {
    "list": list,
    "array": np.array,
    "variable": Variable,
    "dataset": lambda values: Dataset.from_tensor_slices(np.array(values)),
}


@pytest.mark.parametrize("kind", ELEMENT_KINDS)
@pytest.mark.parametrize("program", OF_ELEMENTS, ids=lambda p: p.__name__)
def test_elements(program, kind):
    traced = tracefn.function(program)
    for values in SEQUENCES:
        eager = values if kind == "list" else np.array(values)
        assert_same(outcome(traced, ELEMENT_KINDS[kind](values)), outcome(program, eager))


@pytest.mark.parametrize("program", OF_ELEMENTS + OF_AN_ARRAY, ids=lambda p: p.__name__)
def test_elements_of_unknown_number(program):
    traced = tracefn.function(program, input_signature=[TensorSpec((None,), float)])
    for values in (*SEQUENCES[::-1], []):
        if len(values) or program in OF_ELEMENTS:
            assert_same(outcome(traced, np.array(values)), outcome(program, np.array(values)))


@pytest.mark.parametrize("kind", ["array", "variable"])
@pytest.mark.parametrize("program", OF_AN_ARRAY, ids=lambda p: p.__name__)
def test_an_array(program, kind):
    traced = tracefn.function(program)
    for values in SEQUENCES:
        assert_same(outcome(traced, ELEMENT_KINDS[kind](values)), outcome(program, np.array(values)))
    assert traced.tracing_count == len(SEQUENCES)


@pytest.mark.parametrize("program", OF_ELEMENTS, ids=lambda p: p.__name__)
def test_a_graph_over_a_dataset_does_not_grow(program):
    sizes = {
        len(tracefn.function(program).get_concrete_function(Dataset.from_tensor_slices(np.arange(float(n)))).graph)
        for n in (3, 300)
    }
    assert len(sizes) == 1
