"""Running statistics, buffers, queues, caches, logs, lists and trees."""

import heapq
import itertools
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np


class Welford:
    def __init__(self):
        self.n = 0
        self.mean = 0.0
        self.m2 = 0.0
        self.min, self.max = np.inf, -np.inf

    def add(self, x):
        self.n += 1
        delta = x - self.mean
        self.mean += delta / self.n
        self.m2 += delta * (x - self.mean)
        self.min = min(self.min, x)
        self.max = max(self.max, x)

    def extend(self, values):
        for v in values:
            self.add(v)
        return self

    @property
    def variance(self):
        if self.n < 2:
            return float("nan")
        return self.m2 / (self.n - 1)

    def merge(self, other):
        n = self.n + other.n
        delta = other.mean - self.mean
        self.mean += delta * other.n / n
        self.m2 += other.m2 + delta**2 * self.n * other.n / n
        self.n = n
        return self


def drive_welford():
    stats, more = Welford(), Welford()
    for v in (1.0, 4.0, 2.0):
        stats.add(np.float64(v))
        yield stats.mean, stats.variance
    for n in (3, 5, 3):
        yield stats.extend(np.arange(float(n))).mean
    more.extend(np.ones(3))
    yield stats.merge(more).variance
    stats.n = 1
    yield stats.variance


class RingBuffer:
    def __init__(self, size):
        self.data = np.zeros(size)
        self.head = 0
        self.count = 0

    def append(self, value):
        self.data[self.head] = value
        self.head = (self.head + 1) % len(self.data)
        self.count = min(self.count + 1, len(self.data))

    def extend(self, values):
        for v in values:
            self.append(v)

    def ordered(self):
        if self.count < len(self.data):
            return self.data[: self.count]
        return np.concatenate([self.data[self.head :], self.data[: self.head]])

    def mean(self):
        return self.ordered().mean() if self.count else 0.0


def drive_ring_buffer():
    ring = RingBuffer(4)
    yield ring.mean()
    for v in (1.0, 2.0, 3.0, 4.0, 5.0):
        ring.append(np.float64(v))
        yield ring.ordered(), ring.mean()
    for n in (3, 5, 3):
        ring.extend(np.arange(float(n)))
        yield ring.ordered()
    ring.data[:] = 0
    yield ring.mean()


class LRUCache:
    def __init__(self, capacity):
        self.capacity = capacity
        self.items = OrderedDict()
        self.hits = self.misses = 0

    def get(self, key, compute):
        if key in self.items:
            self.items.move_to_end(key)
            self.hits += 1
            return self.items[key]
        self.misses += 1
        value = self.items[key] = compute(key)
        if len(self.items) > self.capacity:
            self.items.popitem(last=False)
        return value

    def clear(self):
        self.items.clear()
        self.hits = self.misses = 0


def squares(n):
    return np.arange(n) ** 2


def drive_lru_cache():
    cache = LRUCache(2)
    for key in (3, 4, 3, 5, 4, 3, 5, 5):
        yield cache.get(key, squares)
    yield cache.hits, cache.misses, list(cache.items)
    cache.clear()
    yield cache.get(3, squares)


class JobQueue:
    def __init__(self):
        self.waiting = deque()
        self.done = []
        self.failed = {}
        self.next_id = 0

    def submit(self, work):
        self.next_id += 1
        self.waiting.append((self.next_id, work))
        return self.next_id

    def run_one(self):
        if not self.waiting:
            raise IndexError("no jobs")
        number, work = self.waiting.popleft()
        try:
            if work.min() < 0:
                raise ValueError(f"job {number} is negative")
            self.done.append((number, np.sqrt(work).sum()))
        except ValueError as error:
            self.failed[number] = str(error)
        return len(self.done)


def drive_job_queue():
    queue = JobQueue()
    for k in (1.0, -1.0, 2.0, 3.0):
        yield queue.submit(np.full(3, k))
    for _ in range(5):
        try:
            yield queue.run_one()
        except IndexError as error:
            yield str(error)
    yield queue.failed
    yield queue.done


class PriorityQueue:
    def __init__(self):
        self.heap = []
        self.order = itertools.count()

    def put(self, priority, item):
        heapq.heappush(self.heap, (float(priority), next(self.order), item))

    def take(self):
        priority, _, item = heapq.heappop(self.heap)
        return priority, item


def drive_priority_queue():
    queue = PriorityQueue()
    for p in (3.0, 1.0, 2.0, 1.0):
        queue.put(np.float64(p), np.full(2, p))
        yield len(queue.heap)
    for _ in range(4):
        yield queue.take()
    queue.put(np.float64(0.5), None)
    yield queue.take()


class EventLog:
    levels = ("debug", "info", "error")

    def __init__(self, limit=4):
        self.limit = limit
        self.entries = []
        self.counts = Counter()
        self.dropped = 0

    def log(self, level, message, **data):
        if level not in self.levels:
            raise ValueError(f"no level {level!r}")
        self.counts[level] += 1
        self.entries.append({"level": level, "message": message, "data": data})
        if len(self.entries) > self.limit:
            self.entries = self.entries[-self.limit :]
            self.dropped += 1

    def measure(self, values):
        self.log("info", f"mean {values.mean():.3f}", n=len(values), peak=values.max())
        if values.max() > 10:
            self.log("error", "peak")
        return self.counts["info"]

    def texts(self):
        return [f"{e['level']}: {e['message']}" for e in self.entries]


