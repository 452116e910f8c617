"""Programs as practitioners write them: filters, fits, trackers and simulations, with state."""

from __future__ import annotations

import numpy as np
import scipy.linalg as sla
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from scipy import integrate, interpolate, ndimage, optimize, signal

from .harness import arrays, case, matrices


@case()
def sos_stream():
    class Stream:
        def __init__(self):
            self.sos = signal.butter(4, 0.1, output="sos")
            self.zi = signal.sosfilt_zi(self.sos)
            self.n = 0

        def process(self, block):
            y, self.zi = signal.sosfilt(self.sos, block, zi=self.zi)
            self.n += block.size
            return y

        def reset(self):
            self.zi = signal.sosfilt_zi(self.sos)

    s = Stream()

    def f(x):
        if s.n > 20:
            s.reset()
            s.n = 0
        return s.process(x)

    return f, arrays(8, 8, 8, 5, 8, 8), lambda: (s.zi, s.n)


@case()
def find_peaks_props():
    def f(x):
        peaks, props = signal.find_peaks(x, prominence=0.1, width=1)
        if len(peaks) == 0:
            return None
        best = peaks[np.argmax(props["prominences"])]
        return int(best), {k: v.max() for k, v in props.items()}

    return f, arrays(20, 20, 30) + [(np.zeros(20),)] + arrays(20, seed=4)


@case()
def stft_mask():
    def denoise(x):
        f, t, Z = signal.stft(x, fs=1.0, nperseg=16)
        Z[np.abs(Z) < 0.1] = 0
        _, y = signal.istft(Z, fs=1.0, nperseg=16)
        return y[: len(x)]

    return denoise, arrays(64, 64, 96)


@case()
def medfilt_and_diff():
    def despike(y, th):
        m = signal.medfilt(y, 5)
        bad = np.abs(y - m) > th
        y[bad] = m[bad]
        return y, int(bad.sum())

    return despike, [(x * 3, 1.0) for (x,) in arrays(20, 20, 25)]


@case()
def morphology_loop():
    def grow(seed, mask):
        n = 0
        while True:
            new = ndimage.binary_dilation(seed) & mask
            n += 1
            if np.array_equal(new, seed) or n > 10:
                break
            seed = new
        return seed, n

    m = matrices((6, 6), seed=3)[0][0] > -0.5
    s = np.zeros((6, 6), bool)
    s[2, 2] = True
    return grow, [(s, m), (s, ~m), (np.zeros((6, 6), bool), m), (s, m)]


@case()
def center_of_mass_track():
    class Tracker:
        def __init__(self):
            self.path = []
            self.prev = None

        def update(self, frame):
            c = np.array(ndimage.center_of_mass(frame))
            v = np.zeros(2) if self.prev is None else c - self.prev
            self.prev = c
            self.path.append(tuple(c))
            return v

    t = Tracker()
    return lambda x: t.update(np.abs(x)), matrices((5, 5), (5, 5), (5, 5), (6, 6)), lambda: (t.path, t.prev)


@case(graph=False)
def ndimage_output_kw():
    def f(x):
        out = np.empty_like(x)
        ndimage.uniform_filter1d(x, 3, output=out)
        return out * 2

    return f, arrays(8, 8, 10)


@case()
def savgol_too_short_raises():
    def f(x):
        return signal.savgol_filter(x, 7, 3) + 1

    return f, arrays(20, 20) + arrays(5, 20)


@case()
def logistic_class():
    class LogReg:
        def __init__(self, lam=1.0):
            self.lam = lam
            self.w = None

        def _loss(self, w, X, y):
            z = X @ w
            return np.sum(np.logaddexp(0, z) - y * z) + 0.5 * self.lam * w @ w

        def fit(self, X, y):
            self.result_ = optimize.minimize(self._loss, np.zeros(X.shape[1]), args=(X, y))
            self.w = self.result_.x
            return self

        def predict(self, X):
            return (X @ self.w > 0).astype(int)

    m = LogReg()
    rng = np.random.default_rng(0)
    return (
        lambda X, y: m.fit(X, y).predict(X),
        [
            (X, (X[:, 0] > 0).astype(float))
            for X in (rng.normal(size=(12, 2)), rng.normal(size=(12, 2)), rng.normal(size=(15, 3)))
        ],
        lambda: (m.w, m.result_.fun),
    )


@case()
def least_squares_jac():
    def fun(p, t, y):
        return p[0] + p[1] * np.exp(p[2] * t) - y

    def jac(p, t, y):
        J = np.empty((t.size, p.size))
        J[:, 0] = 1
        J[:, 1] = np.exp(p[2] * t)
        J[:, 2] = t * p[1] * np.exp(p[2] * t)
        return J

    def f(t, y):
        r = optimize.least_squares(fun, np.array([1.0, 1.0, 0.0]), jac=jac, args=(t, y), loss="soft_l1", f_scale=0.1)
        return r.x.round(5), r.cost.round(6), r.status

    t = np.linspace(0, 1, 8)
    return f, [(t, 0.5 + 2 * np.exp(-k * t)) for k in (1.0, 2.0, 0.5)]


