"""Building blocks of neural networks that NumPy lacks, as functions on arrays: eager, traced and differentiable alike.

Arrays have their channels on the second axis: (batch, channels, *lengths). Weights are arguments as any other, and no
function keeps state.

>>> import numpy as np
>>> from tracefn import nn
>>> x = np.ones((1, 3, 8, 8))
>>> h = nn.relu(nn.conv2d(x, np.full((4, 3, 3, 3), 0.1), padding="same"))
>>> nn.max_pool(h, 2).shape
(1, 4, 4, 4)
"""

from .activations import elu, gelu, leaky_relu, log_sigmoid, relu, sigmoid, silu, softplus
from .convolutions import conv1d, conv1d_transpose, conv2d, conv2d_transpose, conv3d, conv3d_transpose
from .lookup import dropout, embedding, one_hot, scaled_dot_product_attention
from .losses import binary_cross_entropy_with_logits, cross_entropy, huber_loss, l1_loss, mse_loss
from .normalized import batch_norm, layer_norm, log_softmax, logsumexp, softmax
from .pooling import avg_pool, max_pool

__all__ = [
    "avg_pool",
    "batch_norm",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "cross_entropy",
    "dropout",
    "elu",
    "embedding",
    "gelu",
    "huber_loss",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "logsumexp",
    "max_pool",
    "mse_loss",
    "one_hot",
    "relu",
    "scaled_dot_product_attention",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
]
