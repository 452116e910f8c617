# ruff: noqa
"""Images, learning, graphs, dynamic programming, interpolation and simulation: programs as people write them in textbooks and lab notebooks."""

import math

import numpy as np
import numpy.linalg as la
from numpy import linspace, pi, sin
from conformance.textbook.collected import A, V, called_with, rng


IMG = rng.integers(0, 256, (16, 16)).astype(np.uint8)


@called_with((IMG,))
def hist_equalize(img):
    hist, bins = np.histogram(img.flatten(), 256, (0, 256))
    cdf = hist.cumsum()
    cdf_m = np.ma.masked_equal(cdf, 0) if False else cdf
    lut = (cdf_m - cdf_m.min()) * 255 / (cdf_m.max() - cdf_m.min())
    return lut.astype("uint8")[img]


@called_with((IMG, 128), (IMG, None))
def threshold(img, t):
    if t is None:
        t = img.mean()
    out = np.zeros_like(img)
    out[img > t] = 255
    return out


@called_with((IMG.astype(float), np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16))
def conv2d_same(img, k):
    kh, kw = k.shape
    p = np.pad(img, ((kh // 2,), (kw // 2,)), mode="edge")
    out = np.zeros_like(img)
    for i in range(kh):
        for j in range(kw):
            out += k[i, j] * p[i : i + img.shape[0], j : j + img.shape[1]]
    return out


@called_with((rng.random((4, 10, 10, 3)), rng.random((3, 3, 3, 5))))
def conv_layer(x, w):
    N, H, W, C = x.shape
    kh, kw, _, F = w.shape
    out = np.empty((N, H - kh + 1, W - kw + 1, F), dtype=x.dtype)
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            out[:, i, j, :] = np.sum(x[:, i : i + kh, j : j + kw, :, np.newaxis] * w[np.newaxis], axis=(1, 2, 3))
    return np.maximum(out, 0)


@called_with((rng.random((2, 6, 6, 3)),))
def maxpool(x):
    out = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return out


@called_with((rng.random((20, 3)), rng.integers(0, 2, 20), 0.1, 50))
def logreg(X, y, lr, n):
    X = np.c_[np.ones(len(X)), X]
    w = np.zeros(X.shape[1])
    losses = []
    for epoch in range(n):
        p = 1 / (1 + np.exp(-X @ w))
        w -= lr * X.T @ (p - y) / len(y)
        if epoch % 10 == 0:
            losses.append(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))
    return w, losses, ((p > 0.5) == y).mean()


@called_with((rng.random((30, 2)), 3, 0.2))
def dbscan(X, min_pts, eps):
    n = len(X)
    labels = np.full(n, -1)
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    visited = np.zeros(n, bool)
    c = 0
    for i in range(n):
        if visited[i]:
            continue
        visited[i] = True
        nb = list(np.where(D[i] < eps)[0])
        if len(nb) < min_pts:
            continue
        labels[i] = c
        while nb:
            j = nb.pop()
            if not visited[j]:
                visited[j] = True
                nj = np.where(D[j] < eps)[0]
                if len(nj) >= min_pts:
                    nb.extend(nj)
            if labels[j] == -1:
                labels[j] = c
        c += 1
    return labels, c


@called_with((rng.random((15, 2)), np.array([0.5, 0.5]), 3))
def knn(X, q, k):
    d = np.linalg.norm(X - q, axis=1)
    idx = np.argpartition(d, k)[:k]
    idx = idx[np.argsort(d[idx])]
    return idx, d[idx]


@called_with((rng.random((8, 8)),))
def mst_prim(W):
    W = (W + W.T) / 2
    n = W.shape[0]
    intree = np.zeros(n, dtype=bool)
    intree[0] = True
    dist = W[0].copy()
    parent = np.zeros(n, dtype=int)
    total = 0.0
    for _ in range(n - 1):
        d = np.where(intree, np.inf, dist)
        j = int(np.argmin(d))
        total += d[j]
        intree[j] = True
        upd = ~intree & (W[j] < dist)
        dist[upd] = W[j][upd]
        parent[upd] = j
    return parent, total


@called_with((rng.integers(1, 20, 8), rng.integers(1, 10, 8), 20))
def knapsack01(v, w, cap):
    n = len(v)
    K = np.zeros((n + 1, cap + 1), dtype=int)
    for i in range(1, n + 1):
        for c in range(cap + 1):
            if w[i - 1] <= c:
                K[i, c] = max(v[i - 1] + K[i - 1, c - w[i - 1]], K[i - 1, c])
            else:
                K[i, c] = K[i - 1, c]
    c = cap
    chosen = []
    for i in range(n, 0, -1):
        if K[i, c] != K[i - 1, c]:
            chosen.append(i - 1)
            c -= w[i - 1]
    return K[n, cap], chosen


@called_with((np.array([1, 0, 1, 1, 0, 0, 1]),), (np.zeros(3, int),), (np.array([], int),))
def rle(x):
    if len(x) == 0:
        return np.array([]), np.array([])
    change = np.flatnonzero(np.diff(x)) + 1
    starts = np.r_[0, change]
    lengths = np.diff(np.r_[starts, len(x)])
    return x[starts], lengths


@called_with((V, np.array([0.2, 0.5, 0.9])))
def interp_linear(x, xi):
    xs = np.sort(x)
    ys = xs**2
    j = np.clip(np.searchsorted(xs, xi) - 1, 0, len(xs) - 2)
    t = (xi - xs[j]) / (xs[j + 1] - xs[j])
    return (1 - t) * ys[j] + t * ys[j + 1]


@called_with((np.linspace(0, 1, 6), np.array([0.0, 1, 0, 2, 1, 3])))
def cubic_spline_coeffs(x, y):
    n = len(x) - 1
    h = np.diff(x)
    alpha = np.zeros(n)
    for i in range(1, n):
        alpha[i] = 3 / h[i] * (y[i + 1] - y[i]) - 3 / h[i - 1] * (y[i] - y[i - 1])
    l = np.ones(n + 1)
    mu = np.zeros(n)
    z = np.zeros(n + 1)
    for i in range(1, n):
        l[i] = 2 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1]
        mu[i] = h[i] / l[i]
        z[i] = (alpha[i] - h[i - 1] * z[i - 1]) / l[i]
    c = np.zeros(n + 1)
    b = np.zeros(n)
    d = np.zeros(n)
    for j in range(n - 1, -1, -1):
        c[j] = z[j] - mu[j] * c[j + 1]
        b[j] = (y[j + 1] - y[j]) / h[j] - h[j] * (c[j + 1] + 2 * c[j]) / 3
        d[j] = (c[j + 1] - c[j]) / (3 * h[j])
    return y[:-1], b, c[:-1], d


@called_with((lambda x: x**3 - 2, 1.0, 2.0, 1e-10), (lambda x: x**2 + 1, 0.0, 1.0, 1e-8))
def secant_bisect(f, a, b, tol):
    fa, fb = f(a), f(b)
    if fa * fb > 0:
        return None
    while b - a > tol:
        m = (a + b) / 2
        fm = f(m)
        if fa * fm <= 0:
            b, fb = m, fm
        else:
            a, fa = m, fm
    return (a + b) / 2


@called_with((np.float64(1.0), np.float64(2.0), 1e-10), (np.float64(3.0), np.float64(4.0), 1e-8))
def bisect_np(a, b, tol):
    f = lambda x: x**3 - 2
    fa, fb = f(a), f(b)
    if fa * fb > 0:
        return None
    n = 0
    while b - a > tol:
        m = (a + b) / 2
        fm = f(m)
        n += 1
        if fa * fm <= 0:
            b, fb = m, fm
        else:
            a, fa = m, fm
    return (a + b) / 2, n


@called_with((50, 0.1, 42), (10, 0.5, 1))
def random_walk(n, step, seed):
    rng = np.random.default_rng(seed)
    pos = np.zeros((n, 2))
    for i in range(1, n):
        ang = rng.uniform(0, 2 * np.pi)
        pos[i] = pos[i - 1] + step * np.array([np.cos(ang), np.sin(ang)])
    return pos, np.hypot(*pos[-1])


@called_with(
    (200, 3),
)
def monte_carlo(n, seed):
    np.random.seed(seed)
    x, y = np.random.rand(2, n)
    inside = x**2 + y**2 <= 1
    return 4 * inside.sum() / n, np.random.randint(0, 10, 3), np.random.choice(5, 2, replace=False)


@called_with((rng.random(5), rng.random((5, 5)), rng.random((5, 5)), 3))
def kalman(x, F, H, n):
    P = np.eye(5)
    R = 0.1 * np.eye(5)
    Q = 0.01 * np.eye(5)
    out = []
    for k in range(n):
        x = F @ x
        P = F @ P @ F.T + Q
        z = H @ x + 0.1 * k
        S = H @ P @ H.T + R
        K = P @ H.T @ la.inv(S)
        x = x + K @ (z - H @ x)
        P = (np.eye(5) - K @ H) @ P
        out.append(np.trace(P))
    return x, np.array(out)


@called_with((A,), (A[:3, :3],))
def adjugate(A):
    n = A.shape[0]
    C = np.zeros_like(A)
    for i in range(n):
        for j in range(n):
            M = np.delete(np.delete(A, i, axis=0), j, axis=1)
            C[i, j] = (-1) ** (i + j) * np.linalg.det(M)
    return C.T


@called_with((A,))
def matrix_exp(A):
    term = np.eye(A.shape[0])
    s = term.copy()
    k = 1
    while np.abs(term).max() > 1e-16:
        term = term @ A / k
        s += term
        k += 1
    return s, k


@called_with(("ACGTTGCA", "ACTTGA"))
def needleman(a, b):
    S = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    S[:, 0] = -np.arange(len(a) + 1)
    S[0, :] = -np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            S[i, j] = max(S[i - 1, j - 1] + (1 if a[i - 1] == b[j - 1] else -1), S[i - 1, j] - 1, S[i, j - 1] - 1)
    return S


@called_with((rng.integers(0, 4, 12), rng.integers(0, 4, 10)))
def lcs(a, b):
    L = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int32)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            L[i + 1, j + 1] = L[i, j] + 1 if x == y else max(L[i, j + 1], L[i + 1, j])
    i, j = len(a), len(b)
    out = []
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            out.append(a[i - 1])
            i -= 1
            j -= 1
        elif L[i - 1, j] >= L[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return out[::-1], L


@called_with((6,))
def nqueens_count(n):
    count = 0
    cols = np.zeros(n, int)

    def ok(r):
        for i in range(r):
            if cols[i] == cols[r] or abs(cols[i] - cols[r]) == r - i:
                return False
        return True

    r = 0
    cols[0] = -1
    while r >= 0:
        cols[r] += 1
        while cols[r] < n and not ok(r):
            cols[r] += 1
        if cols[r] < n:
            if r == n - 1:
                count += 1
            else:
                r += 1
                cols[r] = -1
        else:
            r -= 1
    return count


@called_with((np.array([[1.0, 2, 3], [4, 5, 6]]),))
def standardize(X):
    mu = X.mean(0)
    sd = X.std(0)
    sd[sd == 0] = 1.0
    Z = (X - mu) / sd
    assert np.allclose(Z.mean(0), 0)
    return Z, mu, sd


@called_with((rng.random((10, 10)), 0.5, 20))
def ising_metropolis(J, T, n):
    rng = np.random.default_rng(5)
    s = np.where(J > 0.5, 1, -1)
    L = s.shape[0]
    E = []
    for k in range(n):
        i, j = rng.integers(0, L, 2)
        dE = 2 * s[i, j] * (s[(i + 1) % L, j] + s[i - 1, j] + s[i, (j + 1) % L] + s[i, j - 1])
        if dE < 0 or rng.random() < np.exp(-dE / T):
            s[i, j] *= -1
        E.append(s.sum())
    return s, np.array(E)


@called_with((linspace(0, 2 * pi, 50),))
def simpson(x):
    y = sin(x)
    n = len(x)
    if n % 2 == 0:
        x, y = x[:-1], y[:-1]
        n -= 1
    h = (x[-1] - x[0]) / (n - 1)
    return h / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum())


@called_with((np.float64(0.5),), (np.float64(-1.5),))
def taylor_sin(x):
    term = x
    s = x
    k = 1
    while abs(term) > 1e-15:
        term *= -x * x / ((2 * k) * (2 * k + 1))
        s += term
        k += 1
    return s


@called_with((rng.random(12),))
def bitonic_ops(x):
    y = x.reshape(3, 4)
    y[:, ::2], y[:, 1::2] = y[:, 1::2].copy(), y[:, ::2].copy()
    x[::3] = 0
    z = y.T
    z[0] += 10
    return x, y, z, y.flags.c_contiguous, z.flags["F_CONTIGUOUS"], x.strides, y.nbytes


@called_with((np.arange(10), 3))
def rolling_windows(x, w):
    sw = np.lib.stride_tricks.sliding_window_view(x, w)
    return sw.mean(axis=1), sw.max(axis=1), sw


@called_with((["a", "bb", "a", "ccc", "bb", "a"],))
def count_words(words):
    u, c = np.unique(np.array(words), return_counts=True)
    order = np.argsort(-c, kind="stable")
    return dict(zip(u[order].tolist(), c[order].tolist()))