def drive_event_log():
    log = EventLog()
    for n in (3, 5, 3, 5):
        yield log.measure(np.arange(float(n)) * n)
    log.log("debug", "by hand")
    yield log.texts()
    try:
        log.log("loud", "x")
    except ValueError as error:
        yield str(error)
    log.limit = 2
    yield log.measure(np.ones(3))
    yield log.texts(), log.dropped
    yield dict(log.counts)


class Node:
    def __init__(self, value, following=None):
        self.value = value
        self.following = following


class LinkedList:
    def __init__(self):
        self.head = None
        self.size = 0

    def push(self, value):
        self.head = Node(value, self.head)
        self.size += 1

    def pop(self):
        if self.head is None:
            raise IndexError("pop from an empty list")
        node = self.head
        self.head = node.following
        self.size -= 1
        return node.value

    def reverse(self):
        previous, node = None, self.head
        while node is not None:
            node.following, previous, node = previous, node, node.following
        self.head = previous

    def total(self):
        total, node = 0.0, self.head
        while node:
            total += node.value.sum()
            node = node.following
        return total


def drive_linked_list():
    items = LinkedList()
    for k in range(4):
        items.push(np.full(2, float(k)))
        yield items.total()
    items.reverse()
    yield items.pop()
    items.head.value[0] = 10.0
    yield items.total()
    for _ in range(4):
        try:
            yield items.pop()
        except IndexError as error:
            yield str(error)


class TreeNode:
    def __init__(self, key, data):
        self.key, self.data = key, data
        self.left = self.right = None


class SearchTree:
    def __init__(self):
        self.root = None
        self.depth = 0

    def insert(self, key, data):
        depth = 1
        if self.root is None:
            self.root = TreeNode(key, data)
        else:
            node = self.root
            while True:
                depth += 1
                if key == node.key:
                    node.data = node.data + data
                    break
                side = "left" if key < node.key else "right"
                child = getattr(node, side)
                if child is None:
                    setattr(node, side, TreeNode(key, data))
                    break
                node = child
        self.depth = max(self.depth, depth)
        return depth

    def find(self, key):
        node = self.root
        while node is not None and node.key != key:
            node = node.left if key < node.key else node.right
        return None if node is None else node.data

    def walk(self, node="root"):
        node = self.root if node == "root" else node
        if node is None:
            return []
        return [*self.walk(node.left), node.key, *self.walk(node.right)]


def drive_search_tree():
    tree = SearchTree()
    for key in (4, 2, 6, 1, 3, 2):
        yield tree.insert(key, np.full(2, float(key)))
    yield tree.find(2), tree.find(9)
    yield tree.walk()
    tree.root.data[0] = -1.0
    yield tree.find(4)
    yield tree.depth


class Histogram:
    def __init__(self, edges):
        self.edges = edges
        self.counts = np.zeros(len(edges) - 1, dtype=int)
        self.under = self.over = 0

    def fill(self, values):
        for v in values:
            if v < self.edges[0]:
                self.under += 1
            elif v >= self.edges[-1]:
                self.over += 1
            else:
                self.counts[np.searchsorted(self.edges, v, side="right") - 1] += 1
        return int(self.counts.sum())

    def normalised(self):
        return self.counts / max(self.counts.sum(), 1)


def drive_histogram():
    h = Histogram(np.array([0.0, 1.0, 2.0, 3.0]))
    for n in (4, 6, 4, 6):
        yield h.fill(np.linspace(-1, 3.5, n))
        yield h.normalised()
    h.counts[:] = 1
    yield h.fill(np.array([0.5, 0.5, 9.0, 2.5]))
    yield h.under, h.over


class Undo:
    def __init__(self, start):
        self.state = start
        self.past, self.future = [], []

    def do(self, change):
        self.past.append(self.state.copy())
        self.state = self.state + change
        self.future = []

    def undo(self):
        if self.past:
            self.future.append(self.state)
            self.state = self.past.pop()
        return self.state

    def redo(self):
        if self.future:
            self.past.append(self.state)
            self.state = self.future.pop()
        return self.state


def drive_undo():
    doc = Undo(np.zeros(3))
    for k in range(3):
        doc.do(np.full(3, float(k + 1)))
        yield doc.state
    yield doc.undo()
    yield doc.undo()
    yield doc.redo()
    doc.do(np.array([1.0, 0.0, 0.0]))
    yield doc.redo()
    yield doc.undo()
    yield len(doc.past), len(doc.future)


class Grouping:
    def __init__(self):
        self.groups = defaultdict(list)
        self.seen = set()

    def add(self, key, row):
        self.groups[key].append(row)
        self.seen.add(key)
        return len(self.groups[key])

    def means(self):
        return {key: np.mean(rows, axis=0) for key, rows in sorted(self.groups.items())}


def drive_grouping():
    table = Grouping()
    for k in range(6):
        yield table.add("ab"[k % 2], np.array([k, 1.0]))
    yield table.means()
    table.groups.pop("a")
    yield table.add("a", np.zeros(2))
    yield table.means()
