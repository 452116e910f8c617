# ruff: noqa
"""Factorizations, sorting, tables and filters that write in place, as people write them."""

import numpy as np
from conformance.in_place.collected import called_with

N = np.int64
M = np.array([[4.0, 1, 2, 0], [1, 5, 0, 1], [2, 0, 6, 3], [0, 1, 3, 7]])
P = np.array([[0.0, 2, 1], [3, 0, 1], [1, 1, 1]])
V = np.array([3.0, 1, 4, 1, 5, 9, 2, 6])


@called_with((M,), (P,), (np.eye(2) * 0,))
def lu_in_place(a):
    n = len(a)
    order = np.arange(n)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(a[k:, k]))
        if a[p, k] == 0:
            return a, order
        if p != k:
            a[[k, p]] = a[[p, k]]
            order[[k, p]] = order[[p, k]]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a, order


@called_with((M,), (np.eye(3) * 4,))
def cholesky_in_place(a):
    n = a.shape[0]
    for j in range(n):
        a[j, j] = np.sqrt(a[j, j] - np.dot(a[j, :j], a[j, :j]))
        for i in range(j + 1, n):
            a[i, j] = (a[i, j] - np.dot(a[i, :j], a[j, :j])) / a[j, j]
        a[j, j + 1 :] = 0
    return a


@called_with((M,), (P,), (M[:, :2],))
def householder(a):
    m, n = a.shape
    q = np.eye(m)
    for k in range(min(m - 1, n)):
        x = a[k:, k].copy()
        norm = np.sqrt((x * x).sum())
        if norm == 0:
            continue
        x[0] += norm if x[0] > 0 else -norm
        x /= np.sqrt((x * x).sum())
        a[k:, k:] -= 2 * np.outer(x, x @ a[k:, k:])
        q[:, k:] -= 2 * np.outer(q[:, k:] @ x, x)
    return q, a


@called_with((M,), (P,))
def gram_schmidt(a):
    for k in range(a.shape[1]):
        for j in range(k):
            a[:, k] -= (a[:, j] * a[:, k]).sum() * a[:, j]
        norm = np.sqrt((a[:, k] ** 2).sum())
        if norm > 1e-10:
            a[:, k] /= norm
    return a


@called_with((M, V[:4]), (P, V[:3]))
def gaussian_elimination(a, b):
    n = len(b)
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        if best != k:
            row = a[k].copy()
            a[k] = a[best]
            a[best] = row
            b[k], b[best] = b[best], b[k]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            b[i] -= factor * b[k]
    for k in range(n - 1, -1, -1):
        b[k] = (b[k] - a[k, k + 1 :] @ b[k + 1 :]) / a[k, k]
    return b


@called_with((np.ones(4), np.ones(5) * 4, np.ones(4), V[:5]))
def thomas(lower, diagonal, upper, d):
    n = len(d)
    c = upper.copy()
    x = d
    c[0] /= diagonal[0]
    x[0] /= diagonal[0]
    for i in range(1, n):
        m = diagonal[i] - lower[i - 1] * c[i - 1] if i < n else 1.0
        if i < n - 1:
            c[i] /= m
        x[i] = (x[i] - lower[i - 1] * x[i - 1]) / m
    for i in range(n - 2, -1, -1):
        x[i] -= c[i] * x[i + 1]
    return x


@called_with((M, 1e-8), (np.diag([3.0, 1.0]), 1e-8), (np.array([[2.0, 1], [1, 2]]), 1e-8))
def jacobi_eigenvalues(a, tolerance):
    n = len(a)
    vectors = np.eye(n)
    for _ in range(20):
        off = np.abs(np.triu(a, 1))
        p, q = divmod(np.argmax(off), n)
        if off[p, q] < tolerance:
            break
        theta = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
        c, s = np.cos(theta), np.sin(theta)
        rotation = np.eye(n)
        rotation[p, p] = rotation[q, q] = c
        rotation[p, q], rotation[q, p] = s, -s
        a = rotation.T @ a @ rotation
        vectors = vectors @ rotation
        a[p, q] = a[q, p] = 0.0
    return np.diag(a), vectors


@called_with((V,), (V[::-1].copy(),), (V[:1],))
def bubble_sort(a):
    n = len(a)
    while True:
        swapped = False
        for i in range(1, n):
            if a[i - 1] > a[i]:
                a[i - 1], a[i] = a[i], a[i - 1]
                swapped = True
        n -= 1
        if not swapped:
            return a


