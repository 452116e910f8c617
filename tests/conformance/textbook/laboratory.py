# ruff: noqa
"""Numerics, signals, finance, graphs and games: programs as people write them in exercises and lab notebooks."""

import math
from collections import namedtuple

import numpy as np
from conformance.textbook.collected import called_with

rng = np.random.default_rng(1)
A5 = rng.random((5, 5)) + 5 * np.eye(5)
S5 = A5 @ A5.T
b5 = rng.random(5)
IMG = rng.integers(0, 256, (10, 12)).astype(np.uint8)
SIG = np.sin(np.arange(64) * 0.3) + 0.1 * rng.standard_normal(64)


@called_with((np.array([1.0, 0.0]), 5.0, 1e-6), (np.array([0.5, 0.2]), 2.0, 1e-4))
def rkf45(y0, t_end, tol):
    def f(t, y):
        return np.array([y[1], -y[0] + 0.1 * np.cos(t)])

    t = 0.0
    y = y0.copy()
    h = 0.1
    ts = [t]
    ys = [y.copy()]
    n_rejected = 0
    while t < t_end:
        if t + h > t_end:
            h = t_end - t
        k1 = h * f(t, y)
        k2 = h * f(t + h / 4, y + k1 / 4)
        k3 = h * f(t + 3 * h / 8, y + 3 * k1 / 32 + 9 * k2 / 32)
        k4 = h * f(t + 12 * h / 13, y + 1932 * k1 / 2197 - 7200 * k2 / 2197 + 7296 * k3 / 2197)
        k5 = h * f(t + h, y + 439 * k1 / 216 - 8 * k2 + 3680 * k3 / 513 - 845 * k4 / 4104)
        k6 = h * f(t + h / 2, y - 8 * k1 / 27 + 2 * k2 - 3544 * k3 / 2565 + 1859 * k4 / 4104 - 11 * k5 / 40)
        err = np.max(np.abs(k1 / 360 - 128 * k3 / 4275 - 2197 * k4 / 75240 + k5 / 50 + 2 * k6 / 55))
        if err <= tol:
            t = t + h
            y = y + 25 * k1 / 216 + 1408 * k3 / 2565 + 2197 * k4 / 4104 - k5 / 5
            ts.append(t)
            ys.append(y.copy())
        else:
            n_rejected += 1
        s = 0.84 * (tol / max(err, 1e-16)) ** 0.25
        h = min(max(0.1 * h, s * h), 4.0 * h)
        if h < 1e-10:
            raise RuntimeError(f"step size too small at t={t}")
    return np.array(ts), np.array(ys), n_rejected


@called_with((A5, b5, 1.1, 200, 1e-10), (S5, b5, 1.5, 100, 1e-8), (A5, b5, 1.0, 2, 1e-14))
def sor(A, b, omega, max_iter, tol):
    n = len(b)
    x = np.zeros(n)
    for it in range(max_iter):
        x_old = x.copy()
        for i in range(n):
            sigma = 0.0
            for j in range(n):
                if j != i:
                    sigma += A[i, j] * x[j]
            x[i] = (1 - omega) * x[i] + omega / A[i, i] * (b[i] - sigma)
        if np.linalg.norm(x - x_old, np.inf) < tol:
            print("converged after", it + 1)
            return x, it + 1
    print("no convergence")
    return x, max_iter


@called_with((np.array([2.0, 1.0]),), (np.array([1.0, 1.0]),))
def newton_system(x):
    x = x.astype(np.float64)
    for i in range(20):
        F = np.array([x[0] ** 2 + x[1] ** 2 - 4, np.exp(x[0]) + x[1] - 1])
        J = np.array([[2 * x[0], 2 * x[1]], [np.exp(x[0]), 1.0]])
        try:
            delta = np.linalg.solve(J, -F)
        except np.linalg.LinAlgError:
            print("singular")
            return None
        x += delta
        if np.linalg.norm(delta) < 1e-10:
            return x, i
    return x, 20


@called_with((np.array([1.0, -6.0, 11.0, -6.0]),), (np.array([1.0, 0.0, 1.0]),))
def durand_kerner(coeffs):
    coeffs = coeffs / coeffs[0]
    n = len(coeffs) - 1
    roots = (0.4 + 0.9j) ** np.arange(n)
    for _ in range(200):
        new = roots.copy()
        for i in range(n):
            others = np.delete(new, i)
            new[i] = new[i] - np.polyval(coeffs, new[i]) / np.prod(new[i] - others)
        if np.allclose(new, roots, atol=1e-13, rtol=0):
            break
        roots = new
    return np.round(np.sort_complex(roots), 8)


