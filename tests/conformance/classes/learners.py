"""Estimators with `fit` and `predict`, as in courses on machine learning."""

from collections import Counter, defaultdict

import numpy as np


def blobs(seed, n=12):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    return rng.normal(size=(n, 2)) + 3 * labels[:, None], labels


class KMeans:
    def __init__(self, k, iterations=20, seed=0):
        self.k, self.iterations = k, iterations
        self.rng = np.random.default_rng(seed)
        self.centers = None
        self.inertia_history = []

    def fit(self, X):
        self.centers = X[self.rng.choice(len(X), self.k, replace=False)]
        for iteration in range(self.iterations):
            labels = self.assign(X)
            moved = np.array(
                [X[labels == j].mean(axis=0) if np.any(labels == j) else self.centers[j] for j in range(self.k)]
            )
            self.inertia_history.append(((X - moved[labels]) ** 2).sum())
            if np.allclose(moved, self.centers):
                break
            self.centers = moved
        self.n_iter = iteration + 1
        return self

    def assign(self, X):
        distances = np.linalg.norm(X[:, None] - self.centers[None], axis=2)
        return np.argmin(distances, axis=1)

    def fit_predict(self, X):
        return self.fit(X).assign(X)


def drive_k_means():
    model = KMeans(2)
    for seed in (1, 2, 3):
        X, _ = blobs(seed)
        yield model.fit_predict(X)
        yield model.centers
        yield model.n_iter
    model.centers = np.zeros((2, 2))
    yield model.assign(X)


class GaussianMixture:
    def __init__(self, means, tolerance=1e-4):
        self.means = means
        k, d = means.shape
        self.covariances = np.stack([np.eye(d)] * k)
        self.weights = np.full(k, 1 / k)
        self.tolerance = tolerance
        self.log_likelihoods = []

    def density(self, X, j):
        diff = X - self.means[j]
        inverse = np.linalg.inv(self.covariances[j])
        scale = np.sqrt((2 * np.pi) ** X.shape[1] * np.linalg.det(self.covariances[j]))
        return np.exp(-0.5 * np.einsum("ni,ij,nj->n", diff, inverse, diff)) / scale

    def e_step(self, X):
        weighted = np.stack([w * self.density(X, j) for j, w in enumerate(self.weights)], axis=1)
        total = weighted.sum(axis=1, keepdims=True)
        self.responsibilities = weighted / total
        return np.log(total).sum()

    def m_step(self, X):
        counts = self.responsibilities.sum(axis=0)
        self.weights = counts / len(X)
        self.means = self.responsibilities.T @ X / counts[:, None]
        for j in range(len(counts)):
            diff = X - self.means[j]
            self.covariances[j] = (self.responsibilities[:, j, None] * diff).T @ diff / counts[j] + 1e-3 * np.eye(
                X.shape[1]
            )

    def fit(self, X, steps=10):
        for _ in range(steps):
            self.log_likelihoods.append(self.e_step(X))
            self.m_step(X)
            if len(self.log_likelihoods) > 1:
                if abs(self.log_likelihoods[-1] - self.log_likelihoods[-2]) < self.tolerance:
                    break
        return self.log_likelihoods[-1]


def drive_mixture():
    model = GaussianMixture(np.array([[0.0, 0.0], [2.0, 2.0]]))
    for seed in (1, 2, 1, 4):
        X, _ = blobs(seed, 10 if seed == 4 else 12)
        yield model.fit(X, steps=3)
        yield model.means
    yield model.e_step(X)
    model.m_step(X)
    yield model.weights


class HiddenMarkov:
    def __init__(self, transition, emission, initial):
        self.A, self.B, self.pi = transition, emission, initial

    def forward(self, observed):
        alpha = np.zeros((len(observed), len(self.pi)))
        self.scales = []
        for t, o in enumerate(observed):
            alpha[t] = self.pi * self.B[:, o] if t == 0 else (alpha[t - 1] @ self.A) * self.B[:, o]
            self.scales.append(alpha[t].sum())
            alpha[t] /= self.scales[-1]
        return alpha

    def backward(self, observed):
        beta = np.ones((len(observed), len(self.pi)))
        for t in range(len(observed) - 2, -1, -1):
            beta[t] = self.A @ (self.B[:, observed[t + 1]] * beta[t + 1]) / self.scales[t + 1]
        return beta

    def fit(self, observed):
        alpha, beta = self.forward(observed), self.backward(observed)
        gamma = alpha * beta
        gamma /= gamma.sum(axis=1, keepdims=True)
        xi = np.zeros_like(self.A)
        for t in range(len(observed) - 1):
            step = alpha[t][:, None] * self.A * self.B[:, observed[t + 1]] * beta[t + 1]
            xi += step / step.sum()
        self.pi = gamma[0]
        self.A = xi / xi.sum(axis=1, keepdims=True)
        for symbol in range(self.B.shape[1]):
            self.B[:, symbol] = gamma[observed == symbol].sum(axis=0) / gamma.sum(axis=0)
        return np.log(self.scales).sum()

    def viterbi(self, observed):
        delta = np.log(self.pi * self.B[:, observed[0]] + 1e-12)
        back = []
        for o in observed[1:]:
            scores = delta[:, None] + np.log(self.A + 1e-12)
            back.append(scores.argmax(axis=0))
            delta = scores.max(axis=0) + np.log(self.B[:, o] + 1e-12)
        path = [int(delta.argmax())]
        for row in reversed(back):
            path.insert(0, int(row[path[0]]))
        return path


