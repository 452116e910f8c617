"""An LSTM over a sequence, the states of all steps kept."""

import numpy as np

SIZES = (3, 2), (12, 8)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_forward(x, W, U, b):
    T, batch, _ = x.shape
    H = U.shape[0]
    h = np.zeros((T + 1, batch, H))
    c = np.zeros((T + 1, batch, H))
    for t in range(T):
        z = x[t] @ W + h[t] @ U + b
        i, f, o = sigmoid(z[:, :H]), sigmoid(z[:, H : 2 * H]), sigmoid(z[:, 2 * H : 3 * H])
        g = np.tanh(z[:, 3 * H :])
        c[t + 1] = f * c[t] + i * g
        h[t + 1] = o * np.tanh(c[t + 1])
    return h[1:], (h[-1], c[-1])


def arguments(size, rng):
    steps, hidden = size
    x = rng.standard_normal((steps, 2, 5))
    return x, rng.normal(0, 0.1, (5, 4 * hidden)), rng.normal(0, 0.1, (hidden, 4 * hidden)), np.zeros(4 * hidden)
