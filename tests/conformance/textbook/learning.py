# ruff: noqa
"""Statistics, learning machines and the idioms of notebooks: programs as people write them."""

import math
from collections import namedtuple

import numpy as np
from conformance.textbook.collected import called_with

rng = np.random.default_rng(1)
x1 = rng.normal(2, 1, 25)
TR = np.array([[0.7, 0.3], [0.4, 0.6]])
EM = np.array([[0.1, 0.4, 0.5], [0.6, 0.3, 0.1]])
PI = np.array([0.6, 0.4])
Summary = namedtuple("Summary", "mean std median skew kurt")
X = np.array([1.0, -2.0, 3.0, -4.0, 5.0])
M = rng.random((4, 3))


@called_with((x1, 200, 0), (x1[:10], 50, 1), (np.array([]), 10, 0))
def bootstrap_ci(data, n_boot=1000, seed=0):
    rng = np.random.default_rng(seed)
    n = len(data)
    if n == 0:
        raise ValueError("need at least one observation")
    means = []
    for _ in range(n_boot):
        sample = rng.choice(data, size=n, replace=True)
        means.append(np.mean(sample))
    lo, hi = np.percentile(means, [2.5, 97.5])
    return np.mean(means), (lo, hi)


@called_with((x1, 300, 1), (x1[:5], 50, 2))
def metropolis_normal(data, n_samples, seed):
    np.random.seed(seed)
    mu = 0.0
    samples = np.zeros(n_samples)
    accepted = 0

    def log_post(m):
        return -0.5 * np.sum((data - m) ** 2) - 0.5 * m**2 / 100

    current = log_post(mu)
    for i in range(n_samples):
        prop = mu + 0.5 * np.random.randn()
        new = log_post(prop)
        if np.log(np.random.rand()) < new - current:
            mu = prop
            current = new
            accepted += 1
        samples[i] = mu
    rate = accepted / n_samples
    print(f"acceptance rate: {rate:.2%}")
    return samples, rate


@called_with((np.array([0, 1, 2, 1, 0]), TR, EM, PI), (np.array([2, 2, 0]), TR, EM, PI))
def viterbi(obs, A, B, pi):
    T = obs.shape[0]
    n = A.shape[0]
    with np.errstate(divide="ignore"):
        logA, logB = np.log(A), np.log(B)
    delta = np.log(pi) + logB[:, obs[0]]
    back = np.zeros((T, n), dtype=int)
    for t in range(1, T):
        scores = delta[:, None] + logA
        back[t] = np.argmax(scores, axis=0)
        delta = np.max(scores, axis=0) + logB[:, obs[t]]
    path = [np.argmax(delta)]
    for t in range(T - 1, 0, -1):
        path.insert(0, back[t, path[0]])
    return path, delta.max()


@called_with((x1,), (np.arange(5.0),), (np.arange(4),), (np.array(["a", "b"]),))
def describe(x):
    m, s = np.mean(x), np.std(x)
    z = (x - m) / s
    return Summary(m, s, np.median(x), np.mean(z**3), np.mean(z**4) - 3)


@called_with((np.array([[1, 0, 1], [0, 1, 1], [1, 1, 1], [0, 0, 1]]), np.array([1, 0, 1, 0])))
def naive_bayes_bernoulli(X, y):
    classes = np.unique(y)
    priors = {}
    likes = {}
    for cl in [0, 1]:
        Xc = X[y == cl]
        priors[cl] = Xc.shape[0] / X.shape[0]
        likes[cl] = (Xc.sum(axis=0) + 1) / (Xc.shape[0] + 2)
    preds = []
    for row in X:
        scores = [np.log(priors[cl]) + np.sum(np.log(np.where(row == 1, likes[cl], 1 - likes[cl]))) for cl in [0, 1]]
        preds.append(np.argmax(scores))
    return classes, np.array(preds)


@called_with((x1,), (np.array([1.0, 2.0, 3.0, 50.0]),))
def iqr_outliers(x):
    q1, q3 = np.percentile(x, [25, 75])
    iqr = q3 - q1
    lower, upper = q1 - 1.5 * iqr, q3 + 1.5 * iqr
    (idx,) = np.where((x < lower) | (x > upper))
    cleaned = np.delete(x, idx)
    return cleaned, idx, {"q1": q1, "q3": q3}


@called_with((20, 0.1, 3), (30, 0.3, 4))
def particle_filter(n, q, seed):
    rng = np.random.default_rng(seed)
    truth, obs = [0.0], []
    for _ in range(10):
        truth.append(truth[-1] + rng.normal(0, q))
        obs.append(truth[-1] + rng.normal(0, 0.2))
    p = rng.normal(0, 1, n)
    est = []
    for z in obs:
        p = p + rng.normal(0, q, n)
        w = np.exp(-0.5 * ((z - p) / 0.2) ** 2)
        w /= w.sum()
        est.append((w * p).sum())
        if 1.0 / np.sum(w**2) < n / 2:
            positions = (rng.random() + np.arange(n)) / n
            p = p[np.minimum(np.searchsorted(np.cumsum(w), positions), n - 1)]
    return np.array(est), np.array(truth[1:])