@case()
def bounds_constraints():
    def f(w0, mu, cov, target):
        cons = [{"type": "eq", "fun": lambda w: np.sum(w) - 1}, {"type": "ineq", "fun": lambda w: w @ mu - target}]
        res = optimize.minimize(lambda w: w @ cov @ w, w0, method="SLSQP", bounds=[(0, 1)] * len(w0), constraints=cons)
        if not res.success:
            raise ValueError("no solution: " + res.message)
        return res.x.round(4)

    mu = np.array([0.1, 0.2, 0.15])
    return f, [(np.ones(3) / 3, mu, np.diag([0.1, 0.3, 0.2]), t) for t in (0.12, 0.16, 0.9, 0.12)]


@case()
def linprog_bounds():
    def f(c, A, b):
        res = optimize.linprog(c, A_ub=A, b_ub=b, bounds=[(0, None), (0, None)], method="highs")
        if res.status != 0:
            return None, res.status
        return res.x, res.fun

    return f, [
        (np.array([-1.0, k]), np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([4.0, u]))
        for k, u in ((-2.0, 6.0), (1.0, 6.0), (-2.0, -1.0), (-1.0, 5.0))
    ]


@case()
def hungarian_tracker():
    class Tracker:
        def __init__(self):
            self.tracks = np.empty((0, 2))
            self.next_id = 0
            self.ids = []

        def update(self, det):
            if len(self.tracks) == 0:
                self.tracks = det.copy()
                self.ids = list(range(len(det)))
                self.next_id = len(det)
                return self.ids
            from scipy.spatial.distance import cdist

            cost = cdist(self.tracks, det)
            r, c = optimize.linear_sum_assignment(cost)
            new_ids = [-1] * len(det)
            for i, j in zip(r, c, strict=True):
                if cost[i, j] < 2.0:
                    new_ids[j] = self.ids[i]
            for j in range(len(det)):
                if new_ids[j] == -1:
                    new_ids[j] = self.next_id
                    self.next_id += 1
            self.tracks, self.ids = det.copy(), new_ids
            return new_ids

    t = Tracker()
    return lambda d: t.update(d), matrices((3, 2), (3, 2), (4, 2), (2, 2), (3, 2)), lambda: (t.tracks, t.ids, t.next_id)


@case()
def cannon_events():
    def f(v0):
        def fall(t, y):
            return [y[1], -9.81]

        def hit(t, y):
            return y[0]

        hit.terminal = True
        hit.direction = -1
        sol = integrate.solve_ivp(fall, [0, 100], [0.0, v0], events=hit, max_step=1.0)
        return sol.t_events[0], sol.y[:, -1].round(6), sol.status

    return f, [(10.0,), (20.0,), (np.float64(5.0),)]


@case()
def sir_model():
    class SIR:
        def __init__(self, beta, gamma, N):
            self.beta, self.gamma, self.N = beta, gamma, N
            self.history = []

        def deriv(self, y, t):
            S, infected, R = y
            dS = -self.beta * S * infected / self.N
            dR = self.gamma * infected
            return dS, -dS - dR, dR

        def run(self, y0, days):
            t = np.linspace(0, days, days)
            out = integrate.odeint(self.deriv, y0, t)
            self.history.append(out[-1])
            self.beta *= 0.9
            return out.T

    m = SIR(0.3, 0.1, 1000.0)
    return lambda y0: m.run(y0, 5), [(np.array([999.0, 1.0, 0.0]),)] * 3, lambda: (m.beta, m.history)


@case()
def interp1d_self_bounds_raises():
    class Table:
        def __init__(self):
            self.fn = interpolate.interp1d([0.0, 1.0, 2.0], [0.0, 10.0, 40.0])
            self.ok = 0

        def look(self, v):
            r = self.fn(v)
            self.ok += 1
            return r

    t = Table()
    return (
        lambda v: t.look(v),
        [(np.array([0.5]),), (np.array([1.5]),), (np.array([5.0]),), (np.array([1.0]),)],
        lambda: t.ok,
    )


@case()
def ill_conditioned_warning():
    def f(A, b):
        return sla.solve(A, b) * 1.0

    bad = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-16 * 4]])
    return f, [(np.eye(2), np.ones(2)), (bad, np.ones(2)), (np.eye(2), np.ones(2)), (bad, np.ones(2))]


@case(graph=False)
def csr_inplace_self():
    class Graph:
        def __init__(self):
            self.A = sp.csr_matrix(np.eye(3))

        def scale(self, s):
            self.A.data *= s
            return self.A.sum()

        def add(self, x):
            self.A = self.A + sp.diags(x)
            return self.A @ x

    g = Graph()

    def f(x):
        g.scale(2.0)
        return g.add(x)

    return f, arrays(3, 3, 3), lambda: g.A.toarray()


@case(graph=False)
def linop_matvec_self():
    class Op(spla.LinearOperator):
        def __init__(self, d):
            super().__init__(np.float64, (len(d), len(d)))
            self.d = d

        def _matvec(self, x):
            return self.d * x.ravel()

    def f(d, b):
        x, info = spla.cg(Op(d), b)
        return x.round(8), info

    return f, [(np.abs(d) + 1, b) for (d,), (b,) in zip(arrays(4, 4, 5), arrays(4, 4, 5, seed=1), strict=True)]


@case(graph=False)
def rk45_stepper():
    def f(y0):
        solver = integrate.RK45(lambda t, y: -y, 0.0, y0, 1.0)
        n = 0
        while solver.status == "running":
            solver.step()
            n += 1
        return solver.y, n, solver.t

    return f, arrays(2, 2, 3)