def drive_hidden_markov():
    model = HiddenMarkov(np.array([[0.7, 0.3], [0.4, 0.6]]), np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0.6, 0.4]))
    seen = np.array([0, 1, 0, 0, 1, 1, 0])
    for n in (7, 5, 7, 5):
        yield model.fit(seen[:n])
        yield model.viterbi(seen[:n])
    yield model.A
    yield model.B


class PCA:
    def __init__(self, components):
        self.components = components

    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        _, s, vt = np.linalg.svd(X - self.mean_, full_matrices=False)
        signs = np.sign(vt[:, :1])
        self.axes_ = (vt * np.where(signs == 0, 1, signs))[: self.components]
        self.explained_ = (s**2 / (s**2).sum())[: self.components]
        return self

    def transform(self, X):
        if not hasattr(self, "axes_"):
            raise ValueError("fit the model first")
        return (X - self.mean_) @ self.axes_.T

    def inverse_transform(self, Z):
        return Z @ self.axes_ + self.mean_


def drive_pca():
    pca = PCA(1)
    try:
        pca.transform(np.ones((2, 2)))
    except ValueError as error:
        yield str(error)
    for seed in (1, 2, 3):
        X, _ = blobs(seed, 8 + seed % 2)
        pca.fit(X)
        yield pca.transform(X)
        yield pca.inverse_transform(pca.transform(X))
        yield pca.explained_


class Perceptron:
    def __init__(self, rate=0.1):
        self.rate = rate
        self.w, self.b = None, 0.0
        self.mistakes = []

    def partial_fit(self, X, y):
        if self.w is None:
            self.w = np.zeros(X.shape[1])
        wrong = 0
        for row, target in zip(X, y):
            predicted = 1 if row @ self.w + self.b > 0 else 0
            if predicted != target:
                self.w += self.rate * (target - predicted) * row
                self.b += self.rate * (target - predicted)
                wrong += 1
        self.mistakes.append(wrong)
        return wrong

    def fit(self, X, y, epochs=5):
        for _ in range(epochs):
            if self.partial_fit(X, y) == 0:
                break
        return self

    def predict(self, X):
        return (X @ self.w + self.b > 0).astype(int)


def drive_perceptron():
    model = Perceptron()
    for seed in (1, 2, 3, 1):
        X, y = blobs(seed)
        model.fit(X, y)
        yield model.predict(X)
        yield model.w
    model.w[0] = 0.0
    yield model.predict(X)
    model.w = None
    yield model.partial_fit(X, y)
    yield model.mistakes


class NaiveBayes:
    def fit(self, X, y):
        self.classes = sorted(set(y.tolist()))
        self.stats = {}
        for c in self.classes:
            rows = X[y == c]
            self.stats[c] = (rows.mean(axis=0), rows.var(axis=0) + 1e-6, len(rows) / len(X))
        return self

    def log_posterior(self, x):
        scores = {}
        for c, (mean, var, prior) in self.stats.items():
            scores[c] = np.log(prior) - 0.5 * np.sum(np.log(2 * np.pi * var) + (x - mean) ** 2 / var)
        return scores

    def predict(self, X):
        found = []
        for x in X:
            scores = self.log_posterior(x)
            found.append(max(scores, key=scores.get))
        return np.array(found)


def drive_naive_bayes():
    model = NaiveBayes()
    for seed in (1, 2, 3):
        X, y = blobs(seed)
        model.fit(X, y)
        yield model.predict(X)
        yield model.log_posterior(X[0])
    model.stats[0] = (np.zeros(2), np.ones(2), 0.9)
    yield model.predict(X)
    yield model.classes


class Stump:
    def fit(self, X, y, weights):
        self.error = np.inf
        for j in range(X.shape[1]):
            for threshold in np.unique(X[:, j]):
                for sign in (1, -1):
                    predicted = np.where(X[:, j] > threshold, sign, -sign)
                    error = weights[predicted != y].sum()
                    if error < self.error:
                        self.error, self.feature, self.threshold, self.sign = error, j, threshold, sign
        return self

    def predict(self, X):
        return np.where(X[:, self.feature] > self.threshold, self.sign, -self.sign)