@called_with(
    (np.linspace(0, 1, 6), np.array([0.0, 1.0, 0.5, 2.0, 1.0, 0.0]), 0.33),
    (np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, 0.0]), 2.5),
    (np.linspace(0, 1, 6), np.zeros(5), 0.3),
)
def natural_spline(x, y, xq):
    if len(x) != len(y):
        raise ValueError(f"x has {len(x)} points, y has {len(y)}")
    n = len(x) - 1
    h = np.diff(x)
    A = np.zeros((n + 1, n + 1))
    rhs = np.zeros(n + 1)
    A[0, 0] = A[n, n] = 1
    for i in range(1, n):
        A[i, i - 1] = h[i - 1]
        A[i, i] = 2 * (h[i - 1] + h[i])
        A[i, i + 1] = h[i]
        rhs[i] = 3 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    c = np.linalg.solve(A, rhs)
    b = [(y[i + 1] - y[i]) / h[i] - h[i] * (2 * c[i] + c[i + 1]) / 3 for i in range(n)]
    d = [(c[i + 1] - c[i]) / (3 * h[i]) for i in range(n)]
    i = np.searchsorted(x, xq) - 1
    i = min(max(i, 0), n - 1)
    t = xq - x[i]
    return y[i] + b[i] * t + c[i] * t**2 + d[i] * t**3


@called_with((IMG[:8, :8].astype(float), 50), (IMG[2:10, 4:12].astype(float), 10))
def jpeg_block(block, quality):
    N = 8
    k = np.arange(N)
    C = np.sqrt(2 / N) * np.cos((2 * k[None, :] + 1) * k[:, None] * np.pi / (2 * N))
    C[0] /= np.sqrt(2)
    Q = 1 + (1 + k[:, None] + k[None, :]) * (100 - quality) / 10
    coef = C @ (block - 128) @ C.T
    q = np.round(coef / Q).astype(int)
    rec = np.clip(C.T @ (q * Q) @ C + 128, 0, 255).astype(np.uint8)
    zigzag = sorted(
        ((i, j) for i in range(8) for j in range(8)), key=lambda p: (p[0] + p[1], p[0] if (p[0] + p[1]) % 2 else p[1])
    )
    return rec, np.array([q[i, j] for i, j in zigzag]), np.count_nonzero(q)


@called_with((np.array([0.1, 0.2, 0.15]), np.array([[0.05, 0.01, 0.0], [0.01, 0.1, 0.02], [0.0, 0.02, 0.08]]), 5))
def efficient_frontier(mu, cov, n):
    ones = np.ones(len(mu))
    inv = np.linalg.inv(cov)
    A, B, C = ones @ inv @ ones, ones @ inv @ mu, mu @ inv @ mu
    D = A * C - B**2
    frontier = []
    for target in np.linspace(mu.min(), mu.max(), n):
        lam, gam = (C - B * target) / D, (A * target - B) / D
        w = inv @ (lam * ones + gam * mu)
        frontier.append((target, np.sqrt(w @ cov @ w), w))
    best = max(frontier, key=lambda p: p[0] / p[1])
    return best, [f[1] for f in frontier]


