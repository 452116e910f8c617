"""A perceptron as a class that learns from one sample after the other."""

import numpy as np

SIZES = 6, 20


class Perceptron:
    def __init__(self, n):
        self.w = np.zeros(n)
        self.b = 0.0
        self.errors = []

    def fit(self, X, y, epochs=5):
        for _ in range(epochs):
            wrong = 0
            for xi, target in zip(X, y):
                update = 0.5 * (target - self.predict(xi))
                self.w += update * xi
                self.b += update
                wrong += int(update != 0.0)
            self.errors.append(wrong)
        return self

    def predict(self, X):
        return np.where(np.dot(X, self.w) + self.b >= 0.0, 1, -1)


def perceptron(X, y):
    model = Perceptron(X.shape[1]).fit(X, y)
    return model.w, model.b, np.array(model.errors), (model.predict(X) == y).mean()


def arguments(size, rng):
    X = rng.random((size, 2))
    return X, np.where(X[:, 0] > 0.5, 1, -1)
