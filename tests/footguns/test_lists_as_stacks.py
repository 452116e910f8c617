"""Lists as stacks, queues and paths in loops that a traced value decides: sliced, reversed, asked whether they are
empty."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree

ARRAYS = (np.arange(6.0), np.zeros(6), np.array([3.0, 3, 3, 1, 2, 5]), np.array([1.0, 9, 8, 1, 0, 3]))


def slices(x):
    found = []
    for v in x:
        if v > 2:
            found.append(v)
    return found[::-1], found[1:], found[:2], len(found[1:]), found[::2]


def a_path_in_reverse(x):
    path, i = [], len(x) - 1
    while i >= 0 and x[i] < 100:
        path.append(x[i])
        i -= 1
    path.reverse()
    return path, np.array(path)


def indices_in_a_list(x):
    pending, total = list(np.where(x > 2)[0]), np.int64(0)
    while pending:
        j = pending.pop()
        total += j
        if j == 5:
            pending.extend(np.where(x < 2)[0])
            x[j] = -1
    return total, pending


def depth_first(x):
    stack, order = [np.int64(0)], []
    seen = np.zeros(len(x), bool)
    while stack:
        j = stack.pop()
        if seen[j]:
            continue
        seen[j] = True
        order.append(j)
        for n in np.flatnonzero(x > x[j]):
            if not seen[n]:
                stack.append(n)
    return np.array(order), seen, order


def copies(x):
    found = []
    for v in x:
        if v > 1:
            found.append(v)
    other = found[:]
    other.append(x[0])
    return found, other, list(found), found[-1:]


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("function", [slices, a_path_in_reverse, indices_in_a_list, depth_first, copies])
def test_one_trace(function, mode):
    traced = assert_all_agree(function, *[(x,) for x in ARRAYS], jit=mode, precise=True)
    assert traced.tracing_count == 1


def made_in_a_branch(x):
    total = np.int64(0)
    for i in range(len(x)):
        if x[i] < 2:
            continue
        pending = list(np.where(x > x[i])[0])
        if len(pending) < 2:
            continue
        while pending:
            total += pending.pop()
    return total


@pytest.mark.parametrize("mode", ["off", "now"])
def test_lists_that_branches_make(mode):
    def one_or_other(x, t):
        if t > 0:
            pending = list(np.where(x > 1)[0])
        else:
            pending = list(np.where(x < 1)[0])
        total = np.int64(0)
        while pending:
            total += pending.pop()
        return total

    assert_all_agree(made_in_a_branch, *[(x,) for x in ARRAYS], jit=mode, precise=True)
    assert_all_agree(one_or_other, *[(x, np.float64(t)) for x in ARRAYS for t in (1, -1)], jit=mode, precise=True)


class Held:
    def __init__(self):
        self.stack = []


POPPED = {
    "index": lambda held, x: x[held.stack.pop()],
    "a part of an index": lambda held, x: x[held.stack.pop(), :1],
    "a place written into": lambda held, x: x.__setitem__(held.stack.pop(), 5),
    "method": lambda held, x: x.take(held.stack.pop()),
    "comparison": lambda held, x: (held.stack.pop() < (0, 2), x.sum()),
    "membership": lambda held, x: x.sum() * (held.stack.pop() in ((0, 0), (2, 1))),
    "hash": lambda held, x: ({held.stack.pop(): 1}, x.sum()),
    "text": lambda held, x: ("{}-{}".format(*held.stack.pop()), x.sum()),
    "product": lambda held, x: (held.stack.pop() * 2, x.sum()),
    "result": lambda held, x: ([held.stack.pop()], x.sum()),
}


@pytest.mark.parametrize("use", POPPED.values(), ids=POPPED)
def test_tuples_that_are_taken_from_a_list(use):
    """Their numbers, which differ from call to call, are read where the tuple is used as a whole."""
    held, other, traced = Held(), Held(), tracefn.function(use)
    array, copy = np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3)
    for place in [(0, 0), (0, 1), (2, 1), (1, 2), (0, 0), (1, 0)]:
        held.stack, other.stack = [(2, 2), place], [(2, 2), place]
        assert repr(traced(held, array)) == repr(use(other, copy))
        assert held.stack == other.stack
        assert array.tolist() == copy.tolist()


def unpacked_and_an_index(place, x):
    row, column = place
    x[place] += row * column + 1


def summed_and_an_index(place, x):
    return x[place] * sum(place), x[place[1]]


def shown_and_a_key(place, x):
    return f"{place}", {place: x.sum()}, hash(place)


def compared_and_in_parts(place, x):
    return x[0] + place[0], place < (1, 1), place == (0, 1), place in ((0, 0), (2, 1))


def an_array_and_a_result(place, x):
    return place, np.array(place) + x[place]


@pytest.mark.parametrize("way", ["attribute", "list", "dict", "nested"])
@pytest.mark.parametrize(
    "use", [unpacked_and_an_index, summed_and_an_index, shown_and_a_key, compared_and_in_parts, an_array_and_a_result]
)
def test_tuples_that_are_used_in_parts_and_as_a_whole(use, way):
    """Their numbers are those of each call in both."""
    ways = {
        "attribute": lambda held, x: use(held.place, x),
        "list": lambda held, x: use(held.stack.pop(), x),
        "dict": lambda held, x: use(held.places["here"], x),
        "nested": lambda held, x: use(held.pair[1], x),
    }
    held, other, traced = Held(), Held(), tracefn.function(ways[way])
    array, copy = np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3)
    for place in [(0, 0), (0, 1), (2, 1), (1, 2), (0, 0), (1, 0), (2, 2)]:
        for h in (held, other):
            h.stack, h.place, h.places, h.pair = [(2, 2), place], place, {"here": place}, ("at", place)
        assert repr(traced(held, array)) == repr(ways[way](other, copy))
        assert array.tolist() == copy.tolist()


def an_item_and_an_index(held, x):
    x[held.stack] += held.stack[0] + 1


def an_item_and_a_part_of_an_index(held, x):
    return x[:, held.stack] * held.stack[0], x[held.stack, :1]


def an_item_that_changes_and_a_method(held, x):
    taken = x.take(held.stack)
    held.stack[0] = (held.stack[0] + 1) % 3
    return taken


def an_item_that_changes_and_an_index(held, x):
    taken = x[held.stack]
    held.stack[0] = (held.stack[0] + 1) % 3
    return taken


def an_item_and_comparisons(held, x):
    y, inner = x * held.stack[0], (held.stack, 1)
    return y, held.stack == [0, 1], held.stack < [1, 1], held.stack in [[0, 1], [1, 2]], inner <= ([1, 2], 1)


def an_item_and_operators(held, x):
    y = x * held.stack[0]
    return y, held.stack + [1], held.stack * 2, x[:, :2] @ held.stack, held.stack + held.stack


def an_item_and_operators_in_place(held, x):
    y, added = x * held.stack[0], [5]
    added += held.stack
    x[1:, :2] += held.stack
    return y, added


@pytest.mark.parametrize(
    "use",
    [
        an_item_and_comparisons,
        an_item_and_operators,
        an_item_and_operators_in_place,
        an_item_and_an_index,
        an_item_and_a_part_of_an_index,
        an_item_that_changes_and_a_method,
        an_item_that_changes_and_an_index,
    ],
)
def test_lists_that_are_used_in_parts_and_as_a_whole(use):
    """Calls of NumPy and operators that are given such a list read its numbers unseen."""
    held, other, traced = Held(), Held(), tracefn.function(use)
    array, copy = np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3)
    for place in [(0, 0), (0, 1), (2, 1), None, None, (1, 2), (0, 1), (1, 0), (2, 2), None]:
        for h in (held, other):
            h.stack = h.stack if place is None else list(place)
        assert repr(traced(held, array)) == repr(use(other, copy))
        assert held.stack == other.stack
        assert array.tolist() == copy.tolist()


class Link:
    def __init__(self, following):
        self.following = following


def test_a_list_that_grows_beside_a_long_chain():
    """A result is searched for the containers that the call has made, however deep it is."""
    chain = None
    for _ in range(3000):
        chain = Link(chain)

    def grown(items, x):
        made = [5]
        made += items
        return made, x * 2, chain

    traced = tracefn.function(grown)
    for items in ([1.0], [2.0], [3.0]):
        made, doubled, found = traced(items, np.float64(items[0]))
        assert (made, doubled) == ([5, *items], 2 * items[0])
        assert found is chain
