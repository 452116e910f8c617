"""Structured arrays: what a traced function returns, and leaves in its arguments."""

import copy

import numpy as np
import pytest
import tracefn
from numpy.lib import recfunctions
from tracefn.errors import InPlaceWriteError, UnsupportedArgumentError, UnsupportedFunctionError

PARTICLE = np.dtype([("x", float), ("v", float, (2,)), ("n", np.int32)])
P = np.zeros(4, PARTICLE)
P["x"], P["v"], P["n"] = np.arange(4), np.arange(8).reshape(4, 2), [7, 2, 7, 1]


def outcome(function, p):
    try:
        return function(p)
    except Exception as error:
        return error


def step(p):
    p["x"] += 0.1 * p["v"].sum(axis=1)
    p["v"][:, 0] *= -1
    return p[["x", "n"]], p[p["n"] > 2]


def elements(p):
    p[0]["x"] = 5.0
    p[1] = p[0]
    i = np.argmax(p["x"])
    return p[1], p[i]["x"], p["x"][i], p[i]["v"]


def each(p):
    total = 0.0
    for r in p:
        r["x"] += 1
        r["v"][:] = r["x"]
        total += r["x"]
    return total


def tuples(p):
    p[0] = (1.0, [1, 2], 3)
    p[1] = (p["x"].sum(), p["v"][0], 3)
    p[p["n"] == 7] = (p["x"][0], [1, 2], p["n"].max())
    p[["n", "x"]] = (1, 2.0)
    return p


def made_inside(p):
    q = np.zeros(len(p), p.dtype)
    q["x"] = p["x"][::-1]
    r = np.empty(2, dtype=[("a", int), ("b", float)])
    r["a"], r["b"] = p["n"][:2], 3
    s = np.array([(1.0, 2), (3.0, 4)], dtype=[("a", float), ("b", int)])
    s["a"] += p["x"][0]
    return q, r, s


def compared(p):
    return p == p[0], p != p, p[0] == p[1], p["n"] == 7


def copies(p):
    q, r = p.copy(), p[2].copy()
    q[0]["x"], r["x"] = -2, -1
    return q, r


def as_a_whole(p):
    return np.sort(p, order=["n", "x"]), np.unique(p["n"]), np.concatenate([p, p[::-1]]), np.roll(p, 1), p.reshape(2, 2)


def staged(p):
    i = 0
    while p["x"].sum() < 60:
        p[i % 4]["x"] += 10
        i += 1
    return i


def bytes_and_casts(p):
    return p.view(np.uint8), p.astype([("x", "f4"), ("v", "f4", 2), ("n", "i8")])


def filled(p):
    q = np.zeros(5, p.dtype)
    recfunctions.recursive_fill_fields(p, q)
    recfunctions.assign_fields_by_name(p[:2], q[["x"]][:2])
    return q, recfunctions.apply_along_fields(np.mean, p), recfunctions.rename_fields(p, {"x": "y"})


PROGRAMS = [step, elements, each, tuples, made_inside, compared, copies, as_a_whole, staged, bytes_and_casts, filled]
WRONG = [
    lambda p: p["none"],
    lambda p: p["x", "n"],
    lambda p: p + 1,
    lambda p: p.sum(),
    lambda p: np.equal(p, p),
    lambda p: p.__setitem__(0, (1, 2)),
    lambda p: p["x"].__setitem__(0, "a"),
]


@pytest.mark.parametrize("function", PROGRAMS + WRONG)
def test_a_program_does_what_it_does_without_tracing(function):
    traced = tracefn.function(function)
    for _ in range(2):
        mine, theirs = copy.deepcopy(P), copy.deepcopy(P)
        got, wanted = outcome(traced, mine), outcome(function, theirs)
        assert repr(got) == repr(wanted)
        assert mine.tobytes() == theirs.tobytes()


def test_any_number_of_structures_shares_a_trace():
    traced = tracefn.function(lambda p: p["x"] * p["n"], reduce_retracing=True)
    for n in (4, 3, 2, 1, 0):
        np.testing.assert_array_equal(traced(P[:n]), P["x"][:n] * P["n"][:n])
    assert traced.tracing_count == 2


def test_the_graph_prints_as_python_that_runs():
    aligned = np.zeros(2, np.dtype([("a", "u1"), ("b", float, (2,))], align=True))
    for array in (P, aligned):

        def zeros(p):
            return np.zeros_like(p, dtype=p.dtype)

        concrete = tracefn.function(zeros).get_concrete_function(array)
        namespace = {}
        exec(str(concrete.graph), namespace)
        assert repr(namespace["zeros"](array)) == repr(np.zeros_like(array))


def test_other_fields_are_another_trace():
    traced = tracefn.function(lambda p: p)
    traced(P)
    traced(recfunctions.rename_fields(P, {"x": "y"}))
    assert traced.tracing_count == 2
    assert "{y: float64" in str(traced.explain())


@pytest.mark.parametrize("call", [recfunctions.find_duplicates, lambda p: recfunctions.drop_fields(p, "x")])
def test_what_gives_a_subclass_is_refused(call):
    with pytest.raises(UnsupportedFunctionError, match="recfunctions"):
        tracefn.function(call)(P)


def test_structures_with_objects_and_single_ones_are_refused():
    traced = tracefn.function(lambda p: p)
    with pytest.raises(UnsupportedArgumentError, match="Python objects"):
        traced(np.zeros(2, [("a", object)]))
    with pytest.raises(UnsupportedArgumentError, match="element of a structured array"):
        traced(P[0])
    with pytest.raises(UnsupportedArgumentError, match="raw bytes"):
        traced(np.zeros(2, "V4"))


def test_a_write_into_one_of_two_elements_is_refused():
    def either(p):
        r = p[0] if p["x"].sum() > 1 else p[1]
        r["x"] = 100

    with pytest.raises(InPlaceWriteError):
        tracefn.function(either)(P.copy())
