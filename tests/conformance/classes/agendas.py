"""Programs with an agenda: accounts, events in a queue, parsers, a game, a mixture."""

import dataclasses
import heapq
import itertools
import operator
import re
from dataclasses import dataclass, field
from enum import Enum

import numpy as np


def _raised(call):
    """What a call raises, in words."""
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)


class InsufficientFunds(Exception):
    def __init__(self, need, have):
        super().__init__(f"need {need:.2f}, have {have:.2f}")
        self.need, self.have = (need, have)


class Account:
    _ids = itertools.count(100)
    registry = {}

    def __init__(self, owner, balance=0.0):
        self.id = next(Account._ids)
        self.owner, self._balance = (owner, balance)
        self.history = []
        Account.registry[self.id] = self

    @property
    def balance(self):
        return self._balance

    @balance.setter
    def balance(self, value):
        if value < 0:
            raise InsufficientFunds(-value, self._balance)
        self.history.append(("set", value - self._balance))
        self._balance = value

    def deposit(self, amounts):
        for a in np.atleast_1d(amounts):
            if a <= 0:
                raise ValueError(f"bad amount {a}")
            self.balance += a
        return self.balance

    def withdraw(self, amount):
        try:
            self.balance -= amount
        except InsufficientFunds as e:
            self.history.append(("refused", e.need))
            return False
        else:
            return True
        finally:
            self.history.append(("tried", amount))

    @classmethod
    def total(cls):
        return sum(a.balance for a in cls.registry.values())

    def transfer(self, other, amount):
        before = (self._balance, other._balance)
        try:
            self.balance -= amount
            other.balance += amount
            if other.balance > 1000:
                raise RuntimeError("limit")
        except RuntimeError:
            self._balance, other._balance = before
            raise


a, b = (Account("a"), Account("b", 50.0))


def drive_accounts():
    yield a.deposit(np.array([10.0, 20.0]))
    yield a.deposit(5)
    yield _raised(lambda: a.deposit(np.array([1.0, -2.0, 3.0])))
    yield a.withdraw(np.float64(10))
    yield a.withdraw(1000000.0)
    yield Account.total()
    yield a.transfer(b, 5.0)
    b._balance = 999.0
    yield _raised(lambda: a.transfer(b, 5.0))
    yield (a.balance, b.balance, Account.total())
    yield _raised(lambda: a.transfer(b, 500.0))
    del Account.registry[100]
    yield Account.total()
    yield a.deposit(np.array([1, 2, 3]))
    yield (a.withdraw(np.int64(3)), type(a.balance))
    yield (a.withdraw(np.float32(0.1)), type(a.balance))


@dataclass(order=True)
class Event:
    time: float
    seq: int
    action: object = field(compare=False)
    cancelled: bool = field(default=False, compare=False)


class Simulator:
    def __init__(self):
        self.now, self.queue, self.seq, self.log = (0.0, [], 0, [])

    def schedule(self, delay, action):
        if delay < 0:
            raise ValueError("negative delay")
        e = Event(self.now + delay, self.seq, action)
        self.seq += 1
        heapq.heappush(self.queue, e)
        return e

    def run(self, until):
        n = 0
        while self.queue and self.queue[0].time <= until:
            e = heapq.heappop(self.queue)
            if e.cancelled:
                continue
            self.now = e.time
            self.log.append((e.time, e.seq))
            e.action(self)
            n += 1
        self.now = max(self.now, until)
        return n


total = np.zeros(3)


def arrive(sim):
    total[0] += sim.now
    if total[0] < 5:
        sim.schedule(0.5, arrive)
    sim.schedule(0.25, leave)


def leave(sim):
    total[1] += 1


def crash(sim):
    total[2] -= 1
    raise RuntimeError(f"crash at {sim.now:g}")


sim = Simulator()


def drive_events():
    e = sim.schedule(1.0, arrive)
    yield len(sim.queue)
    yield (sim.run(2.0), sim.now)
    yield (sim.run(4.0), total.copy())
    e = sim.schedule(0.1, crash)
    yield _raised(lambda: sim.run(9.0))
    yield (sim.now, len(sim.queue))
    e = sim.schedule(0.1, crash)
    e.cancelled = True
    yield sim.run(10.0)
    yield _raised(lambda: sim.schedule(-1, leave))
    total[:] = 0
    e = sim.schedule(np.float64(0.5), arrive)
    yield sim.run(20)
    yield (sim.log[-3:], type(sim.now))
    yield (sim.run(np.float64(21.5)), type(sim.now))


