"""SciPy as people call it: signals, linear algebra, sparse matrices, statistics, optimisation, special functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.sparse
import scipy.sparse.linalg
import scipy.spatial
import scipy.special
from scipy import ndimage, signal, special, stats
from scipy.interpolate import CubicSpline, interp1d
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from scipy.special import expit

from .harness import arrays, case


@case()
def lfilter() -> Any:
    def f(x: Any) -> Any:
        return signal.lfilter([1.0], [1.0, -0.5], x * 2) + 1

    return f, arrays(5, 5, 8, 9)


@case()
def butterworth() -> Any:
    def f(x: Any) -> Any:
        b, a = signal.butter(3, 0.2)
        return signal.filtfilt(b, a, x - x.mean())

    return f, arrays(30, 30, 41)


@case()
def welch() -> Any:
    def f(x: Any) -> Any:
        freqs, power = signal.welch(x, fs=100.0, nperseg=16)
        return freqs[np.argmax(power)], power.sum()

    return f, arrays(64, 64, 80)


@case()
def convolve2d() -> Any:
    def f(x: Any) -> Any:
        return signal.convolve2d(x, np.ones((3, 3)) / 9, mode="same")

    rng = np.random.default_rng(0)
    return f, [(rng.normal(size=s),) for s in ((4, 5), (4, 5), (6, 6))]


@case()
def find_peaks() -> Any:
    def f(x: Any) -> Any:
        peaks, properties = signal.find_peaks(x, height=0.0)
        return x[peaks].sum(), peaks, properties["peak_heights"]

    return f, arrays(20, 20, 20, 20, 31)


@case()
def gaussian_filter() -> Any:
    def f(x: Any) -> Any:
        return ndimage.gaussian_filter(x, 1.0) - x

    rng = np.random.default_rng(0)
    return f, [(rng.normal(size=s),) for s in ((6, 5), (6, 5), (4, 4))]


@case()
def label() -> Any:
    def f(x: Any) -> Any:
        labels, count = ndimage.label(x > 0)
        sizes = ndimage.sum(x > 0, labels, np.arange(1, 3))
        return labels, count, sizes, ndimage.sobel(x)

    rng = np.random.default_rng(1)
    return f, [(rng.normal(size=(8, 8)),) for _ in range(4)]


def _systems() -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(0)
    return [(rng.normal(size=(n, n)) + 5 * np.eye(n), rng.normal(size=n)) for n in (3, 3, 4)]


@case()
def solve() -> Any:
    def f(A: Any, b: Any) -> Any:
        x = scipy.linalg.solve(A, b)
        return x, np.abs(A @ x - b).max() < 1e-8

    return f, _systems()


@case()
def solve_singular() -> Any:
    def f(A: Any, b: Any) -> Any:
        return scipy.linalg.solve(A, b) * 2

    return f, [*_systems()[:2], (np.zeros((3, 3)), np.ones(3)), *_systems()[:1]]


@case()
def cholesky_solve() -> Any:
    def f(A: Any, b: Any) -> Any:
        factor = scipy.linalg.cho_factor(A @ A.T)
        return scipy.linalg.cho_solve(factor, b)

    return f, _systems()


@case()
def lu() -> Any:
    def f(A: Any, b: Any) -> Any:
        p, lower, upper = scipy.linalg.lu(A)
        return p @ lower @ upper - A, scipy.linalg.lu_solve(scipy.linalg.lu_factor(A), b)

    return f, _systems()


@case()
def expm() -> Any:
    def f(A: Any, b: Any) -> Any:
        return scipy.linalg.expm(A / 10) @ b

    return f, _systems()


@case(graph=False)
def overwrite() -> Any:
    def f(A: Any, b: Any) -> Any:
        return scipy.linalg.solve(A, b, overwrite_a=True)

    return f, [(np.asfortranarray(A), b) for A, b in _systems()]


@case()
def sparse_global() -> Any:
    csr = scipy.sparse.csr_matrix(np.diag([1.0, 2.0, 3.0]))

    def f(x: Any) -> Any:
        return csr @ x + csr.dot(x * 2) + x @ csr

    return f, arrays(3, 3, 3)


@case()
def sparse_made_inside() -> Any:
    def f(x: Any) -> Any:
        matrix = scipy.sparse.diags([x, x[:-1]], [0, 1]).tocsr()
        return matrix @ x, matrix.sum(), (matrix * 2).toarray(), matrix.nnz

    return f, arrays(4, 4, 6)


@case()
def spsolve() -> Any:
    def f(A: Any, b: Any) -> Any:
        return scipy.sparse.linalg.spsolve(scipy.sparse.csc_matrix(A), b)

    return f, _systems()


@case()
def returns_sparse() -> Any:
    def f(x: Any) -> Any:
        return scipy.sparse.csr_matrix(x[:, None] * x)

    return f, arrays(3, 3, 4)


@case()
def logsumexp() -> Any:
    def f(x: Any) -> Any:
        return special.logsumexp(x) + special.softmax(x).sum()

    return f, arrays(3, 3, 4)


@case()
def expit_and_others() -> Any:
    def f(x: Any) -> Any:
        return expit(x) + special.gammaln(np.abs(x) + 1) * special.erf(x), special.digamma(x[0] + 10)

    return f, arrays(3, 3, 4, 5)


@case()
def expit_of_float32() -> Any:
    def f(x: Any) -> Any:
        return expit(x), expit(x.sum())

    return f, [(np.arange(3, dtype=np.float32),), (np.ones(3, np.float32),)]


@case()
def expit_in_a_loop() -> Any:
    def f(x: Any, n: Any) -> Any:
        i = 0
        while x.sum() > 0.1 and i < n:
            x = expit(x) - 0.45
            i += 1
        return x, i

    return f, [(np.ones(3), 5), (np.zeros(3), 5), (np.full(3, 3.0), 5)]


@case()
def zscore() -> Any:
    def f(x: Any) -> Any:
        return stats.zscore(x), stats.pearsonr(x, x**2)[0], stats.skew(x)

    return f, arrays(6, 6, 8)


@case()
def ttest() -> Any:
    def f(x: Any, y: Any) -> Any:
        result = stats.ttest_ind(x, y)
        return result.pvalue < 0.05, result.statistic

    rng = np.random.default_rng(0)
    return f, [(rng.normal(size=9), rng.normal(size=7) + d) for d in (0.0, 5.0, 0.0)]


@case()
def linregress() -> Any:
    def f(x: Any) -> Any:
        fit = stats.linregress(np.arange(len(x)), x)
        slope, intercept, r, p, error = stats.linregress(x, x**3)
        return fit.slope * 2, fit.intercept_stderr, slope + intercept, r

    return f, arrays(6, 6, 8)


@case()
def normal_pdf() -> Any:
    def f(x: Any) -> Any:
        return stats.norm.pdf(x).prod() + stats.norm(0, 2).cdf(x[0])

    return f, arrays(4, 4, 5)


@case()
def branch_on_pvalue() -> Any:
    def f(x: Any) -> Any:
        if stats.kstest(x, "norm").pvalue < 0.5:
            return x * 2
        return x - 1

    return f, [*arrays(9, 9, 9), (np.full(9, 40.0),)]


@case()
def simpson() -> Any:
    def f(x: Any) -> Any:
        return scipy.integrate.simpson(x**2, dx=0.1), scipy.integrate.cumulative_trapezoid(x)

    return f, arrays(5, 5, 9)


@case()
def interpolation() -> Any:
    def f(x: Any, y: Any, z: Any) -> Any:
        return interp1d(x, y)(z) + CubicSpline(x, y)(z), CubicSpline(x, y).derivative()(z)

    rng = np.random.default_rng(0)
    return f, [(np.arange(n * 1.0), rng.normal(size=n), np.array([0.5, 1.5])) for n in (4, 4, 6)]


@case()
def fft() -> Any:
    def f(x: Any) -> Any:
        return np.abs(scipy.fft.rfft(x)), scipy.fft.irfft(scipy.fft.rfft(x))

    return f, arrays(8, 8, 16)


@case()
def distances() -> Any:
    def f(p: Any, q: Any) -> Any:
        return cdist(p, q).argmin(axis=1)

    rng = np.random.default_rng(0)
    return f, [(rng.normal(size=(n, 2)), rng.normal(size=(3, 2))) for n in (4, 4, 6)]


@case()
def tree() -> Any:
    def f(p: Any, q: Any) -> Any:
        distance, index = cKDTree(p).query(q, k=2)
        return distance.sum(), p[index[:, 0]]

    rng = np.random.default_rng(0)
    return f, [(rng.normal(size=(n, 2)), rng.normal(size=(3, 2))) for n in (5, 5, 7)]


@case()
def tree_outside() -> Any:
    tree = cKDTree(np.arange(10.0).reshape(5, 2))

    def f(q: Any) -> Any:
        distance, index = tree.query(q)
        return distance + tree.n, index

    return f, arrays(2, 2, 2)


@case()
def minimize_lambda() -> Any:
    def f(x: Any) -> Any:
        found = scipy.optimize.minimize(lambda p: ((p - 3) ** 2).sum(), x)
        return np.round(found.x, 3), found.success

    return f, arrays(2, 2, 3)


@case()
def minimize_closure() -> Any:
    def f(x: Any, target: Any) -> Any:
        scaled = target * 2

        def loss(p: Any) -> Any:
            return ((p - scaled) ** 2).sum()

        return scipy.optimize.minimize(loss, x, method="Nelder-Mead").x.round(2)

    return f, [(np.zeros(2), np.array([1.0, t])) for t in (1.0, 2.0, 3.0)]


@case()
def minimize_method() -> Any:
    class Model:
        def __init__(self) -> None:
            self.target = np.array([1.0, 2.0])

        def loss(self, w: Any) -> Any:
            return ((w - self.target) ** 2).sum()

    model = Model()

    def f(x: Any) -> Any:
        return scipy.optimize.minimize(model.loss, x).x.round(3)

    return f, arrays(2, 2, 2)


@case()
def root_finding() -> Any:
    def f(a: Any) -> Any:
        return scipy.optimize.brentq(lambda t: t**3 - a, 0.0, 10.0)

    return f, [(np.float64(8.0),), (np.float64(27.0),), (np.float64(2.0),)]


@case()
def quadrature() -> Any:
    def f(a: Any) -> Any:
        value, error = scipy.integrate.quad(lambda t: np.exp(-a * t), 0, 1)
        return value * 2, error < 1e-6

    return f, [(np.float64(8.0),), (np.float64(27.0),), (np.float64(2.0),)]


@case()
def initial_value_problem() -> Any:
    def f(y: Any) -> Any:
        solution = scipy.integrate.solve_ivp(lambda t, y: -2 * y, (0, 1), y, t_eval=[0, 0.5, 1])
        return solution.y, solution.t[-1]

    return f, arrays(2, 2, 3)


@case()
def curve_fit() -> Any:
    def line(x: Any, a: Any, b: Any) -> Any:
        return a * x + b

    def f(x: Any) -> Any:
        best, covariance = scipy.optimize.curve_fit(line, np.arange(len(x)), x)
        return best, np.sqrt(np.diag(covariance))

    return f, arrays(6, 6, 8)


@case()
def assignment() -> Any:
    def f(cost: Any) -> Any:
        rows, columns = scipy.optimize.linear_sum_assignment(cost)
        return cost[rows, columns].sum()

    rng = np.random.default_rng(0)
    return f, [(rng.normal(size=(3, 3)),) for _ in range(3)]


@case()
def random_variates() -> Any:
    def f(x: Any) -> Any:
        noise = np.random.normal(size=3)
        return x + stats.norm.rvs(size=3) + noise, np.random.rand()

    return f, arrays(3, 3, 3)


@case()
def random_variates_of_generator() -> Any:
    rng = np.random.default_rng(3)

    def f(x: Any) -> Any:
        y = rng.normal(size=3)
        return x + stats.uniform.rvs(size=3, random_state=rng) + y * rng.normal()

    return f, arrays(3, 3, 3)


@case()
def in_a_branch() -> Any:
    def f(x: Any) -> Any:
        if x.sum() > 0:
            x = signal.lfilter([1.0], [1.0, -0.5], x)
        return x

    return f, [(np.ones(3),), (-np.ones(3),), (np.ones(3),)]


@case()
def in_an_unrolled_loop() -> Any:
    def f(x: Any) -> Any:
        for _ in range(3):
            x = ndimage.gaussian_filter1d(x, 1.0)
        return x

    return f, arrays(5, 5, 6)


@case()
def after_a_write() -> Any:
    def f(x: Any) -> Any:
        x += 1
        y = signal.detrend(x)
        x[0] = 5
        return y + x

    return f, arrays(5, 5, 6)


@case()
def caught() -> Any:
    def f(A: Any, b: Any) -> Any:
        try:
            x = scipy.linalg.solve(A, b)
        except np.linalg.LinAlgError:
            x = np.zeros(3)
        return x + 1

    return f, [(np.eye(3), np.ones(3)), (2 * np.eye(3), np.ones(3))]


@case(graph=False)
def caught_later() -> Any:
    def f(A: Any, b: Any) -> Any:
        try:
            x = scipy.linalg.solve(A, b)
        except np.linalg.LinAlgError:
            x = np.zeros(3)
        return x + 1

    return f, [(np.eye(3), np.ones(3)), (np.zeros((3, 3)), np.ones(3)), (2 * np.eye(3), np.ones(3))]


@case()
def in_a_loop() -> Any:
    def f(x: Any) -> Any:
        step, rounds = 1.0, 0
        while step > 1e-8 and rounds < 20:
            change = scipy.linalg.solve(np.diag(2 * x), x**2 - 2)
            x = x - change
            step, rounds = np.abs(change).max(), rounds + 1
        return x, rounds, stats.norm.pdf(x)

    return f, [(np.array([1.0, 2.0]) + i,) for i in range(3)]


@case()
def in_a_loop_with_lengths() -> Any:
    def f(x: Any, n: Any) -> Any:
        total = 0
        for i in range(n):
            peaks, _ = signal.find_peaks(x * (i + 1))
            total = total + len(peaks)
            x = x + np.sin(x) * i
        return total

    rng = np.random.default_rng(0)
    return f, [(rng.normal(size=20), np.int64(3 + i)) for i in range(4)]


@case()
def draws_in_a_loop_before() -> Any:
    def f(x: Any, n: Any) -> Any:
        i = 0
        while i < n:
            x = signal.detrend(x + np.random.normal(size=3)) + np.random.rand()
            i += 1
        return x, stats.norm.rvs()

    return f, [(np.ones(3), np.int64(n)) for n in (3, 2, 4)]
