"""Forward pass of a small convolutional network: loops over rows and columns of slices."""

import numpy as np

SIZES = 2, 4


def relu(x):
    return np.maximum(x, 0)


def conv2d(x, weights, bias):
    K = weights.shape[0]
    N = x.shape[0]
    H_out = x.shape[1] - K + 1
    W_out = x.shape[2] - K + 1
    out = np.empty((N, H_out, W_out, weights.shape[3]), dtype=np.float32)
    for i in range(H_out):
        for j in range(W_out):
            out[:, i, j, :] = np.sum(
                x[:, i : i + K, j : j + K, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3)
            )
    return out + bias


def maxpool(x):
    out = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return out


def cnn_forward(images, params):
    x = relu(conv2d(images, params["conv1"], params["conv1_bias"]))
    x = maxpool(x)
    x = relu(conv2d(x, params["conv2"], params["conv2_bias"]))
    x = maxpool(x)
    x = np.reshape(x, (x.shape[0], -1))
    x = relu(x @ params["fc"] + params["fc_bias"])
    return x @ params["out"] + params["out_bias"]


def arguments(size, rng):
    def weights(*shape):
        return rng.standard_normal(shape, dtype=np.float32)

    params = {
        "conv1": weights(3, 3, 1, 4),
        "conv1_bias": weights(4),
        "conv2": weights(3, 3, 4, 6),
        "conv2_bias": weights(6),
        "fc": weights(6, 10),
        "fc_bias": weights(10),
        "out": weights(10, 3),
        "out_bias": weights(3),
    }
    return weights(size, 10, 10, 1), params
