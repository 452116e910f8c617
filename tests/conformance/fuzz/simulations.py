"""Statements of programs that write in place, as simulations have them: buffers that are swapped, stencils, parts by
masks and indices, inner functions, objects that hold arrays, and errors in the middle."""

HELPERS = {
    "Grid": """

class Grid:
    def __init__(self, now, then):
        self.now, self.then = now, then

    def step(self):
        self.then[1:] = self.now[:-1] * 0.5
        self.now, self.then = self.then, self.now

    def total(self):
        self.now[0] -= 1
        return self.now.sum()
""",
    "halves": """

def halves(t):
    yield t[:2]
    yield t[2:]
""",
    "stepped": """

def stepped(t, out=None):
    if out is None:
        out = np.empty_like(t)
    out[0] = t[-1]
    out[1:] = t[:-1]
    return out
""",
    "checked": """

def checked(t, limit):
    t += 1
    if t.max() > limit:
        raise ValueError("too large")
    t *= 2
    return t
""",
}
"""What programs call."""


class Simulations:
    """Statements with the names of a program, which chooses them: see `aliasing.Program`."""

    def _simulated(self):
        a = self._array()
        shape = self._names[a]
        b, c = self._of(shape), self._of(shape)
        index = f"k{self._depth}"
        lines = [
            f"{a}[{b} > {self._limit()}] {self._choose('+-*')}= {c}[{b} > {self._limit()}]",
            f"{index} = {b} > {self._limit()}\n{a}[{index}] -= {c}[{index}]\n{a}[~{index}] = 0",
            f"{a}[np.nonzero({b} > {self._limit()})] = {self._scalar()}",
            f"{a}[np.argmax({b}) % 4] *= 2",
            f"np.add.at({a}, [0, 1, 1], {self._scalar()})",
            f"np.subtract.at({a}, {self._choose(('m', '[m, 0]', '(1,)'))}, 1)",
            f"np.maximum.at({a}, [2, 0, 2], {self._scalar()})",
            f"{a}.put([1, 3], [{self._scalar()}, 2])",
            f"np.place({a}, {b} > {self._limit()}, [1, 2])",
            f"np.put_along_axis({a}, np.argmax({b}, axis=-1, keepdims=True), 9, axis=-1)",
            f"{a}.ravel()[{self._number(0, 4)}] = {self._scalar()}",
            f"{a}.reshape(-1)[::2] -= 1",
            f"{a}.flat = {b}",
            f"{a}.flat[::3] = {self._scalar()}",
            f"{a}.partition(2)",
            f"{a}[0] = {a}[-1] = {self._scalar()}",
            f"({a} if {self._condition()} else {b})[0] = {self._scalar()}",
            f"{a}[1:-1] = ({a}[2:] + {a}[:-2]) / 2",
            f"{a}[::2], {a}[1::2] = {self._scalar()}, {self._scalar()}",
            f"for each in ({a}, {b}):\n    each[1:] -= each[:-1]",
            f"for each, other in zip(({a}, {b}), ({c}, {a})):\n    each += other",
            f"for part in halves({a}):\n    part += 1",
            f"for {index} in range(3):\n    {a}[{index}::2] *= 0.5",
            f"first, *_, last = {a}\n{a}[1] = first + last",
            f"np.subtract({a}[1:], {a}[:-1], out={a}[1:])",
            f"np.sqrt(np.abs({a}), out={a}, where={b} > 0)",
            f"[each.fill(1) for each in ({a}[:1], {b}[1:])]",
            f"with np.errstate(all='ignore'):\n    {a} /= {b}\n    {a}[~np.isfinite({a})] = 0",
            f"if (top := {a}.max()) > {self._limit()}:\n    {a} -= top",
            f"np.round({a}, 1, out={a})",
            f"{a}.__setitem__(0, {self._scalar()})",
        ]
        if len(shape) == 2:
            z = self._of((5,))
            lines += [
                f"{a}[1:-1, 1:-1] = ({a}[2:, 1:-1] + {a}[:-2, 1:-1] + {b}[1:-1, 2:] + {b}[1:-1, :-2]) / 4",
                f"{a}[::2, 1::2] += {b}[1::2, ::2][:, :2]",
                f"{a}[1:, ::-1] -= {b}[:-1]",
                f"{a}[:, [0, 2]] = {a}[:, [2, 0]]",
                f"{a}[..., -1] = {a}[..., 0]",
                f"{a}[None][0, 1] = {z}",
                f"{a}.T[...] = {b}.T",
                f"{a}.T[1:, ::2] *= 2",
                f"{a}.reshape(2, 10)[1] = {self._scalar()}",
                f"{a}.reshape(2, 2, 5)[:, 0] -= {z}",
                f"{a}.swapaxes(0, 1)[0] += 1",
                f"np.add.at({a}, ([0, 1, 1], [2, 2, 2]), {self._scalar()})",
                f"np.add.at({a}, (slice(None), [0, 0]), 1)",
                f"np.einsum('ii->i', {a}[:, :4])[:] = 1",
                f"np.add.accumulate({a}, axis=0, out={a})",
                f"{a}.sum(axis=0, out={z})",
                f"np.dot({a}.T, {b}, out=np.empty((5, 5)))",
                f"for row in {a}:\n    row -= row.mean()",
                f"for row in {a}[::2]:\n    row[:] = {z}",
                f"for {index}, (row, other) in enumerate(zip({a}, {b}[::-1])):\n    row += other * {index}",
                f"for row in {a}:\n    for {index} in range(1, 5):\n        row[{index}] -= row[{index} - 1]",
                f"top, *_, bottom = {a}\ntop += bottom\nbottom[0] = 0",
                f"[row.sort() for row in {a}]",
                f"list(map(np.ndarray.sort, {a}))",
                f"for row in {a}:\n    if row.max() > {self._limit()}:\n        break\nelse:\n    {a} *= 2",
                f"rows = list({a})\nrows[0] += rows[-1]\nrows.reverse()\nrows[0][0] = 5",
                f"np.rot90({a}[:, :4])[0] = 1",
                f"np.split({a}, 2)[1][0] = {self._scalar()}",
                f"np.vsplit({a}, 2)[0][...] -= 1\nnp.moveaxis({a}, 0, 1)[2] = 0",
            ]
        else:
            lines += [
                f"{a}[{a}.argsort()] = {b}",
                f"{a}[1:][{a}[1:] > {self._limit()}] -= 1",
                f"{a}[:, None][0] = {self._scalar()}",
                f"{a}.resize(5)",
                f"np.convolve({a}, [1, 2], 'same', )[0:1].fill(2)",
            ]
        return self._choose(lines).splitlines()

    def _swapped(self):
        """Rounds that write one buffer from another and swap the two."""
        a = self._array()
        shape = self._names[a]
        b = self._choose([n for n, s in self._names.items() if s == shape and n != a] or [a])
        steps = [
            f"{b}[1:] = {a}[:-1] + 1",
            f"np.multiply({a}, 0.5, out={b})",
            f"{b}[...] = {a}[::-1]",
            f"{b} = stepped({a}, {b})",
            f"{b} = stepped({a})",
            f"{b} -= {a}",
            f"{a}[0] = {b}[-1]",
            f"np.copyto({b}, {a}, where={a} > {self._limit()})",
        ]
        lines = [self._choose(steps) for _ in range(self._number(1, 2))]
        if self._chance(0.3):
            lines += [f"if {self._condition()}:", "    break"]
        lines.append(f"{a}, {b} = {b}, {a}")
        if self._chance(0.2):
            lines += [f"if {self._condition()}:", "    continue", f"{a}[0] = 0"]
        return [f"for _ in range({self._choose('23mn')}):", *_inside(lines)]

    def _endless(self):
        """A loop that only a `break` or `return` leaves."""
        around, self._in_loop = self._in_loop, True
        index = "i" if not around else "j"
        leave = [f"    if {index} > {self._choose('23m')}:", "        break"]
        if self._chance(0.3):
            leave += [f"    if {self._condition()}:", f"        {self._choose(('break', self._return(False)))}"]
        block = self._block()
        inner = leave + block if self._chance(0.5) else [f"    if {index} > 6:", "        break", *block, *leave]
        self._in_loop = around
        return [f"{index} = 0", "while True:", f"    {index} += 1", *inner]

    def _nested(self):
        """A function inside, which writes into arrays around it, and perhaps gives their names others."""
        a = self._array()
        b = self._of(self._names[a])
        name = f"step{self._number(0, 1)}"
        kinds = (
            [f"def {name}():", f"    {a}[0] = {self._scalar()}"],
            [f"def {name}():", f"    nonlocal {a}", f"    {a} = {a} + 1", f"    {a}[0] = {b}[1]"],
            [f"def {name}(t={b}):", f"    {a}[1:] -= t[1:]", "    t[0] = 2"],
            [f"def {name}():", f"    if {self._condition()}:", "        return", f"    {a}[...] = {b}"],
            [f"{name} = lambda: {a}.fill(2)"],
            [f"def {name}():", f"    for row in {a}:", "        row -= 1"],
        )
        lines = self._choose(kinds)
        if "nonlocal" in "".join(lines):  # only of a function around it
            if a not in self._names or self._depth:
                return self._own()
        uses = ([f"{name}()"], [f"for _ in range({self._choose('2m')}):", f"    {name}()"])
        uses += ([f"if {self._condition()}:", f"    {name}()"], [f"{a} = {a} * 2", f"{name}()"])
        return [*lines, *self._choose(uses)]

    def _held(self):
        """An object that holds two arrays."""
        a = self._array()
        b = self._of(self._names[a])
        kinds = (
            ["grid.step()"],
            [f"for _ in range({self._choose('2m')}):", "    grid.step()"],
            ["grid.now -= 1", "grid.then = grid.then * 2", "grid.then[0] = 1"],
            ["for _ in range(9):", "    if grid.total() < 10:", "        break", "    grid.now *= 0.5"],
            [f"if {self._condition()}:", "    grid.now, grid.then = grid.then, grid.now", "grid.now[0] = 4"],
        )
        lines = [f"grid = Grid({a}, {b})", *self._choose(kinds)]
        return [*lines, f"{a} = grid.{self._choose(('now', 'then'))}"] if self._chance(0.5) else lines

    def _guarded(self):
        """Writes under `try`, some of which may fail after others."""
        a = self._array()
        limit = self._limit()
        kinds = ["try:", *self._block(), "finally:", f"    {a}[0] = 6"]
        failing = self._choose(
            (
                f"checked({a}, {limit})",
                f"{a}[:2] = {self._array()}[:3]",
                f"{a}[{self._choose(('m', '2', 'm + 2'))}] = 3",
                f"{a}[0] = 1 / {self._choose(('m', 'n', '2'))}",
                f"if {self._condition()}:\n    raise ValueError",
                f"assert {self._condition()}\n{a}[1] = 2",
                f"for row in {a}:\n    if row.max() > {limit}:\n        raise IndexError('row')\n    row += 1",
            )
        )
        if self._chance(0.15):
            return failing.splitlines()
        if self._chance(0.4):
            return kinds
        error = self._choose(("(ValueError, IndexError, ZeroDivisionError, AssertionError)", "ValueError", "Exception"))
        lines = ["try:", *_inside(failing.splitlines()), f"except {error}:", *self._block()]
        if self._chance(0.3):
            lines += ["else:", f"    {a} -= 1"]
        return [*lines, "finally:", f"    {a}[-1] *= 2"] if self._chance(0.2) else lines


def _inside(lines):
    return [f"    {line}" for line in lines]
