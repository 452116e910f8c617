"""Instructions are what `dis` says they are."""

import argparse
import dis
import inspect
import types

import numpy as np
import pytest
from tracefn.trace.bytecode import instructions


def _codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _expected(instruction):
    """What an instruction is about; None where `dis` does not say, or in its own words."""
    if instruction.opname == "BINARY_OP":
        return instruction.argrepr
    known = instruction.opname == "LOAD_CONST" or instruction.opcode in (*dis.hasname, *dis.haslocal, *dis.hasfree)
    return instruction.argval if known else None


@pytest.mark.parametrize("module", [argparse, inspect, np.lib._npyio_impl, pytest], ids=lambda m: m.__name__)
def test_the_standard_module_tells_the_same(module):
    source = inspect.getsource(module)
    for code in _codes(compile(source, module.__file__, "exec")):
        expected = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "EXTENDED_ARG")]
        found = list(instructions(code))
        assert [name for name, _ in found] == [i.opname for i in expected]
        for (_, argument), instruction in zip(found, expected, strict=True):
            if (said := _expected(instruction)) is not None:
                assert argument is said or argument == said


def test_names_far_down_need_extended_arguments():
    names = [f"x{i}" for i in range(300)]
    code = compile("\n".join(names), "<names>", "exec")
    assert [argument for name, argument in instructions(code) if name == "LOAD_NAME"] == names


def test_a_subscript_is_one_in_every_version():
    code = compile("a[0]", "<subscript>", "eval")
    assert {("BINARY_SUBSCR", 0), ("BINARY_OP", "[]")} & set(instructions(code))