@called_with((100.0, 100.0, 0.05, 0.2, 1.0, 40, 0), (90.0, 100.0, 0.01, 0.4, 2.0, 20, 1))
def lsmc_american_put(S0, K, r, sigma, T, n, seed):
    rng = np.random.default_rng(seed)
    steps = 5
    dt = T / steps
    Z = rng.standard_normal((n, steps))
    S = S0 * np.exp(np.cumsum((r - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * Z, axis=1))
    S = np.hstack([np.full((n, 1), S0), S])
    payoff = np.maximum(K - S, 0)
    V = payoff[:, -1]
    for t in range(steps - 1, 0, -1):
        V = V * np.exp(-r * dt)
        itm = payoff[:, t] > 0
        if itm.sum() > 3:
            coef = np.polyfit(S[itm, t], V[itm], 2)
            cont = np.polyval(coef, S[itm, t])
            ex = payoff[itm, t] > cont
            idx = np.where(itm)[0][ex]
            V[idx] = payoff[idx, t]
    return np.exp(-r * dt) * V.mean(), V.std() / np.sqrt(n)


@called_with((32, 0.002, 5), (16, 0.001, 3))
def kdv_spectral(N, dt, n):
    x = np.linspace(-np.pi, np.pi, N, endpoint=False)
    u = 3 / np.cosh(x) ** 2
    k = np.fft.fftfreq(N, 1 / N)
    ik3 = 1j * k**3
    v = np.fft.fft(u)
    for step in range(n):
        g = -0.5j * dt * k
        E, E2 = np.exp(dt * ik3 / 2), np.exp(dt * ik3 / 2) ** 2
        a = g * np.fft.fft(np.real(np.fft.ifft(v)) ** 2)
        b = g * np.fft.fft(np.real(np.fft.ifft(E * (v + a / 2))) ** 2)
        v = E2 * v + (E2 * a + 2 * E * b) / 6
    return np.real(np.fft.ifft(v)), np.abs(v[: N // 2])


@called_with((SIG[:20], 2), (SIG[30:50], 5))
def find_peaks(x, distance):
    peaks = []
    for i in range(1, len(x) - 1):
        if x[i - 1] < x[i] > x[i + 1]:
            if not peaks or i - peaks[-1] >= distance:
                peaks.append(i)
            elif x[i] > x[peaks[-1]]:
                peaks[-1] = i
    return np.array(peaks), x[peaks]


@called_with((np.array([[0, 1, 4], [1, 2, 2], [0, 2, 3], [2, 3, 1], [1, 3, 7]]), 4))
def kruskal_array_parent(edges, n):
    parent = np.arange(n)
    total = 0
    count = 0
    order = np.argsort(edges[:, 2], kind="stable")
    for e in order:
        u, v, w = edges[e]
        while parent[u] != u:
            u = parent[u]
        while parent[v] != v:
            v = parent[v]
        if u != v:
            parent[u] = v
            total += w
            count += 1
    return total, count, parent


@called_with((rng.random((8, 2)),), (np.array([[0.0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]]),))
def monotone_chain(points):
    pts = points[np.lexsort((points[:, 1], points[:, 0]))]

    def cross(o, a, b):
        return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])

    lower = []
    for p in pts:
        while len(lower) >= 2 and cross(lower[-2], lower[-1], p) <= 0:
            lower.pop()
        lower.append(p)
    upper = []
    for p in reversed(pts):
        while len(upper) >= 2 and cross(upper[-2], upper[-1], p) <= 0:
            upper.pop()
        upper.append(p)
    return np.array(lower[:-1] + upper[:-1])


@called_with((np.array([3, 3, 3, 2, 2]),), (np.array([1, 2, 3, 4, 5]),))
def poker_hand(values):
    counts = np.sort(np.bincount(values, minlength=15))[::-1]
    if counts[0] == 4:
        return "four of a kind"
    if counts[0] == 3 and counts[1] == 2:
        return "full house"
    if counts[0] == 1 and values.max() - values.min() == 4:
        return "straight"
    return {3: "three of a kind", 2: "pair"}.get(int(counts[0]), "high card")


@called_with((np.array([[1, 0, 1], [0, -1, -1], [1, 0, -1]]),), (np.array([[1, 1, 1], [0, -1, -1], [0, 0, -1]]),))
def tic_tac_toe(board):
    lines = (
        [board[i] for i in range(3)] + [board[:, j] for j in range(3)] + [board.diagonal(), np.fliplr(board).diagonal()]
    )
    for line in lines:
        if (line == 1).all():
            return "X wins"
        if (line == -1).all():
            return "O wins"
    if not (board == 0).any():
        return "draw"
    return "open"


@called_with(
    (np.array([[2, 1, 1], [1, 3, 2], [1, 0, 0]]), np.array([4, 5, 6])), (np.eye(3, dtype=int), np.array([1, 2, 3]))
)
def modular_solve(A, b, p=7):
    n = len(b)
    M = np.hstack([A % p, (b % p)[:, None]])
    for cidx in range(n):
        piv = cidx
        while piv < n and M[piv, cidx] == 0:
            piv += 1
        if piv == n:
            raise ValueError("singular mod p")
        M[[cidx, piv]] = M[[piv, cidx]]
        inv = pow(int(M[cidx, cidx]), p - 2) % p
        M[cidx] = M[cidx] * inv % p
        for r in range(n):
            if r != cidx:
                M[r] = (M[r] - M[r, cidx] * M[cidx]) % p
    return M[:, -1]
