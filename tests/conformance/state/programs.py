"""Random programs with state, as source text: classes, closures and functions on globals, and the calls of a driver."""

import random

from conformance.state.classes import Class
from conformance.state.execution import DECORATOR, PLAIN, load, outcomes
from conformance.state.functions import Closure, Given, Globals
from conformance.state.kinds import KINDS
from conformance.state.places import Namer

HEADER = '''"""Program {seed} of the generator of programs with state."""

import copy
import itertools
from abc import ABC, abstractmethod
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
from tracefn import function as traced

'''

ARGUMENTS = {
    "vector": ("x3", "x5"),
    "batch": ("b2", "b4"),
    "number": ("np.float64(0.5)", "np.float64(1.5)", "np.float64(-1.0)"),
}
ARRAYS = {
    "x3": "np.array([0.5, -1.0, 2.0])",
    "x5": "np.linspace(-1.0, 2.0, 5)",
    "b2": "np.arange(6.0).reshape(2, 3) - 2",
    "b4": "np.linspace(-1.0, 1.5, 12).reshape(4, 3)",
}
VARIANTS = ("{}", "{}", "{}", "{} * 2", "{} + 1", "-{}", "{} - 1", "{} * 3")
ARGUMENT_CHANGES = ("x3[0] = 1.5", "x5 += 1", "b2[0] = 2", "x3 = x3 + 1")
ENOUGH = 0.6
"""How many of the steps of a program must not raise: others say little."""


def programs(seed):
    """The source of a program. `STEPS` are the calls that drive it, and what is changed between them."""
    for attempt in range(20):
        program = _Program(random.Random(f"{seed}/{attempt}"), seed)
        if program.says_something():
            return program.source
    return program.source


def tags(seed):
    """What a program is made of: kinds of state with the template of each statement, and idioms."""
    for attempt in range(20):
        program = _Program(random.Random(f"{seed}/{attempt}"), seed)
        if program.says_something():
            break
    return program.tags


class _Program:
    def __init__(self, rng, seed):
        self._rng = rng
        namer = Namer(rng)
        units = []
        outer = []
        for make in self._kinds():
            unit = make(rng, namer, outer).build()
            outer = [*outer, *unit.places] if make is Globals else outer
            units.append(unit)
        self.tags = [tag for unit in units for tag in unit.tags]
        dtype = rng.choices(("", ".astype(np.float32)", ".astype(int)"), (88, 6, 6))[0]
        steps = self._steps(units)
        text = "\n".join(steps)
        lines = [
            f"{name} = ({made}){dtype}" if dtype else f"{name} = {made}"
            for name, made in ARRAYS.items()
            if name in text
        ]
        lines += ["", *(line for unit in units for line in unit.top), ""]
        lines += [line for unit in units for line in unit.code]
        lines += ["", "STEPS = [", *(f"    {step!r}," for step in steps), "]", ""]
        self.source = HEADER.format(seed=seed) + "\n".join(lines)

    def _kinds(self):
        first = self._rng.choices((Class, Globals, Closure, Given), (60, 18, 12, 10))[0]
        if self._rng.random() < 0.15:
            return [Globals, Class if first is Globals else first]
        return [first]

    def _steps(self, units):
        rng = self._rng
        calls = [call for unit in units for call in unit.calls]
        changes = [change for unit in units for change in unit.changes if change[1]]
        changes += [(None, change) for change in ARGUMENT_CHANGES if rng.random() < 0.05]
        steps = []
        for _ in range(rng.randint(9, 14)):
            call, shape = rng.choice(calls)
            if "{x}" in call:
                argument = rng.choice(VARIANTS).format(rng.choice(ARGUMENTS[shape]))
                call = call.replace("{x}", argument)
            steps.append(f"r = {call}")
            if rng.random() < 0.05 and shape in ("vector", "batch"):
                steps.append("r = 0 if r is None else r * 2")
            if changes and rng.random() < 0.3:
                steps += self._change(*rng.choice(changes))
        return steps

    def _change(self, place, text):
        if place is None:
            return [part.strip() for part in text.split("; ")]
        if not KINDS[place.kind].change:
            return []
        change = self._rng.choice(KINDS[place.kind].change).replace("<f>", place.outside)
        return [change]

    def says_something(self):
        """Whether most of the steps run."""
        module, calls = load(self.source.replace(DECORATOR, PLAIN), "state_draft", "<draft>")
        if isinstance(calls, Exception):
            raise AssertionError(f"a program of the generator does not run:\n{self.source}") from calls
        returned = [value[0] == "returned" for _, value in outcomes(module, calls)]
        return sum(returned) >= ENOUGH * len(returned)
