"""The printers of a call's checks agree: generated Python, machine code, and the walk that says what differs."""

from __future__ import annotations

import collections
import dataclasses
import inspect
import typing
import weakref
from typing import Any

import numpy as np
import pytest
from tracefn import Variable
from tracefn.codegen.machine.engine import compiled
from tracefn.events import CallCounter
from tracefn.function import guards
from tracefn.runtime.builtin import METH_FASTCALL, METH_KEYWORDS, builtin
from tracefn.runtime.calls import checks as records
from tracefn.runtime.calls import native_checks, python_checks
from tracefn.runtime.calls.checks import AreOne, Arguments, Fits, IsTarget, Lengths
from tracefn.runtime.calls.memory_guards import MemoryGuard
from tracefn.runtime.calls.native_checks import NativeChecks
from tracefn.runtime.calls.target import Target
from tracefn.trace.signature import CallSignature, TensorSpec
from tracefn.trace.signature.call import leaf_spec
from tracefn.trace.state.content import ContentGuard
from tracefn.trace.state.paths import IdentityCapture, Path, ValueCapture
from tracefn.trace.tree import LEAF, flatten

Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Pair:
    left: Any
    right: Any


class Thing:
    pass


VECTOR, THING, VARIABLE, GENERATOR = np.arange(3.0), Thing(), Variable([1.0, 2.0]), np.random.default_rng(1)
MATRIX = np.arange(6.0).reshape(2, 3)
ARGUMENT = Path(("argument", None, "a"))
OTHER = Path(("argument", None, "b"))

VALUES = [None, True, False, ..., 0, 1, 2**70, -1, 1.5, 0.0, -0.0, float("inf"), float("nan"), 2j, "text", b"bytes",
          (1, 2), frozenset({1}), slice(1, 2), np.float32(2), np.int64(1)]  # fmt: skip
LEAVES = [v for v in VALUES if type(v) is not tuple]
SPECS = [*LEAVES, VECTOR, VECTOR.astype(np.float32), np.arange(4.0), MATRIX, MATRIX.T, np.array(1.5), THING, Thing(),
         VARIABLE, Variable([1.0, 2.0, 3.0]), GENERATOR, np.random.RandomState(3), len, Thing]  # fmt: skip
STRUCTURES = [(1, 2), (1, 2, 3), [1, 2], [1],
              {"a": 1, "b": 2}, {"b": 1, "a": 2}, {"a": 1, "z": 1}, Point(1, 2), Pair(1, 2),
              {"a": [1, (2, {"c": 3})]}, {"a": [1, (2, {"d": 3})]}, 7]  # fmt: skip


def target_of(arguments: dict[str, Any], **fields: Any) -> Target:
    signature, _ = CallSignature.of(arguments)
    none: dict[str, Any] = dict.fromkeys(("captures", "capture_specs", "values", "identities", "contents"), ())
    given = {**none, "dim_guards": (), "symbols": {}, "result": LEAF, "result_leaves": (), "outputs": 0}
    return Target(signature, len, CallCounter("f", "f/0"), **{**given, **fields})


def parameters_of(count: int) -> list[inspect.Parameter]:
    return [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in "ab"[:count]]


def native_holds(target: Target, checks: Any, arguments: dict[str, Any]) -> bool:
    """What machine code finds of these checks of a call with these arguments."""
    written = NativeChecks(target, parameters_of(len(arguments)))
    written._bind_arguments()
    written._check(checks)
    writer = written.writer
    code = compiled(writer.module(writer.constant(True)), has_loops=False)
    owned = (lambda *args: False, None, None, None, np.zeros(1, np.int64), *writer.objects)
    return builtin(code, "call", METH_FASTCALL | METH_KEYWORDS, *owned)(*arguments.values()) is True


def python_holds(check: Any, arguments: dict[str, Any]) -> bool:
    """The same by a generated Python function. What cannot be read is no match, as in an entry."""
    values = []
    for subject in records.subjects(check):
        if isinstance(subject, Path):
            values.append(subject.follow(arguments[subject.root[2]]))
        else:
            values.append(list(arguments.values())[subject])
    try:
        return python_checks.check_function(check)(*values) is True
    except (AttributeError, TypeError):
        return False


def walk_holds(target: Target, check: Any, arguments: dict[str, Any]) -> bool:
    now = guards.Now(target.signature, list(arguments.values()))  # each argument is a leaf
    return guards.broken_check(now, check, target) is None


def test_each_check_has_printers():
    kinds = set(typing.get_args(records.Check))
    assert python_checks.PRINTERS.keys() == kinds
    assert native_checks.PRINTERS.keys() <= kinds
    assert guards.WALKS.keys() == kinds - {records.HasParts, AreOne}


@pytest.mark.parametrize("wanted", SPECS, ids=lambda v: f"{type(v).__name__}-{str(v)[:12]}")
def test_leaves_fit_their_specs_alike(wanted):
    target, spec = target_of({"a": wanted}), leaf_spec("a", wanted)
    for value in SPECS:
        call = {"a": value}
        expected = spec.accepts(leaf_spec("a", value))
        assert python_holds(Fits(0, spec), call) is expected, value
        assert native_holds(target, [Fits(0, spec)], call) is expected, value


@pytest.mark.parametrize("spec", [TensorSpec((None,)), TensorSpec((None, 3)), TensorSpec(())])
def test_open_lengths_fit_alike(spec):
    for value in (VECTOR, MATRIX, np.float64(1), np.array(1.5), 1.5, np.zeros((3, 2))):
        expected = spec.accepts(leaf_spec("a", value))
        assert python_holds(Fits(0, spec), {"a": value}) is expected, value
        assert native_holds(target_of({"a": value}), [Fits(0, spec)], {"a": value}) is expected, value