class AdaBoost:
    def __init__(self):
        self.stumps, self.alphas = [], []

    def add_stump(self, X, y):
        if not self.stumps:
            self.weights = np.full(len(X), 1 / len(X))
        stump = Stump().fit(X, y, self.weights)
        alpha = 0.5 * np.log((1 - stump.error + 1e-10) / (stump.error + 1e-10))
        self.weights = self.weights * np.exp(-alpha * y * stump.predict(X))
        self.weights /= self.weights.sum()
        self.stumps.append(stump)
        self.alphas.append(alpha)
        return alpha

    def predict(self, X):
        return np.sign(sum(a * s.predict(X) for a, s in zip(self.alphas, self.stumps)))


def drive_boosting():
    X, y = blobs(5, 8)
    y = 2 * y - 1
    y[0] = 1
    model = AdaBoost()
    for _ in range(4):
        yield model.add_stump(X, y)
        yield model.predict(X)
    yield model.weights


class Neighbors:
    def __init__(self, k=3):
        self.k = k
        self.X, self.y = None, None
        self.queries = 0

    def add(self, X, y):
        self.X = X if self.X is None else np.vstack([self.X, X])
        self.y = y if self.y is None else np.concatenate([self.y, y])
        return len(self.X)

    def predict(self, x):
        self.queries += 1
        order = np.argsort(((self.X - x) ** 2).sum(axis=1))[: self.k]
        votes = Counter(self.y[order].tolist())
        return votes.most_common(1)[0][0]


def drive_neighbors():
    model = Neighbors()
    for seed in (1, 2):
        X, y = blobs(seed, 6)
        yield model.add(X, y)
        for x in X[:3]:
            yield model.predict(x)
    model.k = 1
    yield model.predict(X[3])
    yield model.queries


class DecisionTree:
    """Nodes are dicts."""

    def __init__(self, depth=2):
        self.depth = depth
        self.importance = defaultdict(float)

    def gini(self, y):
        if len(y) == 0:
            return 0.0
        p = np.bincount(y, minlength=2) / len(y)
        return 1 - (p**2).sum()

    def grow(self, X, y, depth):
        if depth == 0 or self.gini(y) == 0:
            return {"leaf": int(np.bincount(y).argmax())}
        best = None
        for j in range(X.shape[1]):
            for t in (X[:-1, j] + X[1:, j]) / 2:
                left = X[:, j] <= t
                score = left.mean() * self.gini(y[left]) + (1 - left.mean()) * self.gini(y[~left])
                if best is None or score < best[0]:
                    best = (score, j, t, left)
        score, j, t, left = best
        self.importance[j] += self.gini(y) - score
        return {
            "feature": j,
            "at": t,
            "low": self.grow(X[left], y[left], depth - 1),
            "high": self.grow(X[~left], y[~left], depth - 1),
        }

    def fit(self, X, y):
        self.root = self.grow(X, y, self.depth)
        return self

    def predict(self, x):
        node = self.root
        while "leaf" not in node:
            node = node["low"] if x[node["feature"]] <= node["at"] else node["high"]
        return node["leaf"]


def drive_decision_tree():
    tree = DecisionTree()
    for seed in (1, 2):
        X, y = blobs(seed, 8)
        tree.fit(X, y)
        for x in X[:4]:
            yield tree.predict(x)
    yield dict(tree.importance)


class LogisticRegression:
    def __init__(self, rate=0.3, penalty=0.01):
        self.rate, self.penalty = rate, penalty
        self.weights = None
        self.history = []

    @staticmethod
    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    def loss(self, X, y):
        p = self.sigmoid(X @ self.weights)
        return -np.mean(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9))

    def fit(self, X, y, epochs=5):
        X = np.c_[np.ones(len(X)), X]
        if self.weights is None:
            self.weights = np.zeros(X.shape[1])
        for epoch in range(epochs):
            gradient = X.T @ (self.sigmoid(X @ self.weights) - y) / len(y) + self.penalty * self.weights
            self.weights -= self.rate * gradient
            self.history.append(self.loss(X, y))
            if epoch and abs(self.history[-2] - self.history[-1]) < 1e-4:
                break
        return self

    def score(self, X, y):
        X = np.c_[np.ones(len(X)), X]
        return float(np.mean((X @ self.weights > 0) == y))


def drive_logistic_regression():
    model = LogisticRegression()
    for seed, n in ((1, 12), (2, 8), (3, 12), (4, 8)):
        X, y = blobs(seed, n)
        model.fit(X, y)
        yield model.weights
        yield model.score(X, y)
    model.weights[:] = 0
    yield model.score(X, y)
    yield model.history
