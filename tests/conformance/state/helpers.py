"""What the functions of `reads` call: loops, patterns, generators and classes that read what they are given."""

import contextlib

POSITION = 0


def position():
    return POSITION


def loop(c):
    out = []
    for j, v in enumerate(c):
        out.append((j, v))
        if j == 1:
            break
    return out


def whileloop(c, i):
    n = 0
    while n < len(c) and c[n] != 3:
        n += 1
    return n + i


def dloop(c):
    out = []
    for k in c:
        out.append((k, c[k]))
    return out


def match_(c):
    match c:
        case [a, 2.5, b]:
            return "two", a, b
        case [a, *rest]:
            return "some", a, rest
        case {"a": 1, **rest}:
            return "one", rest
        case {"a": v}:
            return "a", v
        case "abc":
            return "text"
        case int() | float():
            return "number", c
        case None:
            return "none"
        case _:
            return "other"


def unpack(c):
    a, *b = c
    return b, a


def helper(c, i):
    return c[i], c[-1]


def helper1(v):
    if v is None:
        return "none"
    return v


def tryget(c, k):
    try:
        return c[k]
    except KeyError:
        return "missing"


def ln(c):
    n = 0
    for _ in c:
        n += 1
    return n


def rec(c, k):
    return 0 if k >= len(c) else (c[k], rec(c, k + 1))


def gen(c):
    return [*each(c), *(v for v in each(c))]


def each(c):
    for v in c:
        yield v, 1


class Wrapped:
    def __init__(self, c):
        self.c = c

    def first(self):
        return self.c[0], len(self.c)


def cls_(c):
    return Wrapped(c).first()


def kw(a=0, b=0, *rest, z=0, **more):
    return a, b, rest, z, sorted(more, key=str)


def star(a, b):
    return a[0], b[-1], len(a)


def walrus(c):
    if (n := len(c)) > 2:
        return n, c[n - 1]
    return n


def tryit(c):
    try:
        return c[2]
    except IndexError:
        return "short"
    finally:
        c = None


def withit(c):
    with contextlib.suppress(TypeError):
        return c[0] + 1
    return "no"


def numbered(c):
    out = {}
    for n, (k, v) in enumerate(c.items()):
        out[n] = (k, v)
    return out


def push(c, x):
    c.append(x[1])


def fails(c, x):
    c.append(x[0])
    raise ValueError(len(c))


def caught(c, x):
    try:
        c.append(x[0])
        c[0] = x[99]
    except IndexError:
        c.append("caught")
    finally:
        c.append(0)


def loops(c, x):
    total = 0
    for v in x:
        if v > 1:
            c.append(v)
            total += v
    return total


def breaks(c, x):
    for v in x:
        if v > 2:
            break
        c.append(v)
    else:
        c.clear()
    return len(c)


def early(c, x):
    if x.sum() > 8:
        c.append("early")
        return 1
    c.append(x[0])
    return 2


def swap(c):
    c[0], c[1] = c[1], c[0]
    return c[0]


def nested(c, x):
    def inner(v):
        c.append(v)
        return len(c)

    return inner(x[0]), inner(1)


def stack(c, x, i):
    c.append((x[0], i))
    top = c[-1]
    return top[0] + top[1]


def window(c, x):
    c.append(x[0])
    if len(c) > 3:
        c.pop(0)


def setitems(c, pairs):
    for at, v in pairs:
        c[at] = v


def failsd(c, x):
    c["a"] = x[0]
    raise KeyError("a")


def caughtd(c, x):
    try:
        c["a"] = x[0]
        c["missing"] += 1
    except KeyError:
        c["caught"] = True


def memo(c, k, x):
    if k not in c:
        c[k] = x * 2
    return c[k]


def counts(c, x):
    for v in x:
        c[int(v)] = c.get(int(v), 0) + 1
    return len(c)


def move(c):
    for k in list(c):
        c[str(k) + "!"] = c.pop(k)
    return list(c)


def fails1(v):
    raise RuntimeError("no")


def early1(v, x):
    if v is None:
        return x[0]
    return v


def helper2(v, x):
    return [v, x[0]]
