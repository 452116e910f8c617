# ruff: noqa
"""Numerical methods, sorting, searching and recurrences: programs as people write them in textbooks and lab notebooks."""

import math

import numpy as np
import numpy.linalg as la
from numpy import linspace, pi, sin
from conformance.textbook.collected import A, B, I, V, called_with, rng


@called_with((A + 6 * np.eye(6), B[:, 0]))
def gauss_elimination(A, b):
    A = A.copy()
    b = b.copy()
    n = len(b)
    for k in range(n - 1):
        p = np.argmax(np.abs(A[k:, k])) + k
        if A[p, k] == 0:
            raise ValueError("singular matrix")
        if p != k:
            A[[k, p]] = A[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            m = A[i, k] / A[k, k]
            A[i, k:] -= m * A[k, k:]
            b[i] -= m * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x


@called_with((A @ A.T + np.eye(6), 1e-10, 200))
def power_method(A, tol, maxit):
    v = np.ones(A.shape[0])
    v /= np.linalg.norm(v)
    lam_old = 0.0
    for it in range(maxit):
        w = A @ v
        lam = v @ w
        v = w / np.linalg.norm(w)
        if abs(lam - lam_old) < tol:
            break
        lam_old = lam
    else:
        it = -1
    return lam, v, it


@called_with((A @ A.T + np.eye(6), B[:, 0], 1e-8))
def conjugate_gradients(A, b, tol):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    history = []
    for i in range(len(b) * 10):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        rs_new = r @ r
        history.append(np.sqrt(rs_new))
        if np.sqrt(rs_new) < tol:
            break
        p = r + (rs_new / rs) * p
        rs = rs_new
    return x, np.array(history), i


@called_with((A,), (A[:3, :3],))
def qr_mgs(A):
    m, n = A.shape
    Q = np.zeros((m, n))
    R = np.zeros((n, n))
    V = A.astype(float)
    for i in range(n):
        R[i, i] = np.sqrt(np.sum(V[:, i] ** 2))
        Q[:, i] = V[:, i] / R[i, i]
        for j in range(i + 1, n):
            R[i, j] = Q[:, i] @ V[:, j]
            V[:, j] = V[:, j] - R[i, j] * Q[:, i]
    return Q, R


@called_with((A @ A.T, 30))
def qr_algorithm(A, n):
    for _ in range(n):
        Q, R = np.linalg.qr(A)
        A = R @ Q
    return np.sort(np.diag(A))


@called_with((I,), (I[::-1],), (np.array([3.5, 2.5, 2.5]),))
def mergesort(a):
    n = len(a)
    src = a.copy()
    dst = np.empty_like(src)
    width = 1
    while width < n:
        for lo in range(0, n, 2 * width):
            mid = min(lo + width, n)
            hi = min(lo + 2 * width, n)
            i, j = lo, mid
            for k in range(lo, hi):
                if i < mid and (j >= hi or src[i] <= src[j]):
                    dst[k] = src[i]
                    i += 1
                else:
                    dst[k] = src[j]
                    j += 1
        src, dst = dst, src
        width *= 2
    return src


@called_with((np.sort(I), np.int64(5)), (np.sort(I), np.int64(77)), (np.sort(I), np.int64(-3)))
def binary_search(a, x):
    lo, hi = 0, len(a) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if a[mid] == x:
            return mid
        elif a[mid] < x:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1


@called_with((rng.integers(0, 2, (12, 12)), 4))
def life_roll(board, steps):
    for _ in range(steps):
        n = sum(np.roll(np.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i != 0 or j != 0))
        board = ((n == 3) | ((board == 1) & (n == 2))).astype(int)
    return board


@called_with((V, 3), (V, 5))
def moving_average(x, w):
    c = np.cumsum(np.insert(x, 0, 0))
    return (c[w:] - c[:-w]) / w


@called_with((V,), (V[:5],))
def fft_rec(x):
    n = x.shape[0]
    if n % 2:
        k = np.arange(n)
        M = np.exp(-2j * np.pi * k[:, None] * k / n)
        return M @ x
    e, o = fft_rec(x[::2]), fft_rec(x[1::2])
    f = np.exp(-2j * np.pi * np.arange(n) / n)
    return np.concatenate([e + f[: n // 2] * o, e + f[n // 2 :] * o])


@called_with((rng.random((30, 2)), 3))
def kmeans(X, k):
    centers = X[:k].copy()
    labels = np.zeros(len(X), dtype=int)
    for it in range(50):
        d = np.linalg.norm(X[:, None] - centers[None], axis=2)
        new = d.argmin(axis=1)
        if it > 0 and np.all(new == labels):
            break
        labels = new
        for j in range(k):
            pts = X[labels == j]
            if len(pts):
                centers[j] = pts.mean(axis=0)
    inertia = ((X - centers[labels]) ** 2).sum()
    return centers, labels, inertia


@called_with((rng.random((5, 8)), rng.random((5, 8))))
def softmax_xent(logits, t):
    z = logits - logits.max(axis=1, keepdims=True)
    p = np.exp(z)
    p /= p.sum(axis=1, keepdims=True)
    loss = -np.mean(np.log(p[np.arange(len(p)), t.argmax(1)]))
    grad = p.copy()
    grad[np.arange(len(p)), t.argmax(1)] -= 1
    return loss, grad / len(p)


@called_with((1.0, 0.0, 0.01, 200))
def lorenz(x0, y0, dt, n):
    xs = np.empty((n, 3))
    xs[0] = (x0, y0, 1.05)
    for i in range(n - 1):
        x, y, z = xs[i]
        xs[i + 1] = xs[i] + dt * np.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])
    return xs


@called_with((np.linspace(0, 1, 11), 0.4, 20))
def advection_upwind(u, c, nt):
    for n in range(nt):
        un = u.copy()
        u[1:] = un[1:] - c * (un[1:] - un[:-1])
        u[0] = 0
    return u


@called_with((A.copy(), 30, 1e-3))
def laplace_sor(u, maxit, tol):
    omega = 1.5
    for it in range(maxit):
        err = 0.0
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                old = u[i, j]
                u[i, j] = (1 - omega) * old + omega * 0.25 * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1])
                err = max(err, abs(u[i, j] - old))
        if err < tol:
            return u, it
    return u, maxit


