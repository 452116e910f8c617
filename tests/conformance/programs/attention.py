"""Multi-head attention with a causal mask, and layer normalisation."""

import numpy as np

SIZES = 4, 24


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def layer_norm(x, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)


def attention(x, Wqkv, Wo, heads):
    n, d = x.shape
    q, k, v = np.split(layer_norm(x) @ Wqkv, 3, axis=-1)
    mask = (1 - np.tri(n, dtype=x.dtype)) * -1e10
    out = np.empty_like(x)
    size = d // heads
    for h in range(heads):
        part = slice(h * size, (h + 1) * size)
        scores = q[:, part] @ k[:, part].T / np.sqrt(size) + mask
        out[:, part] = softmax(scores) @ v[:, part]
    return x + out @ Wo


def arguments(size, rng):
    d = 12
    return rng.standard_normal((size, d)), rng.normal(0, 0.3, (d, 3 * d)), rng.normal(0, 0.3, (d, d)), 3
