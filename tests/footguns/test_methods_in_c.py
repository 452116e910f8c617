"""Methods in C with effects, called by another name or by Python's own code: at each call, as in eager code."""

import collections
import functools
import io
import itertools
import operator
import queue
import random
import string
import struct

import numpy as np
import pytest
import tracefn
from tracefn.trace.foreign.held import note


def with_defaults(factory, ask):
    held = collections.defaultdict(factory)
    return lambda x: ask(held) * x


def takes_from_a_queue():
    waiting = queue.SimpleQueue()
    for k in range(4):
        waiting.put(k)
    return lambda x: waiting.get() * x


def counts_in_a_buffer():
    held = bytearray(8)

    def count(x):
        struct.pack_into("<q", held, 0, struct.unpack_from("<q", held)[0] + 1)
        return struct.unpack("<q", held)[0] * x

    return count


def counted(how):
    following = itertools.count().__next__
    return lambda x: how(following) * x


def pops_defaults():
    items = list(range(20))
    held = collections.defaultdict(items.pop)
    return lambda x: held[len(held)] * x + len(items)


def asked_anew(ask):
    def asked(held):
        found = ask(held)
        held.clear()
        return found

    return asked


class Counting(dict):
    count = 0

    def __missing__(self, key):
        self.count += 1
        return self.count


def counts_what_is_missing():
    held = Counting()
    return lambda x: sum(map(held.__getitem__, [5, 6])) * x


def sends():
    def summed():
        total = 0
        while True:
            total += yield total

    following = summed()
    next(following)
    send = following.send
    return lambda x: send(1) * x


PROGRAMS = {
    "factory draws": lambda: with_defaults(random.Random(0).random, lambda held: held[len(held)]),
    "factory pops": pops_defaults,
    "factory counts": lambda: with_defaults(itertools.count().__next__, lambda held: held[len(held)]),
    "item by its method": lambda: with_defaults(itertools.count().__next__, lambda held: held.__getitem__(len(held))),
    "item by a getter": lambda: with_defaults(itertools.count().__next__, asked_anew(operator.itemgetter("a"))),
    "item in a text": lambda: with_defaults(itertools.count().__next__, asked_anew(lambda d: int("{a}".format_map(d)))),
    "item by `%`": lambda: with_defaults(itertools.count().__next__, asked_anew(lambda d: int("%(a)s" % d))),  # noqa: UP031
    "item by a reduction": lambda: with_defaults(
        itertools.count().__next__, asked_anew(lambda d: functools.reduce(operator.getitem, ["a"], d))
    ),
    "item of a template": lambda: with_defaults(
        itertools.count().__next__, asked_anew(lambda d: int(string.Template("$a").substitute(d)))
    ),
    "missing item": counts_what_is_missing,
    "send": sends,
    "next": lambda: counted(lambda following: following()),
    "next in an item": lambda: counted(lambda following: [following(), following()][1]),
    "queue": takes_from_a_queue,
    "buffer": counts_in_a_buffer,
}


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("program", PROGRAMS)
def test_each_call_has_the_effects_once(program):
    traced, eager = tracefn.function(PROGRAMS[program](), on_unsupported="eager"), PROGRAMS[program]()
    xs = [np.float64(k + 1) for k in range(4)]
    assert [traced(x) for x in xs] == [eager(x) for x in xs]


def test_the_state_of_an_object_in_c_is_put_back_where_a_trace_comes_to_nothing():
    held = io.StringIO("first")
    held.read(2)
    notes = note(held, "write")
    held.write("second")
    for put_back in notes:
        put_back()
    assert (held.getvalue(), held.tell()) == ("first", 2)
