"""Statements of programs that write in place, as people write them: rows, columns, parts, containers and helpers."""

HELPERS = {
    "bumped": """

def bumped(t):
    t += 1
    return t
""",
    "bigger": """

def bigger(s, t):
    if s.sum() > t.sum():
        return s
    t[0] = 2
    return t
""",
    "clamped": """

def clamped(t, limit):
    if t.max() > limit:
        t = t * 0.5
    t[t < -limit] = 0
    return t
""",
    "rest_of": """

def rest_of(t):
    t[0] += 1
    return t[1:]
""",
    "exchanged": """

def exchanged(s, t):
    s[0], t[0] = t[0].copy(), s[0].copy()
    return t, s
""",
    "relaxed": """

def relaxed(t, rounds):
    for _ in range(rounds):
        t[1:-1] = 0.5 * (t[2:] + t[:-2])
        t[0] = t[1]
    return t
""",
    "lowered": """

def lowered(t, limit):
    while t.sum() > limit:
        t -= 1
        if t.min() < -20:
            return t
        t = t * 0.5
    return t
""",
}
"""What programs call."""


class Idioms:
    """Statements with the names of a program, which chooses them: see `aliasing.Program`."""

    def _idiom(self):
        a = self._array()
        is_two = len(self._names[a]) == 2
        b, c = self._of(self._names[a]), self._of(self._names[a])
        value = self._scalar()
        lines = [
            f"{a}.flat[{self._number(0, 4)}] = {value}",
            f"{a}.flat[1:4] = 0",
            f"np.add({a}, {b}, out=({a},))",
            f"np.clip({a}, -2, 3, out={a})",
            f"{a}[...] = {b}[::-1]",
            f"{a}[1:] = {a}[:-1]",
            f"{a}[1:] += {a}[:-1]",
            f"{a}[{b} > {self._limit()}] += {value}",
            f"{a}[{a} > {self._limit()}] = {b}[{a} > 0].sum()",
            f"np.putmask({a}, {b} > 0, {c})",
            f"np.put({a}, [0, 3], {value})",
            f"{a}[:] = np.where({a} > {b}, {a}, {c})",
            f"{a}[::-1][0] = {value}",
            f"np.negative({a}, out={a}, where={b} < 0)",
            f"{a}[-1] -= {a}[0]",
            f"{a}.T[0] = {value}",
        ]
        if b in self._names and c in self._names and b != c:
            lines += [f"np.divmod({a}, 3, out=({b}, {c}))", f"np.modf({a}, out=({b}, {c}))"]
        if is_two:
            lines += [
                f"{a}[:, ::2] = {value}",
                f"{a}[:, 1:] -= {a}[:, :-1]",
                f"np.fill_diagonal({a}, {value})",
                f"{a}.sort(axis=0)",
                f"{a}.cumsum(axis=0, out={a})",
                f"{a}[:, 0], {a}[:, 1] = {a}[:, 1].copy(), {a}[:, 0].copy()",
                f"{a}[np.ix_([0, 1], [1, 3])] = {value}",
                f"{a}[np.arange(4), [0, 1, 2, 3]] += 1",
                f"{a}[[0, 2], 1:] *= 2",
                f"{a} -= {a}.mean(axis=0)",
                f"{a}[:] = {self._of((5,))}",
                f"{a}[m] = {self._of((5,))}",
                f"{a}.T[1:3] -= 1",
            ]
        else:
            lines += [
                f"np.add.at({a}, [0, 1, 1], 1)",
                f"{a}[m] += 1",
                f"{a}[m:] = {value}",
                f"{a}[[4, 0]] = {a}[[0, 4]]",
            ]
        return [self._choose(lines)]

    def _by_rows(self):
        a = self._array()
        if len(self._names[a]) == 1:
            lines = (
                f"for k in range(1, len({a})):\n    {a}[k] += {a}[k - 1]",
                f"for k, value in enumerate({a}):\n    {a}[k] = value * 2",
                f"for k in range(len({a})):\n    if {a}[k] > 2:\n        break\n    {a}[k] = 1",
            )
            return self._choose(lines).splitlines()
        b, z = self._of(self._names[a]), self._of((5,))
        lines = (
            f"for k in range(len({a})):\n    {a}[k, :] -= {z}[k]",
            f"for k in range({a}.shape[0]):\n    {a}[k] = {a}[k] - {a}[k - 1]",
            f"for k in range({a}.shape[1]):\n    {a}[:, k] /= 2",
            f"for row in {a}:\n    row += 1",
            f"for row in {a}:\n    if row[0] > 0:\n        continue\n    row -= 1",
            f"for row in {a}:\n    if row.sum() > 3:\n        break\n    row -= 1",
            f"for row, other in zip({a}, {b}):\n    row += other",
            f"for column in {a}.T:\n    column[1:] = column[0]",
            f"for k in range(4):\n    for l in range(5):\n        {a}[k, l] = {a}[k, l] + l",
            f"for k in range(1, 4):\n    {a}[k, 1:] = {a}[k - 1, :-1]",
        )
        return self._choose(lines).splitlines()

    def _kept(self):
        """Arrays in a dict, or parts of them in a list."""
        a = self._array()
        shape = self._names[a]
        b = self._of(shape)
        made, kinds = self._choose(
            (
                (
                    f'held = {{"k": {a}, "l": {b}}}',
                    (
                        'held["k"] -= 1',
                        'held["k"] = held["k"] + 1\nheld["k"][0] = 2',
                        "for each in held.values():\n    each += 1",
                        'held["l"][0] = held["k"][1]',
                        f'{a} = held["l"]',
                        f'held["k"], held["l"] = held["l"], held["k"]\nheld["k"][0] = 1\n{a} = held["k"]',
                    ),
                ),
                (
                    f"parts = [{a}[0], {b}[1:]]",
                    ("parts[0] += 1", "parts[1][0] = 3", "parts[1] -= 1\nparts.reverse()\nparts[0][...] = 2"),
                ),
                (
                    f"stack = [{a}]",
                    (
                        f"stack.append({b})\nstack[-1][0] = 1\n{a} = stack.pop(0)",
                        f"stack += [{b}]\nfor each in stack:\n    each *= 2",
                        f"stack[0] = stack[0] * 2\nstack.append({a})\nstack[1][1:] = 0",
                        f"{a} = {a} + 1\n{a}[0] = 9\nstack[0][1] = 5\n{a} = stack[0]",
                    ),
                ),
                (
                    f"first, *others = {a}, {b}, {b}",
                    ("others[0][0] = 1", "first[0] = 2\nothers[1][1:] = first[1:]", f"{a} = others[1]"),
                ),
            )
        )
        return [made, *self._choose(kinds).splitlines()]

    def _helped(self):
        a = self._array()
        b = self._of(self._names[a])
        lines = [
            f"{a} = relaxed({a}, {self._choose(('2', 'm', 'n'))})",
            f"relaxed({a}, {self._choose(('2', 'm'))})",
            f"{a} = lowered({a}, {self._limit()})",
            f"lowered({a}, {self._limit()})",
            f"{a} = bumped(bumped({a}))",
            f"rest_of({a})[0] = 3",
        ]
        if b in self._names and a != b:
            lines += [f"{a}, {b} = exchanged({a}, {b})", f"exchanged({a}, {b})[0][1] = 1"]
        if self._chance(0.3):
            if "w" not in self._views:
                self._views.append("w")
            lines = [f"w = rest_of({a})", f"w = bumped({a})"]
        return [self._choose(lines)]

    def _searched(self):
        """A loop that may be left, with what happens where it is not."""
        around, self._in_loop = self._in_loop, True
        index = "i" if not around else "j"
        a = self._array()
        stop = [
            f"    if {self._condition()}:",
            *([f"        {a}[0] = 7"] if self._chance(0.4) else []),
            "        break",
        ]
        if self._chance(0.5):
            head = [f"for {index} in range({self._choose(('3', 'm', 'n'))}):"]
        else:
            head = [f"{index} = 0", f"while {index} < {self._choose(('3', 'm'))}:", f"    {index} += 1"]
        block = self._block()
        lines = [*head, *(stop + block if self._chance(0.5) else block + stop)]
        self._in_loop = around
        return [*lines, "else:", *self._block()]
