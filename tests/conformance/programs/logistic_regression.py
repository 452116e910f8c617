"""Logistic regression by gradient descent with momentum, and the confusion matrix."""

import numpy as np

SIZES = 10, 120


def sigmoid(z):
    out = np.empty_like(z)
    positive = z >= 0
    out[positive] = 1 / (1 + np.exp(-z[positive]))
    e = np.exp(z[~positive])
    out[~positive] = e / (1 + e)
    return out


def logistic_regression(X, y, epochs, lr=0.1, momentum=0.9):
    mu, sd = X.mean(axis=0), X.std(axis=0)
    X = np.c_[np.ones(len(X)), (X - mu) / sd]
    w = np.zeros(X.shape[1])
    velocity = np.zeros_like(w)
    for epoch in range(epochs):
        p = sigmoid(X @ w)
        gradient = X.T @ (p - y) / len(y)
        gradient[1:] += 0.01 * w[1:]
        velocity *= momentum
        velocity -= lr * gradient
        w += velocity
    predicted = (sigmoid(X @ w) > 0.5).astype(int)
    confusion = np.zeros((2, 2), dtype=int)
    for t, p in zip(y, predicted):
        confusion[t, p] += 1
    return w, confusion, (predicted == y).mean()


def arguments(size, rng):
    X = rng.standard_normal((size, 3))
    return X, (X @ np.array([1.0, -2.0, 0.5]) + 0.5 * rng.standard_normal(size) > 0).astype(int), 8