@called_with(
    (np.float64(2.0), 1e-12),
    (np.float64(-2.0), 1e-12),
)
def newton_sqrt(a, tol):
    if a < 0:
        raise ValueError("negative")
    x = a
    n = 0
    while abs(x * x - a) > tol * a:
        x = 0.5 * (x + a / x)
        n += 1
        if n > 50:
            break
    return x, n


@called_with((np.array([48, 18, 0, 7]), np.array([36, 24, 5, 14])))
def gcd_array(a, b):
    a, b = a.copy(), b.copy()
    while np.any(b):
        m = b != 0
        t = np.where(m, a % np.where(m, b, 1), 0)
        a = np.where(m, b, a)
        b = t
    return a


@called_with((np.int64(360),), (np.int64(97),), (np.int64(1),))
def factorize(n):
    factors = []
    p = 2
    while p * p <= n:
        while n % p == 0:
            factors.append(p)
            n //= p
        p += 1
    if n > 1:
        factors.append(n)
    return np.array(factors, dtype=np.int64)


@called_with((10,), (np.int64(10),))
def fib(n):
    a, b = 0, 1
    out = np.zeros(int(n), dtype=np.int64)
    for i in range(n):
        out[i] = a
        a, b = b, a + b
    return out


@called_with((6,))
def pascal(n):
    P = np.zeros((n, n), dtype=int)
    P[:, 0] = 1
    for i in range(1, n):
        for j in range(1, i + 1):
            P[i, j] = P[i - 1, j - 1] + P[i - 1, j]
    return P


@called_with((8,))
def magic_square(n):
    n = n | 1
    M = np.zeros((n, n), int)
    i, j = 0, n // 2
    for k in range(1, n * n + 1):
        M[i, j] = k
        ni, nj = (i - 1) % n, (j + 1) % n
        if M[ni, nj]:
            i = (i + 1) % n
        else:
            i, j = ni, nj
    return M


@called_with((rng.random((4, 4)) > 0.5,))
def largest_square(M):
    D = np.zeros(M.shape, int)
    best = 0
    for i in range(M.shape[0]):
        for j in range(M.shape[1]):
            if M[i, j]:
                D[i, j] = 1 if i == 0 or j == 0 else 1 + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
                if D[i, j] > best:
                    best = D[i, j]
    return best, D


@called_with((V, 4), (I.astype(float), 5))
def histogram_manual(x, bins):
    lo, hi = x.min(), x.max()
    counts = np.zeros(bins, dtype=int)
    for v in x:
        b = int((v - lo) / (hi - lo) * bins)
        if b == bins:
            b -= 1
        counts[b] += 1
    return counts, np.linspace(lo, hi, bins + 1)


@called_with((rng.random(50), 0.3))
def ema_crossings(x, alpha):
    e = np.empty_like(x)
    e[0] = x[0]
    ups = 0
    state = None
    for i in range(1, len(x)):
        e[i] = alpha * x[i] + (1 - alpha) * e[i - 1]
        above = x[i] > e[i]
        if state is not None and above and not state:
            ups += 1
        state = above
    return e, ups


@called_with((rng.random((8, 2)),))
def convex_hull_area(P):
    c = P.mean(axis=0)
    order = np.argsort(np.arctan2(P[:, 1] - c[1], P[:, 0] - c[0]))
    P = P[order]
    x, y = P.T
    return 0.5 * np.abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))), order


@called_with((V,), (np.array([]),), (np.array([1.0]),))
def stats(x):
    if x.size == 0:
        return {"n": 0, "mean": None}
    m = x.mean()
    s = x.std(ddof=1) if x.size > 1 else 0.0
    med = np.median(x)
    q1, q3 = np.percentile(x, [25, 75])
    skew = np.mean(((x - m) / s) ** 3) if s > 0 else np.nan
    return {"n": x.size, "mean": m, "std": s, "median": med, "iqr": q3 - q1, "skew": skew}


@called_with(("hello world",))
def caesar(text):
    a = np.frombuffer(text.encode(), dtype=np.uint8).copy()
    low = (a >= 97) & (a <= 122)
    a[low] = (a[low] - 97 + 3) % 26 + 97
    return a.tobytes().decode()


@called_with((np.int64(27),))
def collatz(n):
    steps = 0
    peak = n
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        peak = max(peak, n)
        steps += 1
    return steps, peak


@called_with((rng.integers(0, 5, 20), rng.integers(0, 5, 20), 5))
def confusion(t, p, n):
    M = np.zeros((n, n), int)
    np.add.at(M, (t, p), 1)
    tp = np.diag(M)
    with np.errstate(divide="ignore", invalid="ignore"):
        prec = tp / M.sum(0)
        rec = tp / M.sum(1)
        f1 = 2 * prec * rec / (prec + rec)
    return M, np.nan_to_num(prec), np.nan_to_num(rec), np.nan_to_num(f1)
