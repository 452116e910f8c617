"""A recurrent network with softmax outputs, and the loss of a sequence of characters."""

import numpy as np

SIZES = 4, 25


def rnn_forward(inputs, targets, Wxh, Whh, Why, bh, by, hprev):
    xs, hs, ps = {}, {}, {}
    hs[-1] = np.copy(hprev)
    loss = 0
    for t in range(len(inputs)):
        xs[t] = np.zeros((Wxh.shape[1], 1))
        xs[t][inputs[t]] = 1
        hs[t] = np.tanh(np.dot(Wxh, xs[t]) + np.dot(Whh, hs[t - 1]) + bh)
        ys = np.dot(Why, hs[t]) + by
        ps[t] = np.exp(ys) / np.sum(np.exp(ys))
        loss += -np.log(ps[t][targets[t], 0])
    return loss, hs[len(inputs) - 1]


def arguments(size, rng):
    vocabulary, hidden = 6, 8
    inputs, targets = rng.integers(0, vocabulary, size), rng.integers(0, vocabulary, size)
    Wxh = rng.standard_normal((hidden, vocabulary)) * 0.1
    Whh = rng.standard_normal((hidden, hidden)) * 0.1
    Why = rng.standard_normal((vocabulary, hidden)) * 0.1
    return inputs, targets, Wxh, Whh, Why, np.zeros((hidden, 1)), np.zeros((vocabulary, 1)), np.zeros((hidden, 1))
