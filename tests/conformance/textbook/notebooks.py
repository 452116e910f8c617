# ruff: noqa
"""Optimisation, finance, networks, text, dates and missing values: programs as people write them in textbooks and lab notebooks."""

import math

import numpy as np
import numpy.linalg as la
from numpy import linspace, pi, sin
from conformance.textbook.collected import A, V, called_with, rng


G = (rng.random((7, 7)) < 0.4).astype(int)


W = np.where(rng.random((7, 7)) < 0.5, rng.random((7, 7)), np.inf)


@called_with((G, 0))
def bfs_levels(G, s):
    level = -np.ones(len(G), int)
    frontier = np.array([s])
    level[s] = 0
    d = 0
    while frontier.size > 0:
        nxt = np.flatnonzero((G[frontier].sum(axis=0) > 0) & (level < 0))
        d += 1
        level[nxt] = d
        frontier = nxt
    return level


@called_with((G,))
def topological(G):
    G = np.triu(G, 1)
    indeg = G.sum(0)
    order = []
    ready = list(np.flatnonzero(indeg == 0))
    while ready:
        u = ready.pop(0)
        order.append(u)
        for v in np.flatnonzero(G[u]):
            indeg[v] -= 1
            if indeg[v] == 0:
                ready.append(v)
    return order


@called_with((V, 5))
def savgol(y, w):
    h = w // 2
    out = y.copy()
    x = np.arange(-h, h + 1)
    for i in range(h, len(y) - h):
        c = np.polyfit(x, y[i - h : i + h + 1], 2)
        out[i] = np.polyval(c, 0)
    return out


@called_with((V,))
def autocorr(x):
    x = x - np.mean(x)
    r = np.correlate(x, x, mode="full")[-len(x) :]
    return r / r[0]


@called_with((np.linspace(0, 10, 40), 1.0, 0.3))
def lm_fit(t, a0, b0):
    y = 2.0 * np.exp(-0.5 * t) + 0.01 * np.sin(7 * t)
    p = np.array([a0, b0])
    lam = 1e-2
    cost = np.inf
    for k in range(30):
        m = p[0] * np.exp(-p[1] * t)
        J = np.column_stack([np.exp(-p[1] * t), -p[0] * t * np.exp(-p[1] * t)])
        r = y - m
        H = J.T @ J
        dp = np.linalg.solve(H + lam * np.diag(np.diag(H)), J.T @ r)
        new = p + dp
        c = np.sum((y - new[0] * np.exp(-new[1] * t)) ** 2)
        if c < cost:
            p, cost, lam = new, c, lam / 10
        else:
            lam *= 10
        if np.linalg.norm(dp) < 1e-8:
            break
    return p, cost


@called_with((lambda x: (x[0] - 1) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2, np.array([-1.2, 1.0])))
def nelder_mead(f, x0):
    n = len(x0)
    S = np.vstack([x0] + [x0 + np.eye(n)[i] * 0.5 for i in range(n)])
    F = np.array([f(s) for s in S])
    for it in range(60):
        o = np.argsort(F)
        S, F = S[o], F[o]
        c = S[:-1].mean(axis=0)
        xr = c + (c - S[-1])
        fr = f(xr)
        if fr < F[0]:
            xe = c + 2 * (c - S[-1])
            fe = f(xe)
            if fe < fr:
                S[-1], F[-1] = xe, fe
            else:
                S[-1], F[-1] = xr, fr
        elif fr < F[-2]:
            S[-1], F[-1] = xr, fr
        else:
            xc = c + 0.5 * (S[-1] - c)
            fc = f(xc)
            if fc < F[-1]:
                S[-1], F[-1] = xc, fc
            else:
                S[1:] = S[0] + 0.5 * (S[1:] - S[0])
                F[1:] = np.array([f(s) for s in S[1:]])
    return S[0], F[0]


@called_with((lambda t, y: np.array([y[1], -y[0]]), np.array([1.0, 0.0]), 0.0, 1.0, 1e-6))
def rk45(f, y, t, T, tol):
    h = 0.1
    steps = 0
    rejected = 0
    while t < T:
        if t + h > T:
            h = T - t
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y1 = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        e = np.max(np.abs(h * (k1 - k2))) / 50
        if e <= tol or h < 1e-4:
            t += h
            y = y1
            steps += 1
        else:
            rejected += 1
        h *= min(2.0, max(0.3, 0.9 * (tol / max(e, 1e-14)) ** 0.25))
        if steps > 500:
            break
    return y, steps, rejected