@pytest.mark.parametrize("wanted", STRUCTURES, ids=str)
def test_structures_are_taken_apart_alike(wanted):
    target = target_of({"a": wanted})
    checks = Arguments.of(target.signature, parameters_of(1)).containers
    for value in STRUCTURES:
        expected = not checks or flatten(value, "a")[1] == flatten(wanted, "a")[1]
        assert native_holds(target, checks, {"a": value}) is expected, value
        if len(checks) == 1:
            assert (python_checks.check_function(checks[0])(value) is True) is expected, value


@pytest.mark.parametrize("wanted", VALUES, ids=lambda v: f"{type(v).__name__}-{str(v)[:12]}")
def test_guards_of_values_hold_alike(wanted):
    check, target = ValueCapture(ARGUMENT, wanted), target_of({"a": THING})
    for value in VALUES:
        expected = walk_holds(target, check, {"a": value})
        assert python_holds(check, {"a": value}) is expected, value
        assert native_holds(target, [check], {"a": value}) is expected, value
    assert walk_holds(target, check, {"a": wanted})


@pytest.mark.parametrize(
    ("what", "wanted"),
    [("type", Thing), ("length", 2), ("members", 2), ("keys", ("a", "b")), ("content", frozenset({1, 2})),
     ("items", ((0, 1), (1, 2))), ("lacks", "weight"), ("unset", "weight")],
)  # fmt: skip
def test_guards_of_containers_hold_alike(what, wanted):
    heavy = Thing()
    heavy.weight = 3
    check = ValueCapture(ARGUMENT, wanted, what)
    values = {
        "type": [THING, [1, 2]],
        "length": [[1, 2], [1], (1, 2, 3)],
        "members": [{1, 2}, {1}],
        "keys": [{"a": 1, "b": 2}, {"b": 1, "a": 2}, {"a": 1}],
        "content": [{1, 2}, {1, 3}],
        "items": [[1, 2], [2, 1], [1]],
        "lacks": [THING, heavy],
        "unset": [THING, heavy],
    }[what]
    found = []
    for value in values:
        target = target_of({"a": THING})
        found.append(walk_holds(target, check, {"a": value}))
        assert python_holds(check, {"a": value}) is found[-1], value
        assert native_holds(target, [check], {"a": value}) is found[-1], value
    assert found[0] and not all(found)


def test_objects_and_contents_hold_alike():
    target = target_of({"a": THING})
    checks = [IdentityCapture(ARGUMENT, weakref.ref(THING)), IdentityCapture(ARGUMENT, lambda: THING)]
    checks += [IsTarget(0, weakref.ref(THING), True), IsTarget(0, weakref.ref(THING), False)]
    checks += [ContentGuard(ARGUMENT, VECTOR), ContentGuard(ARGUMENT, VECTOR, described=True)]
    for check in checks:
        found = []
        for value in (THING, Thing(), VECTOR, VECTOR + 1, None, MATRIX):
            expected = walk_holds(target, check, {"a": value})
            assert python_holds(check, {"a": value}) is expected, (check, value)
            assert native_holds(target, [check], {"a": value}) is expected, (check, value)
            found.append(expected)
        assert any(found) and not all(found)


@pytest.mark.parametrize("what", ["same", "distinct", "one", "two", "disjoint", "apart", "view"])
def test_guards_of_memory_hold_alike(what):
    base = np.arange(8.0)
    pairs = [(base, base), (base, base[2:5]), (base[:4], base[4:]), (base, base.copy()), (base[::2], base[1::2])]
    found = []
    for left, right in pairs:
        target = target_of({"a": left, "b": right})
        check = MemoryGuard(what, 0, 1, offset=16, strides=(8,))
        call = {"a": left, "b": right}
        found.append(walk_holds(target, check, call))
        assert python_holds(check, call) is found[-1], call
        assert native_holds(target, [check], call) is found[-1], call
    assert any(found) and not all(found)


@pytest.mark.parametrize("what", ["contiguous", "aligned", "read-only", "strides"])
def test_guards_of_layouts_hold_alike(what):
    frozen = MATRIX.copy()
    frozen.flags.writeable = False
    odd = np.zeros(49, np.uint8)[1:].view(np.float64).reshape(2, 3)
    found = []
    for array in (MATRIX, MATRIX[:, ::-1], frozen, odd):
        target, check = target_of({"a": array}), MemoryGuard(what, 0, strides=(24, 8))
        found.append(walk_holds(target, check, {"a": array}))
        assert python_holds(check, {"a": array}) is found[-1]
        assert native_holds(target, [check], {"a": array}) is found[-1]
    assert any(found) and not all(found)


def test_objects_given_twice_are_seen_alike():
    for same in (True, False):
        for left, right in ((THING, THING), (THING, Thing())):
            call = {"a": left, "b": right}
            expected = (left is right) is same
            assert python_holds(AreOne(0, 1, same), call) is expected
            assert native_holds(target_of(call), [AreOne(0, 1, same)], call) is expected


def test_lengths_compare_alike():
    from tracefn.ir.dims import Dim

    n, m = Dim.symbol("n"), Dim.symbol("m")
    check = Lengths((("==", n, m, True), ("<", n, 4, False)), (("n", 0, 0), ("m", 1, 1)))
    target = target_of({"a": VECTOR, "b": MATRIX}, dim_guards=check.comparisons, symbols={"n": (0, 0), "m": (1, 1)})
    assert next(iter(records.length_checks(target))) == check
    for rows, columns in ((5, 5), (5, 4), (3, 3)):
        call = {"a": np.zeros(rows), "b": np.zeros((2, columns))}
        expected = rows == columns and not rows < 4
        assert walk_holds(target, check, call) is expected
        assert python_holds(check, call) is expected
        assert native_holds(target, [check], call) is expected
