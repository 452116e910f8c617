"""Simulations: cellular automata, bodies, epidemics, queues, random numbers."""

import numpy as np


class GameOfLife:
    def __init__(self, shape, seed=0):
        self.cells = (np.random.default_rng(seed).random(shape) < 0.4).astype(int)
        self.generation = 0
        self.history = []

    def neighbours(self):
        total = np.zeros_like(self.cells)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy or dx:
                    total += np.roll(np.roll(self.cells, dy, axis=0), dx, axis=1)
        return total

    def step(self):
        n = self.neighbours()
        self.cells = np.where((n == 3) | ((self.cells == 1) & (n == 2)), 1, 0)
        self.generation += 1
        self.history.append(int(self.cells.sum()))
        return self.history[-1]

    def run(self, generations):
        for _ in range(generations):
            if self.step() == 0:
                break
        return self.generation


def drive_life():
    world = GameOfLife((5, 6))
    for _ in range(5):
        yield world.step()
    yield world.run(3)
    world.cells[:] = 0
    world.cells[2, 1:4] = 1
    yield world.step()
    yield world.cells
    yield world.run(4)


class NBody:
    def __init__(self, positions, velocities, masses):
        self.x, self.v, self.m = positions, velocities, masses
        self.t = 0.0
        self.energies = []

    def acceleration(self):
        a = np.zeros_like(self.x)
        for i in range(len(self.m)):
            for j in range(len(self.m)):
                if i != j:
                    d = self.x[j] - self.x[i]
                    a[i] += self.m[j] * d / (np.sqrt(d @ d) ** 3 + 0.01)
        return a

    def energy(self):
        kinetic = 0.5 * (self.m * (self.v**2).sum(axis=1)).sum()
        potential = 0.0
        for i in range(len(self.m)):
            for j in range(i):
                potential -= self.m[i] * self.m[j] / np.linalg.norm(self.x[i] - self.x[j])
        return kinetic + potential

    def step(self, dt=0.01):
        self.v += 0.5 * dt * self.acceleration()
        self.x += dt * self.v
        self.v += 0.5 * dt * self.acceleration()
        self.t += dt
        self.energies.append(self.energy())


def drive_n_body():
    system = NBody(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]), np.zeros((3, 2)), np.array([1.0, 0.5, 0.1]))
    for k in range(8):
        system.step()
        yield system.x.copy(), system.t
        if k == 3:
            system.v[1, 1] = 1.0
    yield system.energies