@called_with((1.0, 100, 0.01))
def brownian_stats(s0, n, sigma):
    np.random.seed(0)
    z = np.random.normal(size=(n, 10))
    p = s0 * np.exp(np.cumsum(-0.5 * sigma**2 + sigma * z, axis=0))
    dd = (np.maximum.accumulate(p) - p).max(axis=0)
    r = np.diff(np.log(p), axis=0)
    var = np.quantile(r, 0.05, axis=0)
    return p[-1], dd, var, r[r < var].mean() if (r < var).any() else None


@called_with(
    (100.0, 105.0, 1.0, 0.05, 0.2, 50, "call"),
    (100.0, 105.0, 1.0, 0.05, 0.2, 50, "put"),
    (100.0, 105.0, 1.0, 0.05, 0.2, 50, "x"),
)
def binomial_option(S, K, T, r, sigma, n, kind):
    dt = T / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    prices = S * u ** np.arange(n, -1, -1) * d ** np.arange(0, n + 1)
    if kind == "call":
        v = np.maximum(prices - K, 0)
    elif kind == "put":
        v = np.maximum(K - prices, 0)
    else:
        raise ValueError(f"unknown kind {kind!r}")
    for i in range(n - 1, -1, -1):
        v = np.exp(-r * dt) * (p * v[:-1] + (1 - p) * v[1:])
        prices = prices[:-1] * d if False else S * u ** np.arange(i, -1, -1) * d ** np.arange(0, i + 1)
        if kind == "put":
            v = np.maximum(v, K - prices)
    return v[0]


class Perceptron:
    def __init__(self, n, lr=0.1):
        self.w = np.zeros(n)
        self.b = 0.0
        self.lr = lr
        self.errors = []

    def predict(self, X):
        return np.where(X @ self.w + self.b >= 0, 1, -1)

    def fit(self, X, y, epochs):
        for _ in range(epochs):
            errors = 0
            for xi, yi in zip(X, y):
                pred = 1 if xi @ self.w + self.b >= 0 else -1
                upd = self.lr * (yi - pred)
                if upd != 0:
                    self.w = self.w + upd * xi
                    self.b += upd
                    errors += 1
            self.errors.append(errors)
        return self


@called_with((rng.normal(size=(12, 2)), 4))
def perceptron(X, epochs):
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    p = Perceptron(2)
    p.fit(X, y, epochs)
    return p.w, p.b, p.errors, p.predict(X)


@called_with((rng.random((6, 3)), rng.random((3, 4)), rng.random((4, 2)), 3))
def backprop(X, W1, W2, n):
    T = X[:, :2] * 0.5
    hist = np.zeros(n)
    for k in range(n):
        H = np.tanh(X @ W1)
        Y = H @ W2
        E = Y - T
        hist[k] = 0.5 * (E**2).sum()
        gW2 = H.T @ E
        gW1 = X.T @ ((E @ W2.T) * (1 - H**2))
        W1 -= 0.1 * gW1
        W2 -= 0.1 * gW2
    return hist


@called_with((rng.random((4, 6)), rng.random((6, 5)), rng.random((5, 5)), rng.random(5)))
def rnn(x, Wx, Wh, b):
    h = np.zeros(5)
    hs = []
    for t in range(len(x)):
        h = np.tanh(x[t] @ Wx + h @ Wh + b)
        hs.append(h)
    hs = np.stack(hs)
    return hs, hs[-1], hs.mean(0)


@called_with((rng.random((3, 8, 4)), rng.random((4, 4))))
def attention(x, w):
    q = k = v = x @ w
    s = np.einsum("bqd,bkd->bqk", q, k) / np.sqrt(x.shape[-1])
    mask = np.tril(np.ones((x.shape[1], x.shape[1]), bool))
    s = np.where(mask, s, -np.inf)
    a = np.exp(s - s.max(-1, keepdims=True))
    a /= a.sum(-1, keepdims=True)
    return a @ v, a