@called_with((V,), (V[::-1],), (V[:1],))
def insertion_sort(a):
    for i in range(1, len(a)):
        key, j = a[i], i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


@called_with((V,), (V[:5],), (V[:2],))
def shell_sort(a):
    gap = len(a) // 2
    while gap > 0:
        for i in range(gap, len(a)):
            held = a[i]
            j = i
            while j >= gap and a[j - gap] > held:
                a[j] = a[j - gap]
                j -= gap
            a[j] = held
        gap //= 2
    return a


@called_with((V,), (V[:7],), (V[:1],))
def heap_sort(a):
    def sift(a, start, end):
        root = start
        while 2 * root + 1 <= end:
            child = 2 * root + 1
            if child < end and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child

    n = len(a)
    for start in range(n // 2 - 1, -1, -1):
        sift(a, start, n - 1)
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        sift(a, 0, end - 1)
    return a


@called_with((V,), (V[:5],), (V[:3],))
def merge_sort_bottom_up(a):
    n, width = len(a), 1
    source, target = a, np.empty_like(a)
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j >= high or source[i] <= source[j]):
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
        source, target = target, source
        width *= 2
    if source is not a:
        a[:] = source
    return a


@called_with((V, 3.5), (V, 0.0), (V, 100.0))
def partition(a, pivot):
    i, j = 0, len(a) - 1
    while i <= j:
        while i <= j and a[i] < pivot:
            i += 1
        while i <= j and a[j] >= pivot:
            j -= 1
        if i < j:
            a[i], a[j] = a[j], a[i]
    return i


@called_with((V.astype(int), 10), (np.array([0, 0, 3]), 4))
def counting_sort(a, k):
    counts = np.zeros(k, int)
    for x in a:
        counts[x] += 1
    at = 0
    for value in range(k):
        for _ in range(counts[value]):
            a[at] = value
            at += 1
    return a, counts


@called_with((V,), (V[:3],))
def rotate_and_reverse(a):
    a[:] = a[::-1].copy()
    last = a[-1].copy()
    a[1:] = a[:-1]
    a[0] = last
    i, j = 0, len(a) - 1
    while i < j:
        a[i], a[j] = a[j], a[i]
        i, j = i + 1, j - 1
    return a


@called_with((np.array([2, 3, 4]), np.array([3, 4, 5]), 6), (np.array([9]), np.array([1]), 3))
def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, int)
    for w, v in zip(weights, values):
        for c in range(capacity, -1, -1):
            if c >= w:
                best[c] = max(best[c], best[c - w] + v)
    return best[capacity], best


@called_with((V[:5], V[2:6]), (V, V))
def edit_distance_two_rows(a, b):
    previous = np.arange(len(b) + 1)
    current = np.zeros(len(b) + 1, int)
    for i in range(len(a)):
        current[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost)
        previous, current = current, previous
    return previous[-1], previous


@called_with((np.array([[0, 3, np.inf], [np.inf, 0, 1], [2, np.inf, 0]]),))
def floyd_warshall(d):
    for k in range(len(d)):
        np.minimum(d, d[:, k : k + 1] + d[k : k + 1], out=d)
    return d


@called_with((V[:6], V[1:5]), (V, V))
def dynamic_time_warping(x, y):
    d = np.full((len(x) + 1, len(y) + 1), np.inf)
    d[0, 0] = 0
    for i in range(len(x)):
        row, above = d[i + 1], d[i]
        for j in range(len(y)):
            row[j + 1] = abs(x[i] - y[j]) + min(above[j], above[j + 1], row[j])
    return d[-1, -1], d


@called_with((V, 0.1, 1.0), (V[:1], 0.1, 1.0))
def kalman_scalar(z, q, r):
    x, p = 0.0, 1.0
    estimates = np.zeros_like(z)
    for k in range(len(z)):
        p = p + q
        gain = p / (p + r)
        x = x + gain * (z[k] - x)
        p = (1 - gain) * p
        estimates[k] = x
    z -= estimates
    return estimates, p