class Elementary:
    def __init__(self, rule, width):
        self.table = np.array([(rule >> k) & 1 for k in range(8)])
        self.row = np.zeros(width, dtype=int)
        self.row[width // 2] = 1
        self.rows = [self.row]

    def step(self):
        index = 4 * np.roll(self.row, 1) + 2 * self.row + np.roll(self.row, -1)
        self.row = self.table[index]
        self.rows.append(self.row)
        return self.row

    def picture(self):
        return ["".join("#" if cell else "." for cell in row) for row in self.rows[-3:]]


def drive_elementary_automaton():
    automaton = Elementary(30, 9)
    for _ in range(6):
        yield automaton.step()
    yield automaton.picture()
    automaton.table[:] = 1
    yield automaton.step()
    yield len(automaton.rows)


class Congruential:
    """Random numbers by hand."""

    def __init__(self, seed=42, a=1664525, c=1013904223, m=2**32):
        self.state = seed
        self.a, self.c, self.m = a, c, m
        self.drawn = 0

    def next_int(self):
        self.state = (self.a * self.state + self.c) % self.m
        self.drawn += 1
        return self.state

    def uniform(self, n):
        return np.array([self.next_int() / self.m for _ in range(n)])

    def normal(self, n):
        u, v = self.uniform(n), self.uniform(n)
        return np.sqrt(-2 * np.log(u + 1e-12)) * np.cos(2 * np.pi * v)


def drive_random_numbers():
    rng = Congruential()
    for _ in range(3):
        yield rng.next_int()
    for n in (2, 4, 2, 4):
        yield rng.uniform(n)
    yield rng.normal(3)
    rng.state = 7
    yield rng.next_int()
    yield rng.drawn


class Epidemic:
    def __init__(self, n, beta=0.3, gamma=0.1):
        self.s, self.i, self.r = n - 1.0, 1.0, 0.0
        self.beta, self.gamma, self.n = beta, gamma, n
        self.day = 0
        self.peak = (0, 1.0)
        self.lockdown = False

    def step(self):
        beta = self.beta * (0.3 if self.lockdown else 1.0)
        infected = beta * self.s * self.i / self.n
        recovered = self.gamma * self.i
        self.s, self.i, self.r = self.s - infected, self.i + infected - recovered, self.r + recovered
        self.day += 1
        if self.i > self.peak[1]:
            self.peak = (self.day, self.i)
        if self.i > 0.1 * self.n and not self.lockdown:
            self.lockdown = True
        return self.s, self.i, self.r

    def run(self, days):
        return np.array([self.step() for _ in range(days)])


def drive_epidemic():
    model = Epidemic(1000.0)
    for _ in range(6):
        yield model.step()
    yield model.run(30)
    yield model.peak, model.lockdown
    model.lockdown = False
    model.i = 20.0
    yield model.run(3)


class Bank:
    """Customers that arrive and are served, with random times."""

    def __init__(self, tellers, seed=0):
        self.rng = np.random.default_rng(seed)
        self.free_at = np.zeros(tellers)
        self.clock = 0.0
        self.waits = []
        self.busy = 0.0

    def customer(self):
        self.clock += self.rng.exponential(1.0)
        teller = int(np.argmin(self.free_at))
        start = max(self.clock, self.free_at[teller])
        service = self.rng.exponential(1.5)
        self.free_at[teller] = start + service
        self.busy += service
        self.waits.append(start - self.clock)
        return self.waits[-1]

    def day(self, customers):
        first = len(self.waits)
        for _ in range(customers):
            self.customer()
        return np.mean(self.waits[first:]), np.max(self.waits[first:])


def drive_bank():
    bank = Bank(2, seed=1)
    for _ in range(6):
        yield bank.customer()
    yield bank.day(5)
    bank.free_at[:] = 0
    yield bank.day(3)
    yield bank.busy


class Heat:
    def __init__(self, n, alpha=0.2):
        self.u = np.zeros(n)
        self.u[n // 2] = 10.0
        self.new = np.empty_like(self.u)
        self.alpha = alpha
        self.steps = 0
        self.sources = {}

    def step(self):
        self.new[1:-1] = self.u[1:-1] + self.alpha * (self.u[2:] - 2 * self.u[1:-1] + self.u[:-2])
        self.new[0] = self.new[-1] = 0.0
        for at, value in self.sources.items():
            self.new[at] += value
        self.u, self.new = self.new, self.u
        self.steps += 1

    def until_calm(self, tolerance, limit=50):
        count = 0
        while count < limit:
            before = self.u.copy()
            self.step()
            count += 1
            if np.abs(self.u - before).max() < tolerance:
                break
        return count


def drive_heat():
    rod = Heat(7)
    for _ in range(5):
        rod.step()
        yield rod.u.copy()
    rod.sources[2] = 1.0
    rod.step()
    yield rod.u.copy()
    rod.sources = {}
    yield rod.until_calm(0.1)
    yield rod.until_calm(0.01)
    yield rod.steps


class Spring:
    """An integrator that takes the force as a function."""

    def __init__(self, force, method="verlet"):
        self.force, self.method = force, method
        self.x, self.v, self.t = 1.0, 0.0, 0.0
        self.path = [(0.0, 1.0)]
        self.evaluations = 0

    def f(self, x):
        self.evaluations += 1
        return self.force(x)

    def step(self, dt=0.1):
        if self.method == "euler":
            a = self.f(self.x)
            self.x, self.v = self.x + dt * self.v, self.v + dt * a
        elif self.method == "verlet":
            half = self.v + 0.5 * dt * self.f(self.x)
            self.x += dt * half
            self.v = half + 0.5 * dt * self.f(self.x)
        else:
            raise ValueError(f"unknown method {self.method!r}")
        self.t += dt
        self.path.append((self.t, self.x))
        return self.x


def drive_spring():
    spring = Spring(lambda x: -4.0 * x - 0.1 * x**3)
    for k in range(8):
        if k == 4:
            spring.method = "euler"
        yield spring.step()
    spring.method = "magic"
    try:
        yield spring.step()
    except ValueError as error:
        yield str(error)
    yield spring.evaluations, spring.path[-1]


class Ising:
    def __init__(self, n, temperature, seed=0):
        self.rng = np.random.default_rng(seed)
        self.spins = self.rng.choice(np.array([-1, 1]), size=(n, n))
        self.temperature = temperature
        self.accepted = 0

    def sweep(self):
        n = len(self.spins)
        for _ in range(n * n):
            i, j = self.rng.integers(0, n, 2)
            around = (
                self.spins[(i + 1) % n, j] + self.spins[i - 1, j] + self.spins[i, (j + 1) % n] + self.spins[i, j - 1]
            )
            cost = 2 * self.spins[i, j] * around
            if cost <= 0 or self.rng.random() < np.exp(-cost / self.temperature):
                self.spins[i, j] *= -1
                self.accepted += 1
        return self.spins.mean()


def drive_ising():
    model = Ising(4, 2.0)
    for k in range(8):
        yield model.sweep()
        model.temperature = 2.0 - 0.2 * k
    model.spins[:] = 1
    yield model.sweep()
    yield model.accepted


class Boids:
    def __init__(self, n, seed=0):
        rng = np.random.default_rng(seed)
        self.flock = [Boid(rng.normal(size=2), rng.normal(size=2)) for _ in range(n)]
        self.time = 0

    def step(self, dt=0.1):
        center = sum(b.position for b in self.flock) / len(self.flock)
        for boid in self.flock:
            boid.steer(center)
        for boid in self.flock:
            boid.move(dt)
        self.time += dt
        return center


class Boid:
    limit = 1.0

    def __init__(self, position, velocity):
        self.position, self.velocity = position, velocity
        self.trail = []

    def steer(self, target):
        self.velocity = self.velocity + 0.1 * (target - self.position)
        speed = np.linalg.norm(self.velocity)
        if speed > self.limit:
            self.velocity = self.velocity / speed * self.limit

    def move(self, dt):
        self.trail.append(self.position.copy())
        if len(self.trail) > 3:
            self.trail.pop(0)
        self.position += dt * self.velocity


def drive_boids():
    flock = Boids(3)
    for k in range(8):
        yield flock.step()
        if k == 3:
            flock.flock[0].position[:] = 0
        if k == 5:
            flock.flock.pop()
    yield [b.position for b in flock.flock]


def make_walker(seed, low, high):
    rng = np.random.default_rng(seed)
    position = 0
    bounces = {"low": 0, "high": 0}

    def walk(steps):
        nonlocal position
        for step in rng.choice([-1, 1], size=steps):
            position += step
            if position < low:
                position = low
                bounces["low"] += 1
            elif position > high:
                position = high
                bounces["high"] += 1
        return position

    return walk, bounces


def drive_random_walk():
    walk, bounces = make_walker(5, -2, 2)
    for n in (4, 6, 4, 6, 4, 4, 6, 6):
        yield walk(n)
    yield bounces