@called_with(
    (np.array([[2.0, 1, 1], [1, 3, 2], [1, 0, 0]]), np.array([4.0, 5, 6])),
    (np.array([[1.0, 2], [2, 4]]), np.array([1.0, 2])),
)
def cramer(A, b):
    D = np.linalg.det(A)
    if abs(D) < 1e-12:
        return None
    x = np.empty(len(b))
    for i in range(len(b)):
        M = A.copy()
        M[:, i] = b
        x[i] = np.linalg.det(M) / D
    return x


@called_with((12,), (1,))
def sieve(n):
    is_p = np.ones(n + 1, dtype=bool)
    is_p[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if is_p[i]:
            is_p[i * i :: i] = False
    return np.nonzero(is_p)[0]


@called_with((np.int64(30),))
def sieve_t(n):
    is_p = np.ones(n + 1, dtype=bool)
    is_p[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if is_p[i]:
            is_p[i * i :: i] = False
    return np.nonzero(is_p)[0]


@called_with(
    (V,),
)
def zero_crossings(x):
    s = np.sign(x - x.mean())
    s[s == 0] = 1
    idx = np.where(np.diff(s))[0]
    return idx, len(idx), np.diff(idx).mean() if len(idx) > 1 else 0.0


@called_with((rng.random((20, 2)),))
def gift_wrapping(P):
    n = len(P)
    start = int(np.argmin(P[:, 0]))
    hull = [start]
    cur = start
    while True:
        nxt = (cur + 1) % n
        for j in range(n):
            cr = (P[nxt, 0] - P[cur, 0]) * (P[j, 1] - P[cur, 1]) - (P[nxt, 1] - P[cur, 1]) * (P[j, 0] - P[cur, 0])
            if cr < 0:
                nxt = j
        if nxt == start:
            break
        hull.append(nxt)
        cur = nxt
        if len(hull) > n:
            break
    return np.array(hull)


@called_with((rng.integers(0, 9, (4, 4)),))
def spiral(M):
    out = []
    while M.size:
        out.append(M[0])
        M = M[1:].T[::-1]
    return np.concatenate(out)


@called_with((np.array([3, 1, 2]), np.array([10.0, 20, 30])), (np.array([]), np.array([])))
def weighted(w, x):
    try:
        return np.average(x, weights=w)
    except ZeroDivisionError:
        return np.nan


@called_with((V, "mean"), (V, "max"), (V, "nope"))
def dispatch(x, how):
    funcs = {"mean": np.mean, "max": np.max, "std": lambda v: v.std(ddof=1)}
    if how not in funcs:
        raise KeyError(how)
    return funcs[how](x)


@called_with((V,))
def docopt_like(x, /, *, scale=2.0, axis=None, **kw):
    """Docstring."""
    y: np.ndarray = x * scale
    y += kw.get("shift", 1.0)
    (a, *rest), b = y[:3], y[-1]
    return a, rest, b, y.sum(axis=axis)


@called_with((np.array(["b", "a", "c", "a"]),))
def factorize_strings(s):
    u, inv, cnt = np.unique(s, return_inverse=True, return_counts=True)
    return u, inv, cnt, u[np.argmax(cnt)], s == "a"


@called_with((np.array(["2024-01-31", "2024-02-29", "2023-12-25"], dtype="datetime64[D]"),))
def calendar(d):
    m = d.astype("datetime64[M]")
    first = m.astype("datetime64[D]")
    dow = (d.astype(int) - 4) % 7
    return m, (d - first).astype(int) + 1, dow, np.busday_count(first, d), d.max() - d.min(), np.sort(d)


@called_with((np.array([1.5, np.nan, 3, np.nan, 5]),))
def fill_nan(x):
    ok = ~np.isnan(x)
    x[~ok] = np.interp(np.flatnonzero(~ok), np.flatnonzero(ok), x[ok])
    return x


@called_with((rng.random((5, 4)) - 0.5,))
def signed_log(x):
    with np.errstate(all="ignore"):
        y = np.log(x)
    y[~np.isfinite(y)] = 0
    return y, np.sqrt(np.abs(x)) * np.sign(x)


@called_with((np.arange(6), 0), (np.arange(6), 2))
def div_warn(x, d):
    return x / d, x // (d or 1), 1 / x
