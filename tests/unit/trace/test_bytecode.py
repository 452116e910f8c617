"""Instructions are what `dis` says they are."""

import argparse
import dis
import inspect
import re
import types

import numpy as np
import pytest
from tracefn.trace.code.bytecode import instructions
from tracefn.trace.state.reads import reads_of


def _codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


PAIR = re.compile("((?:LOAD|STORE)_FAST(?:_BORROW)?)_((?:LOAD|STORE)_FAST(?:_BORROW)?)")


def _apart(listing):
    """(name, what it is about) of each instruction, and of both that one is made of since Python 3.13."""
    for instruction in listing:
        if pair := PAIR.fullmatch(instruction.opname):
            yield from zip(pair.groups(), instruction.argval, strict=True)
        else:
            yield instruction.opname, _expected(instruction)


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
        listing = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "EXTENDED_ARG")]
        expected, found = list(_apart(listing)), list(instructions(code))
        assert [name for name, _ in found] == [name for name, _ in expected]
        for (_, argument), (_, said) in zip(found, expected, strict=True):
            if said is not None:
                assert argument is said or argument == said


def test_names_far_down_need_extended_arguments():
    names = [f"x{i}" for i in range(300)]
    code = compile("\n".join(names), "<names>", "exec")
    assert [argument for name, argument in instructions(code) if name == "LOAD_NAME"] == names


def test_a_subscript_is_one_in_every_version():
    code = compile("a[0]", "<subscript>", "eval")
    assert {("BINARY_SUBSCR", 0), ("BINARY_OP", "[]")} & set(instructions(code))


def test_variables_that_one_instruction_stores_and_loads_are_two():
    def swapped(self, i, x):
        a, b = x, i
        return self[i], a, b

    found = list(instructions(swapped.__code__))
    loaded = [v for name, v in found if name.startswith("LOAD_FAST")]
    assert loaded == ["x", "i", "self", "i", "a", "b"]
    assert sorted(v for name, v in found if name == "STORE_FAST") == ["a", "b"]
    reads = {(read.name, read.steps) for read in reads_of(swapped.__code__).reads}
    assert reads == {("self", ()), ("i", ()), ("x", ())}


def test_a_variable_that_is_loaded_after_a_store_is_not_stored():
    def counted(self, key):
        key = key + 1
        self.asked = self.asked + key
        return self.get(key)

    reads = {(read.name, read.steps) for read in reads_of(counted.__code__).reads}
    assert {("self", (("attr", "asked"),)), ("self", (("attr", "get"),))} <= reads
