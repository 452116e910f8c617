"""Methods and partial functions that are kept somewhere and called later: observers, handlers, schedulers."""

import functools
import heapq
import itertools
import types

import numpy as np


def scaled(factor, x):
    return x * factor


class Gauge:
    def __init__(self, name, factor):
        self.name, self.factor = name, factor
        self.offset = np.ones(2) * factor
        self.seen = [factor]
        self.count = 0

    def read(self, x):
        return x * self.factor + self.offset.sum() + self.seen[-1]

    def learn(self, x):
        self.count += 1
        self.factor = self.factor + 0.5
        self.seen.append(x)
        return self.factor * x


class Bus:
    def __init__(self):
        self.subscribers = []
        self.handlers = {}
        self.last = None
        self.first = None

    def connect(self, handler, name=None):
        self.subscribers.append(handler)
        if name is not None:
            self.handlers[name] = handler
        self.last = handler
        return len(self.subscribers)

    def fire(self, x):
        total = 0.0
        for handler in self.subscribers:
            total = total + handler(x)
        return total

    def send(self, name, x):
        return self.handlers[name](x)

    def repeat(self, x):
        return self.last(x)

    def rotate(self, x):
        handler = self.subscribers.pop(0)
        self.subscribers.append(handler)
        return handler(x)

    def owner(self, x):
        return self.last.__self__.factor * x


class Station:
    """Joins a bus by itself, with methods that it reads while it does so."""

    def __init__(self, bus, gain):
        self.bus, self.gain = bus, gain
        self.heard = 0

    def hear(self, x):
        self.heard += 1
        return x * self.gain

    def join(self):
        self.bus.subscribers.append(self.hear)
        self.bus.first = self.hear
        return self.hear

    def chosen(self, loud):
        self.play = self.hear if loud else self.quiet
        return self.play(2.0)

    def quiet(self, x):
        return -x * self.gain


def drive_bus():
    bus = Bus()
    a, b = Gauge("a", 2.0), Gauge("b", 3.0)
    for handler, name in ((a.read, "a"), (b.read, "b"), (functools.partial(scaled, 2.0), None)):
        yield bus.connect(handler, name)
    bus.subscribers.pop()
    bus.last = b.read
    for step in range(4):
        x = np.float64(step + 1)
        yield bus.fire(x)
        yield bus.send("a", x)
        yield bus.repeat(x)
        yield bus.rotate(x)
        yield bus.owner(x)
        a.factor += 1
        b.offset = b.offset * 2
        a.seen = [a.factor + 2]
    bus.subscribers = [b.learn, a.learn]
    for step in range(3):
        yield bus.fire(np.float64(step))
        yield bus.rotate(np.float64(step))


class Meter:
    def __init__(self, gauge):
        self.source = _reader(gauge)

    def value(self, x):
        return self.source(x)


def _reader(gauge):
    """The undecorated method, kept in an attribute: `Gauge.read` has it where it is decorated."""
    return types.MethodType(getattr(Gauge.read, "python_function", Gauge.read), gauge)


def drive_meter():
    gauge = Gauge("a", 3.0)
    meter = Meter(gauge)
    for step in range(8):
        yield meter.value(np.float64(step))
        gauge.offset = gauge.offset * 2
        gauge.factor += 1
        gauge.seen.append(step)


def drive_stations():
    bus = Bus()
    a, b = Station(bus, 2.0), Station(bus, 3.0)
    for step in range(3):
        yield a.join()(1.0), b.join()(2.0)
        yield bus.fire(np.float64(step)), bus.first(1.0)
        yield a.chosen(step % 2 == 0)
        yield b.chosen(step % 2 == 1)


class Event:
    def __init__(self, scheduler):
        self.scheduler = scheduler
        self.callbacks = []


class Process(Event):
    """Runs a generator, each of whose events resumes it."""

    def __init__(self, scheduler, steps):
        super().__init__(scheduler)
        self.steps = steps
        start = Event(scheduler)
        start.callbacks.append(self.resume)
        scheduler.schedule(start, 0)

    def resume(self, event):
        try:
            following = self.steps.send(None)
        except StopIteration:
            return
        following.callbacks.append(self.resume)


class Scheduler:
    def __init__(self):
        self.now = 0
        self.queue = []
        self.numbers = itertools.count()

    def schedule(self, event, delay):
        heapq.heappush(self.queue, (self.now + delay, next(self.numbers), event))

    def wait(self, delay):
        event = Event(self)
        self.schedule(event, delay)
        return event

    def step(self):
        self.now, _, event = heapq.heappop(self.queue)
        callbacks, event.callbacks = event.callbacks, None
        for callback in callbacks:
            callback(event)


def drive_scheduler():
    scheduler, log = Scheduler(), []

    def customer(name, pause):
        for k in range(3):
            log.append((name, scheduler.now))
            yield scheduler.wait(pause + k)

    Process(scheduler, customer("a", 1.0))
    Process(scheduler, customer("b", 1.5))
    for _ in range(8):
        scheduler.step()
        yield scheduler.now, list(log)