class Op(Enum):
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    POW = "^"

    @property
    def prec(self):
        return {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}[self.value]

    def apply(self, a, b):
        match self:
            case Op.ADD:
                return a + b
            case Op.SUB:
                return a - b
            case Op.MUL:
                return a * b
            case Op.DIV:
                return a / b
            case Op.POW:
                return a**b


class ParseError(ValueError):
    def __init__(self, pos, text):
        super().__init__(f"bad token at {pos}: {text[pos : pos + 5]!r}")
        self.pos = pos


class Calc:
    FUNCS = {"sin": np.sin, "sum": np.sum, "neg": operator.neg}

    def __init__(self, **env):
        self.env, self.history = (env, [])

    def tokens(self, s):
        i = 0
        while i < len(s):
            c = s[i]
            if c.isspace():
                i += 1
                continue
            if m := re.match("\\d+\\.?\\d*", s[i:]):
                yield float(m[0])
                i += m.end()
            elif m := re.match("[a-z]\\w*", s[i:]):
                yield m[0]
                i += m.end()
            elif c in "+-*/^()":
                yield (Op(c) if c not in "()" else c)
                i += 1
            else:
                raise ParseError(i, s)

    def eval(self, s):
        self.toks = list(self.tokens(s))
        v = self.expr(0)
        if self.toks:
            raise ParseError(len(s) - 1, s)
        self.history.append(v)
        return v

    def atom(self):
        if not self.toks:
            raise EOFError("unexpected end")
        t = self.toks.pop(0)
        if t == "(":
            v = self.expr(0)
            if not self.toks or self.toks.pop(0) != ")":
                raise SyntaxError("missing )")
            return v
        if t is Op.SUB:
            return -self.atom()
        if isinstance(t, float):
            return t
        if t in self.FUNCS:
            return self.FUNCS[t](self.atom())
        try:
            return self.env[t]
        except KeyError:
            raise NameError(f"unknown {t}") from None

    def expr(self, p):
        v = self.atom()
        while self.toks and isinstance((op := self.toks[0]), Op) and (op.prec >= p + (op is not Op.POW)):
            self.toks.pop(0)
            v = op.apply(v, self.expr(op.prec))
        return v


c = Calc(x=np.array([1.0, 2.0]), k=3)


def drive_calculator():
    yield c.eval("1 + 2*3")
    yield (c.eval("x*k - 2^3"), c.history)
    yield c.eval("sum(x) / 0")
    yield c.eval("sin(x) ^ 2 + -k")
    yield _raised(lambda: c.eval("1 $ 2"))
    yield _raised(lambda: c.eval("(1 + 2"))
    yield _raised(lambda: c.eval("y + 1"))
    c.env["y"] = np.float32(4)
    yield (c.eval("y / k"), c.eval("neg y - x"))
    c.env["x"] = np.ones(3)
    yield (c.eval("x * y"), len(c.history))
    yield _raised(lambda: c.eval("1 / 0"))
    yield _raised(lambda: c.eval(""))
    Calc.FUNCS["sq"] = lambda v: v * v
    yield c.eval("sq(x + 1)")
    yield _raised(lambda: c.eval("1 2"))


@dataclass(frozen=True)
class Player:
    hp: int = 10
    pos: tuple = (0, 0)
    items: frozenset = frozenset()

    def moved(self, dx, dy):
        return dataclasses.replace(self, pos=(self.pos[0] + dx, self.pos[1] + dy))

    def hurt(self, n):
        if n >= self.hp:
            raise Dead(self)
        return dataclasses.replace(self, hp=self.hp - n)


class Dead(Exception):
    pass


class World:
    def __init__(self, seed=1):
        self.map, self.rng, self.log = (np.array([[0, 1, 0], [2, 0, 1], [0, 0, 3]]), np.random.default_rng(seed), [])

    def act(self, p, command):
        match command.split():
            case ["go", "north" | "south" | "east" | "west" as d]:
                p = p.moved(*{"north": (-1, 0), "south": (1, 0), "east": (0, 1), "west": (0, -1)}[d])
                if not all((0 <= c < n for c, n in zip(p.pos, self.map.shape))):
                    raise IndexError(p.pos)
                return self.enter(p)
            case ["take", *items] if items:
                return dataclasses.replace(p, items=p.items | set(items))
            case ["rest", n] if n.isdigit():
                return dataclasses.replace(p, hp=min(10, p.hp + int(n)))
            case [] | [""]:
                return p
            case [verb, *_]:
                self.log.append(f"unknown {verb}")
                return p

    def enter(self, p):
        match int(self.map[p.pos]):
            case 1:
                dmg = int(self.rng.integers(1, 5))
                self.log.append(("hit", dmg))
                return p.hurt(dmg)
            case 2 if "key" not in p.items:
                return p.moved(0, 1)
            case 3:
                self.map[p.pos] = 0
                return dataclasses.replace(p, hp=p.hp * 2)
        return p

    def play(self, p, commands):
        for c in commands:
            try:
                p = self.act(p, c)
            except Dead as e:
                self.log.append("dead")
                return (e.args[0], False)
            except IndexError:
                self.log.append("wall")
        return (p, True)