@called_with((V, 20.0), (V * 10, 20.0))
def kalman_with_gate(z, gate):
    x = np.zeros(2)
    p = np.eye(2) * 10
    f = np.array([[1.0, 1.0], [0, 1]])
    h = np.array([[1.0, 0.0]])
    out = np.empty((len(z), 2))
    for k in range(len(z)):
        x = f @ x
        p = f @ p @ f.T
        p[0, 0] += 0.1
        innovation = z[k] - (h @ x)[0]
        if abs(innovation) < gate:
            s = (h @ p @ h.T)[0, 0] + 1
            gain = (p @ h.T)[:, 0] / s
            x += gain * innovation
            p -= np.outer(gain, h @ p)
        out[k] = x
    return out, p


@called_with((V, np.array([1.0, 2, 1]) / 4), (V[:3], np.ones(3)))
def convolve_until_small(x, kernel):
    y = np.zeros_like(x)
    for rounds in range(40):
        y[:] = 0
        for i in range(len(x)):
            for k in range(len(kernel)):
                j = i + k - 1
                if 0 <= j < len(x):
                    y[i] += kernel[k] * x[j]
        if np.abs(y - x).max() < 0.5:
            return y, rounds
        x, y = y, x
    return x, -1


@called_with((M, 2.5), (M, 100.0), (P, 0.5))
def first_bigger(a, limit):
    seen = np.zeros(a.shape, bool)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            seen[i, j] = True
            if a[i, j] > limit:
                a[i, j] = 0
                return i, j, seen
    return -1, -1, seen


@called_with((np.array([0, 1, 2, 3, 4, 5]), np.array([[0, 1], [2, 3], [1, 3]])), (np.arange(3), np.zeros((0, 2), int)))
def union_find(parent, edges):
    for a, b in edges:
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[b] = a
    return parent


@called_with((20,), (2,), (50,))
def sieve(n):
    is_prime = np.ones(n + 1, bool)
    is_prime[:2] = False
    i = 2
    while i * i <= n:
        if is_prime[i]:
            is_prime[i * i :: i] = False
        i += 1
    return np.flatnonzero(is_prime)


@called_with((M,), (P,), (np.arange(6.0).reshape(2, 3),))
def normalize_rows_or_columns(a):
    w = a if a.shape[0] == a.shape[1] else a.T
    for row in w:
        total = row.sum()
        if total != 0:
            row /= total
    return a, w


@called_with((V, 0.5), (V, 5.0), (V * 0, 1.0))
def clip_or_scale(x, limit):
    y = x
    if y.max() > 8 * limit:
        y = y / y.max()
    elif y.max() > limit:
        y[y > limit] = limit
    y -= y.mean()
    half = y[: len(y) // 2]
    half += 1
    return y, x


@called_with((V, N(2)), (V, N(0)), (V, N(5)))
def momentum(x, steps):
    velocity = np.zeros_like(x)
    best, best_x = np.inf, x
    for _ in range(steps):
        gradient = 2 * (x - 3)
        velocity *= 0.9
        velocity -= 0.1 * gradient
        x = x + velocity
        loss = ((x - 3) ** 2).sum()
        if loss < best:
            best, best_x = loss, x
    best_x[0] = 0.0
    return best_x, x


@called_with((M[:, :2].copy(), M[:2, :2].copy(), N(3)), (M[:, :2].copy(), M[1:3, :2].copy(), N(0)))
def k_means(points, centers, rounds):
    labels = np.zeros(len(points), int)
    for _ in range(rounds):
        distances = ((points[:, None] - centers) ** 2).sum(-1)
        new = distances.argmin(1)
        if (new == labels).all():
            break
        labels[:] = new
        for k in range(len(centers)):
            chosen = labels == k
            if chosen.any():
                centers[k] = points[chosen].mean(0)
    return labels, centers


@called_with((V, 3), (V, 1), (V[:4], 2))
def running_median(x, width):
    window = np.zeros(width)
    out = np.empty_like(x)
    for i in range(len(x)):
        window[:-1] = window[1:]
        window[-1] = x[i]
        out[i] = np.sort(window)[width // 2]
    x[:] = out
    return x


@called_with((M, N(3)), (np.diag([2.0, 1.0]), N(0)), (M, N(1)))
def power_iteration(a, steps):
    v = np.ones(len(a))
    v /= np.linalg.norm(v)
    for _ in range(steps):
        w = a @ v
        norm = np.linalg.norm(w)
        np.divide(w, norm, out=v)
    a -= norm * np.outer(v, v) if steps else 0
    return v, a