@called_with((rng.random((2, 4, 8)), 2, True), (rng.random((1, 3, 8)), 4, False), (rng.random((2, 4, 8)), 3, True))
def multihead(x, heads, causal):
    B, T, D = x.shape
    assert D % heads == 0, "dim must be divisible by heads"
    hd = D // heads
    r = np.random.default_rng(0)
    Wq, Wk, Wv, Wo = (r.standard_normal((D, D)) * 0.1 for _ in range(4))
    q, k, v = [(x @ W).reshape(B, T, heads, hd).transpose(0, 2, 1, 3) for W in (Wq, Wk, Wv)]
    att = q @ k.swapaxes(-1, -2) / np.sqrt(hd)
    if causal:
        mask = np.triu(np.ones((T, T), dtype=bool), k=1)
        att = np.where(mask, -np.inf, att)
    att = np.exp(att - att.max(axis=-1, keepdims=True))
    att /= att.sum(axis=-1, keepdims=True)
    out = (att @ v).transpose(0, 2, 1, 3).reshape(B, T, D)
    return out @ Wo, att


@called_with((np.log(rng.dirichlet(np.ones(4), 5)), 2), (np.log(rng.dirichlet(np.ones(3), 4)), 3))
def beam_search(logp, width):
    T, V = logp.shape
    beams = [([], 0.0)]
    for t in range(T):
        cand = []
        for seq, score in beams:
            for w in range(V):
                cand.append((seq + [w], score + logp[t, w]))
        cand.sort(key=lambda s: s[1], reverse=True)
        beams = cand[:width]
    return beams


@called_with((np.array([1, 0, 1, 1, 0]), np.array([0.9, 0.4, 0.6, 0.3, 0.1])), (np.array([0, 1]), np.array([0.2, 0.1])))
def roc_auc(labels, scores):
    order = np.argsort(scores)[::-1]
    labels = labels[order]
    tps = np.cumsum(labels)
    fps = np.cumsum(1 - labels)
    tpr = np.r_[0, tps / tps[-1]]
    fpr = np.r_[0, fps / fps[-1]]
    return np.trapezoid(tpr, fpr), fpr, tpr


class RunningStats:
    def __init__(self):
        self.n = 0
        self.mean = 0.0
        self.M2 = 0.0

    def push(self, x):
        self.n += 1
        delta = x - self.mean
        self.mean += delta / self.n
        self.M2 += delta * (x - self.mean)
        return self

    @property
    def var(self):
        return self.M2 / (self.n - 1) if self.n > 1 else 0.0

    def __len__(self):
        return self.n

    def __repr__(self):
        return f"RunningStats(n={self.n}, mean={self.mean:.3f})"


@called_with((X,), (X[:2],))
def running_stats(x):
    rs = RunningStats()
    for v in x:
        rs.push(v)
    print(rs)
    return len(rs), rs.mean, rs.var


@called_with((X,), (X * 0,), (np.array([1.0, np.nan]),))
def masked_updates(x):
    if np.any(np.isnan(x)):
        raise ValueError("NaN in input")
    y = x.copy()
    y[y < 0] = 0
    y[(y > 2) & (y < 4)] *= 10
    y[np.abs(y) > 40] = np.nan
    y = np.where(np.isnan(y), -1, y)
    np.clip(y, None, 20, out=y)
    x += 1
    x[::2] -= 0.5
    return y, (x > 0).sum(), np.count_nonzero(x)


@called_with((M,), (M[:2],))
def comprehensions(A):
    rows = {i: row.sum() for i, row in enumerate(A)}
    flat = [v for row in A for v in row]
    pos = [j for j in range(A.shape[1]) if A[:, j].mean() > 0.5]
    t = tuple(np.max(cx) for cx in A.T)
    return rows, flat[:3], len(flat), pos, t


@called_with((X,), (X - 20,))
def chained(x):
    m = x.mean()
    label = "low" if m < 0 else "mid" if m < 1 else "high"
    ok = -1 < m < 1 <= x.max()
    first = next((i for i in range(len(x)) if i > 2), None)
    s = ""
    for v in x:
        s += "+" if v > 0 else "-"
    return label, ok, first, s, not ok


@called_with((X, [0.1, 0.5]), (X, [1.0]))
def grid_search(x, lams):
    results = []
    for lam in lams:
        w = x / (1 + lam)
        results.append({"lam": lam, "err": ((x - w) ** 2).mean()})
    best = min(results, key=lambda r: r["err"])
    table = "\n".join(f"{r['lam']:>5} {r['err']:.3f}" for r in results)
    return best, table


@called_with((np.array([5, 3, 8, 1, 9, 2]), 3), (np.array([2.5, 2, 1]), 1), (np.array([1, 2]), 5))
def quickselect(a, k):
    if k >= len(a):
        raise IndexError("k out of range")
    lo, hi = 0, len(a) - 1
    while lo < hi:
        p = a[(lo + hi) // 2]
        i, j = lo, hi
        while i <= j:
            while a[i] < p:
                i += 1
            while a[j] > p:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        if k <= j:
            hi = j
        elif k >= i:
            lo = i
        else:
            break
    return a[k]


@called_with((X,), (X + 10,), (X[:0],), (X.reshape(1, -1),))
def asserts_and_types(x):
    assert isinstance(x, np.ndarray), "need array"
    assert x.ndim == 1, f"expected 1-D, got {x.ndim}-D"
    if x.size == 0:
        raise ValueError("empty input")
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(float)
    lo, hi = float(x.min()), float(x.max())
    n = int(hi - lo)
    return (x - lo) / (hi - lo), n, type(lo).__name__, round(hi / 3, 2), abs(lo), divmod(n, 4)
