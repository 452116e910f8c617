"""Whole functions and classes that use libraries: filters, simulations, mixtures, pipelines, time series, images."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pandas as pd
import scipy.linalg as la
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from PIL import Image
from scipy import integrate, interpolate, ndimage, optimize, signal, spatial, special, stats
from sklearn import metrics, model_selection, preprocessing
from sklearn.cluster import DBSCAN
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.mixture import GaussianMixture
from sklearn.tree import DecisionTreeClassifier

from .harness import arrays, case


def _matrices(*shapes: tuple[int, ...]) -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(0)
    return [(rng.normal(size=s),) for s in shapes]


@case()
def kalman_filter() -> Any:
    class Kalman:
        def __init__(self) -> None:
            self.x, self.P = np.zeros(2), np.eye(2)
            self.F, self.H = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]])
            self.steps = 0

        def update(self, z: Any) -> Any:
            x, P = self.F @ self.x, self.F @ self.P @ self.F.T + 0.1 * np.eye(2)
            S = self.H @ P @ self.H.T + 1.0
            K = la.solve(S, self.H @ P, assume_a="pos").T
            self.x = x + K @ (z - self.H @ x)
            self.P = (np.eye(2) - K @ self.H) @ P
            self.steps += 1
            return self.x.copy()

    kalman = Kalman()
    return lambda z: kalman.update(z), arrays(1, 1, 1, 1), lambda: (kalman.x, kalman.P, kalman.steps)


@case()
def gaussian_mixture_step() -> Any:
    def f(X: Any, means: Any) -> Any:
        parts = [stats.multivariate_normal(m, np.eye(2)).pdf(X) for m in means]
        r = np.stack(parts, axis=1)
        r = r / r.sum(axis=1, keepdims=True)
        return (r.T @ X) / r.sum(axis=0)[:, None], special.xlogy(r, r).sum()

    rng = np.random.default_rng(0)
    return f, [(rng.normal(size=(n, 2)), rng.normal(size=(3, 2))) for n in (10, 10, 12)]


@case()
def heat_equation() -> Any:
    n = 6
    A = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n), format="csc")
    solver = spla.splu(sp.identity(n, format="csc") + 0.1 * A)

    def f(u: Any) -> Any:
        for _ in range(5):
            u = solver.solve(u)
        return u, A @ u

    return f, arrays(6, 6, 6)


@case()
def fit_of_a_decay() -> Any:
    def f(t: Any, y: Any) -> Any:
        def residuals(p: Any) -> Any:
            return p[0] * np.exp(-p[1] * t) - y

        found = optimize.least_squares(residuals, [1.0, 1.0])
        return found.x.round(4), found.cost < 1e-10

    t = np.linspace(0, 2, 9)
    return f, [(t, a * np.exp(-b * t)) for a, b in ((1.0, 2.0), (2.0, 0.5), (3.0, 1.0))]


@case()
def predator_and_prey() -> Any:
    def f(start: Any, rates: Any) -> Any:
        def rhs(t: Any, z: Any) -> Any:
            return np.array([rates[0] * z[0] - z[0] * z[1], z[0] * z[1] - rates[1] * z[1]])

        found = integrate.solve_ivp(rhs, (0.0, 1.0), start, t_eval=np.linspace(0, 1, 4), rtol=1e-8)
        return found.y.round(6), found.status

    return f, [(np.array([1.0, 0.5]), np.array([1.0, r])) for r in (1.0, 0.5, 2.0)]


@case()
def spectrum() -> Any:
    def f(x: Any) -> Any:
        x = signal.detrend(x) * signal.get_window("hann", len(x))
        f, t, S = signal.stft(x, nperseg=16)
        peaks, _ = signal.find_peaks(np.abs(S[:, 1]))
        return np.abs(S).max(), f[-1], len(peaks), t.shape

    return f, arrays(64, 64, 64, 80)


@case()
def resampled() -> Any:
    def f(x: Any) -> Any:
        y = signal.resample(x, 2 * len(x))
        z = signal.medfilt(y, 3)
        w = signal.savgol_filter(z, 5, 2)
        return np.correlate(w, x, mode="valid").argmax(), signal.hilbert(w).imag

    return f, arrays(16, 16, 20)


@case()
def segmented_image() -> Any:
    def f(image: Any) -> Any:
        smooth = ndimage.gaussian_filter(image.astype(float), 1)
        mask = ndimage.binary_opening(smooth > smooth.mean())
        labels, n = ndimage.label(mask)
        centres = ndimage.center_of_mass(mask, labels, range(1, n + 1))
        return labels, n, np.array(centres).sum(), ndimage.distance_transform_edt(mask)

    rng = np.random.default_rng(0)
    return f, [(rng.integers(0, 255, (12, 12), dtype=np.uint8),) for _ in range(4)]


@case()
def thumbnail() -> Any:
    def f(x: Any) -> Any:
        image = Image.fromarray(x).convert("L")
        image.thumbnail((4, 4))
        pixels = np.asarray(image, dtype=np.float32) / 255
        return pixels - pixels.mean(), image.size

    rng = np.random.default_rng(0)
    return f, [(rng.integers(0, 255, (8, 8, 3), dtype=np.uint8),) for _ in range(3)]


@case()
def splines() -> Any:
    def f(x: Any, y: Any) -> Any:
        tck = interpolate.splrep(x, y, s=0)
        fine = np.linspace(x[0], x[-1], 11)
        spline = interpolate.UnivariateSpline(x, y, s=0)
        grid = interpolate.RegularGridInterpolator((x,), y)
        return interpolate.splev(fine, tck), spline.integral(x[0], x[-1]), grid(fine[:3, None])

    rng = np.random.default_rng(0)
    return f, [(np.arange(6.0), rng.normal(size=6)) for _ in range(3)]


@case()
def hull_and_triangles() -> Any:
    def f(points: Any) -> Any:
        hull = spatial.ConvexHull(points)
        triangles = spatial.Delaunay(points)
        return hull.volume, points[hull.vertices].mean(axis=0), triangles.simplices.shape[1]

    return f, _matrices((8, 2), (8, 2), (8, 2))


@case()
def rotations() -> Any:
    def f(v: Any, angle: Any) -> Any:
        r = spatial.transform.Rotation.from_euler("z", angle)
        return (r * r).apply(v), r.as_matrix() @ v, r.inv().as_quat()

    return f, [(np.array([1.0, 2.0, 3.0]), np.float64(a)) for a in (0.1, 0.2, 0.3)]


@case()
def hierarchical_clusters() -> Any:
    from scipy.cluster.hierarchy import fcluster, linkage

    def f(X: Any) -> Any:
        return fcluster(linkage(X, "ward"), 2, criterion="maxclust")

    return f, _matrices((8, 2), (8, 2), (9, 2))


@case()
def tests_of_samples() -> Any:
    def f(x: Any, y: Any) -> Any:
        u, p = stats.mannwhitneyu(x, y)
        low, high = stats.t.interval(0.95, len(x) - 1, loc=x.mean(), scale=stats.sem(x))
        kde = stats.gaussian_kde(x)
        return p, low, high, kde(np.array([0.0])), stats.spearmanr(x, y).statistic, stats.iqr(x)

    rng = np.random.default_rng(0)
    return f, [(rng.normal(size=9), rng.normal(size=9)) for _ in range(3)]


@case()
def returns_of_prices() -> Any:
    def f(prices: Any) -> Any:
        s = pd.Series(prices)
        returns = s.pct_change().dropna()
        drawdown = (s / s.cummax() - 1).min()
        sharpe = returns.mean() / returns.std() * np.sqrt(252)
        return sharpe, drawdown, returns.rolling(3).std().iloc[-1], np.log(s).diff().to_numpy()[1:]

    rng = np.random.default_rng(0)
    return f, [(np.exp(rng.normal(size=n).cumsum() / 10),) for n in (12, 12, 15)]


@case()
def cleaned_frame() -> Any:
    def f(df: Any) -> Any:
        df = df.copy()
        df["v"] = df["v"].fillna(df["v"].mean())
        df = df.sort_values("v").drop_duplicates("k")
        wide = df.pivot_table(index="k", values="v", aggfunc="sum")
        return wide["v"].to_dict(), df.v.values, df.k.tolist()

    frames = [pd.DataFrame({"k": list("abca"), "v": [1.0, np.nan, 3.0 + i, 4.0]}) for i in range(3)]
    return f, [(frame,) for frame in frames]


@case()
def standardised_features() -> Any:
    def f(df: Any) -> Any:
        numeric = df.select_dtypes("number")
        z = (numeric - numeric.mean()) / numeric.std(ddof=0)
        dummies = pd.get_dummies(df["g"]).to_numpy(float)
        return np.hstack([z.to_numpy(), dummies]), z.columns.tolist()

    frames = [pd.DataFrame({"a": np.arange(4.0) + i, "b": [1.0, 2.0, 4.0, 8.0], "g": list("uvuv")}) for i in range(3)]
    return f, [(frame,) for frame in frames]


@case()
def train_and_test() -> Any:
    def f(X: Any) -> Any:
        y = (X[:, 0] > 0).astype(int)
        a, b, u, v = model_selection.train_test_split(X, y, random_state=0)
        model = LogisticRegression().fit(a, u)
        return model.predict_proba(b).round(6), metrics.accuracy_score(v, model.predict(b))

    return f, _matrices((20, 3), (20, 3), (24, 3))


@case()
def cross_validation() -> Any:
    def f(X: Any) -> Any:
        scores = model_selection.cross_val_score(Ridge(alpha=0.1), X[:, 1:], X[:, 0], cv=3)
        return scores.mean(), scores.shape

    return f, _matrices((12, 3), (12, 3), (15, 3))


@case()
def folds() -> Any:
    def f(X: Any) -> Any:
        total = 0.0
        for train, test in model_selection.KFold(3).split(X):
            w = np.linalg.lstsq(X[train, 1:], X[train, 0], rcond=None)[0]
            total = total + np.mean((X[test, 1:] @ w - X[test, 0]) ** 2)
        return total / 3

    return f, _matrices((12, 3), (12, 3), (15, 3))


@case()
def several_models() -> Any:
    def f(X: Any) -> Any:
        labels = DBSCAN(eps=1.0, min_samples=2).fit_predict(X)
        mixture = GaussianMixture(2, random_state=0).fit(X)
        tree = DecisionTreeClassifier(random_state=0).fit(X, X[:, 0] > 0)
        process = GaussianProcessRegressor().fit(X, X[:, 0])
        return labels, mixture.means_.round(6), tree.feature_importances_, process.predict(X[:2]).round(4)

    return f, _matrices((12, 2), (12, 2), (15, 2))


@case()
def features_of_text() -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer().fit(["a bc de", "bc fg"])

    def f(w: Any) -> Any:
        counts = vectorizer.transform(["bc bc de", "fg"])
        return counts @ w, counts.toarray().sum(axis=0)

    return f, arrays(3, 3, 3)


@case()
def encoded_labels() -> Any:
    encoder = preprocessing.LabelEncoder().fit([3, 5, 9])

    def f(y: Any) -> Any:
        codes = encoder.transform(y)
        one_hot = preprocessing.OneHotEncoder(sparse_output=False).fit_transform(codes[:, None])
        return one_hot.sum(axis=0), encoder.classes_[codes], preprocessing.minmax_scale(codes.astype(float))

    return f, [(np.array(y),) for y in ([3, 5, 9, 3], [9, 9, 5, 3], [5, 3, 9])]


@case(graph=False)  # a step that cannot be taken back, and state: an error would leave neither as eagerly
def stream_of_readings() -> Any:
    class Stream:
        def __init__(self) -> None:
            self.recent: deque[Any] = deque(maxlen=3)
            self.frame = pd.DataFrame(columns=["mean", "max"], dtype=float)

        def push(self, x: Any) -> Any:
            self.recent.append(x.mean())
            self.frame.loc[len(self.frame)] = [x.mean(), x.max()]
            return stats.trim_mean(x, 0.1) + sum(self.recent), self.frame["mean"].iloc[-1]

    stream = Stream()
    return lambda x: stream.push(x), arrays(4, 4, 4, 4, 4), lambda: (stream.frame, list(stream.recent))


@case()
def online_model() -> Any:
    from sklearn.naive_bayes import GaussianNB

    class Online:
        def __init__(self) -> None:
            self.model = GaussianNB()
            self.seen = 0
            self.history: list[float] = []

        def learn(self, X: Any) -> Any:
            y = (X[:, 0] > 0).astype(int)
            self.model.partial_fit(X, y, classes=[0, 1])
            self.seen += len(X)
            self.history.append(float(self.model.score(X, y)))
            return self.model.predict(X)

    online = Online()
    return (
        lambda X: online.learn(X),
        _matrices((8, 2), (8, 2), (8, 2), (9, 2)),
        lambda: (online.model.theta_, online.seen, online.history),
    )


@case(graph=False)  # a step that cannot be taken back, and state: an error would leave neither as eagerly
def particle_filter() -> Any:
    rng = np.random.default_rng(5)

    class Particles:
        def __init__(self) -> None:
            self.x = rng.normal(size=20)

        def step(self, z: Any) -> Any:
            self.x = self.x + rng.normal(scale=0.1, size=20)
            w = stats.norm(self.x, 0.5).pdf(z)
            w = w / w.sum()
            self.x = self.x[rng.choice(20, size=20, p=w)]
            return self.x.mean(), 1 / (w**2).sum()

    particles = Particles()
    return lambda z: particles.step(z), [(np.float64(z),) for z in (0.1, 0.3, -0.2, 0.0)], lambda: particles.x


@case()
def bayesian_update() -> Any:
    def f(k: Any, n: Any) -> Any:
        posterior = stats.beta(1 + k, 1 + n - k)
        low, high = posterior.interval(0.9)
        return posterior.mean(), high - low, special.betaln(1 + k, 1 + n - k)

    return f, [(np.int64(k), np.int64(10)) for k in (2, 5, 9)]


@case()
def markov_chain() -> Any:
    def f(P: Any) -> Any:
        P = P / P.sum(axis=1, keepdims=True)
        values, vectors = la.eig(P.T)
        stationary = np.real(vectors[:, np.argmax(np.real(values))])
        stationary = stationary / stationary.sum()
        return stationary, la.norm(la.fractional_matrix_power(P, 0.5)), la.null_space(P - np.eye(3)).shape

    return f, [(np.random.default_rng(i).uniform(size=(3, 3)),) for i in range(3)]


@case()
def linear_programme() -> Any:
    def f(c: Any, A: Any, b: Any) -> Any:
        found = optimize.linprog(-c, A_ub=A, b_ub=b)
        return found.x.round(6), -found.fun, found.message

    return f, [(np.array([1.0, 2.0 + i]), np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([4.0, 3.0])) for i in range(3)]