w = World()


def drive_game():
    yield w.play(Player(), ["go east", "go south", "rest 2"])
    yield w.log
    yield w.play(Player(), ["go north", "take key lamp", "go south", "dance now", ""])
    yield (w.play(Player(hp=1), ["go east"]), w.log)
    w.map[0, 1] = 3
    yield (w.play(Player(hp=3), ["go east"]), w.map)
    yield (w.act(Player(), "go up"), w.log)
    yield _raised(lambda: w.act(Player(), "go north"))
    yield (w.act(Player(hp=np.int64(4)), "rest 3"), type(w.act(Player(hp=np.int64(4)), "rest 3").hp))
    w.map = w.map[:2]
    yield w.play(Player(pos=(1, 0)), ["go south", "go east"])
    yield (w.play(Player(), "ab"), w.log[-2:])
    w.rng = np.random.default_rng(0)
    w.map = np.ones((2, 2), int)
    yield (w.play(Player(), ["go east", "go south", "go west"] * 3), w.log)
    yield _raised(lambda: w.act(None, "go east"))


class GMM:
    def __init__(self, k, tol=0.001, seed=0):
        self.k, self.tol, self.rng, self.history = (k, tol, np.random.RandomState(seed), [])

    def fit(self, x, iters=10):
        n = len(x)
        if n < self.k:
            raise ValueError(f"n={n} < k={self.k}")
        self.mu = x[self.rng.choice(n, self.k, replace=False)].astype(float)
        self.sd, self.pi, self.history = (np.full(self.k, x.std()), np.full(self.k, 1 / self.k), [])
        for it in range(iters):
            ll = self._log(x)
            m = ll.max(axis=1, keepdims=True)
            total = m + np.log(np.exp(ll - m).sum(axis=1, keepdims=True))
            resp = np.exp(ll - total)
            nk = resp.sum(axis=0)
            self.pi = nk / n
            self.mu = resp.T @ x / nk
            self.sd = np.sqrt((resp * (x[:, None] - self.mu) ** 2).sum(axis=0) / nk + 1e-06)
            self.history.append(float(total.sum()))
            if it and abs(self.history[-1] - self.history[-2]) < self.tol:
                self.converged = True
                break
        else:
            self.converged = False
            warnings_list.append(f"no convergence after {iters}")
        return self

    def _log(self, x):
        return np.log(self.pi) - 0.5 * ((x[:, None] - self.mu) / self.sd) ** 2 - np.log(self.sd)

    def predict(self, x):
        return self._log(np.asarray(x)).argmax(axis=1)

    def sample(self, n):
        z = self.rng.choice(self.k, size=n, p=self.pi / self.pi.sum())
        return np.sort(self.rng.normal(self.mu[z], self.sd[z]))

    def bic(self, x):
        return -2 * self.history[-1] + (3 * self.k - 1) * np.log(len(x))


warnings_list = []


g = GMM(2)


x = np.array([0.0, 0.1, 0.2, 5.0, 5.1, 5.3])


def drive_mixture():
    yield _raised(lambda: g.predict(x))
    yield (g.fit(x).mu, g.converged, g.history)
    yield (g.predict([0.0, 4.0]), g.sample(3), g.bic(x))
    yield (g.fit(x, 2).converged, warnings_list)
    g.k = 3
    yield (g.fit(x).mu, g.sd, g.pi)
    yield _raised(lambda: g.fit(x[:2]))
    g.tol = 1000000000.0
    yield g.fit(x).history
    yield (g.fit(x.astype(np.float32)).mu.dtype, g.sd.dtype)
    yield g.fit(np.array([1, 2, 3, 4])).mu
    g.pi[0] = 0
    yield g.predict(x)
    g.mu = None
    yield _raised(lambda: g.predict(x))
    yield (g.fit(np.array([np.nan, 1, 2, 3]), 2).mu, len(warnings_list))
