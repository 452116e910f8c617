"""Training steps of a two-layer network with softmax: the parameters are changed in place."""

import numpy as np

SIZES = 6, 64


def softmax(z):
    z = z - z.max(axis=1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=1, keepdims=True)


def forward(params, X):
    Z1 = X @ params["W1"] + params["b1"]
    A1 = np.maximum(0, Z1)
    return Z1, A1, softmax(A1 @ params["W2"] + params["b2"])


def backward(params, X, y, Z1, A1, probs):
    n = X.shape[0]
    dZ2 = probs.copy()
    dZ2[np.arange(n), y] -= 1
    dZ2 /= n
    dZ1 = dZ2 @ params["W2"].T
    dZ1[Z1 <= 0] = 0
    return {"W1": X.T @ dZ1, "b1": dZ1.sum(axis=0), "W2": A1.T @ dZ2, "b2": dZ2.sum(axis=0)}


def mlp_training(params, X, y, epochs, lr):
    losses = []
    for epoch in range(epochs):
        Z1, A1, probs = forward(params, X)
        losses.append(-np.log(probs[np.arange(len(y)), y]).mean())
        grads = backward(params, X, y, Z1, A1, probs)
        for key in params:
            params[key] -= lr * grads[key]
    return np.array(losses)


def arguments(size, rng):
    params = {
        "W1": 0.5 * rng.standard_normal((4, 10)),
        "b1": np.zeros(10),
        "W2": 0.5 * rng.standard_normal((10, 3)),
        "b2": np.zeros(3),
    }
    return params, rng.standard_normal((size, 4)), rng.integers(0, 3, size), 4, 0.1
