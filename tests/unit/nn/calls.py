"""Calls of every function of `tracefn.nn` on small arrays, which are run eagerly, traced, and differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from tracefn import nn


class Call(NamedTuple):
    """A function of floats, and what it is called with."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]


_random = np.random.default_rng(7)


def _floats(*shape: int) -> Any:
    return _random.normal(size=shape)


LABELS = np.array([2, 0, 1, 1])
SEEN = np.array([[True, False, True], [True, True, True]])
IMAGES, KERNELS = _floats(2, 4, 7, 6), _floats(6, 4, 3, 2)
X = _floats(4, 3) * 3

CALLS = [
    *(
        Call(name, getattr(nn, name), (X,))
        for name in "relu leaky_relu elu sigmoid log_sigmoid softplus silu gelu logsumexp softmax log_softmax".split()
    ),
    Call("gelu exact", lambda x: nn.gelu(x, approximate=False), (X,)),
    Call("logsumexp of axis", lambda x: nn.logsumexp(x, axis=0), (X,)),
    Call("softmax of axes", lambda x: nn.softmax(x, axis=(0, 1)), (X,)),
    Call("layer_norm", nn.layer_norm, (X, _floats(3), _floats(3))),
    Call("layer_norm of axes", lambda x: nn.layer_norm(x, axis=(0, 1)), (X,)),
    Call("batch_norm", lambda x, w, b: nn.batch_norm(x, weight=w, bias=b, training=True), (X, _floats(3), _floats(3))),
    Call("batch_norm used", nn.batch_norm, (IMAGES, _floats(4), np.abs(_floats(4)), _floats(4))),
    Call("conv1d", lambda x, w, b: nn.conv1d(x, w, b, padding=1), (_floats(2, 3, 8), _floats(4, 3, 3), _floats(4))),
    Call("conv2d", nn.conv2d, (IMAGES, KERNELS, _floats(6))),
    Call("conv2d strided", lambda x, w: nn.conv2d(x, w, stride=(2, 1), padding="same"), (IMAGES, KERNELS)),
    Call("conv2d dilated", lambda x, w: nn.conv2d(x, w, dilation=2, padding=((1, 2), (0, 1))), (IMAGES, KERNELS)),
    Call("conv2d in groups", lambda x, w: nn.conv2d(x, w, groups=2), (IMAGES, KERNELS[:, :2])),
    Call("conv2d of points", lambda x, w: nn.conv2d(x, w, stride=2), (IMAGES, KERNELS[..., :1, :1])),
    Call("conv3d", nn.conv3d, (_floats(1, 2, 4, 3, 3), _floats(2, 2, 2, 2, 3))),
    Call("conv1d_transpose", lambda x, w: nn.conv1d_transpose(x, w, stride=2), (_floats(2, 3, 4), _floats(3, 2, 3))),
    Call(
        "conv2d_transpose",
        lambda x, w, b: nn.conv2d_transpose(x, w, b, (2, 1), (1, 0), (1, 0), (1, 2), 2),
        (IMAGES[..., :4, :3], KERNELS[:4, :2], _floats(4)),
    ),
    Call("conv3d_transpose", nn.conv3d_transpose, (_floats(1, 2, 2, 2, 3), _floats(2, 2, 1, 2, 2))),
    Call("max_pool", lambda x: nn.max_pool(x, 2), (IMAGES,)),
    Call("max_pool padded", lambda x: nn.max_pool(x, (3, 2), stride=1, padding=(1, 0)), (IMAGES,)),
    Call("avg_pool", lambda x: nn.avg_pool(x, 3, stride=2), (IMAGES,)),
    Call("avg_pool padded", lambda x: nn.avg_pool(x, 3, 1, "same", count_include_pad=False), (IMAGES,)),
    Call("embedding", lambda table: nn.embedding(table, LABELS), (X,)),
    Call("dropout", lambda x: nn.dropout(x, 0.4, np.random.default_rng(3)), (X,)),
    Call("attention", nn.scaled_dot_product_attention, (_floats(2, 2, 4), _floats(2, 3, 4), _floats(2, 3, 5))),
    Call(
        "attention masked",
        lambda q, k, v: nn.scaled_dot_product_attention(q, k, v, mask=SEEN, is_causal=True, scale=0.3),
        (_floats(2, 4), _floats(3, 4), _floats(3, 5)),
    ),
    Call(
        "attention padded",
        lambda q, k, v: nn.scaled_dot_product_attention(q, k, v, mask=np.array([[True], [False]])),
        (_floats(2, 4), _floats(3, 4), _floats(3, 5)),
    ),
    Call("mse_loss", nn.mse_loss, (X, _floats(4, 3))),
    Call("l1_loss", lambda p, t: nn.l1_loss(p, t, reduction="sum"), (X, _floats(4, 3))),
    Call("huber_loss", lambda p, t: nn.huber_loss(p, t, delta=2.0, reduction="none"), (X, _floats(4, 3))),
    Call("cross_entropy", lambda x: nn.cross_entropy(x, LABELS, label_smoothing=0.1), (X,)),
    Call("cross_entropy of some", lambda x: nn.cross_entropy(x, LABELS, ignore_index=int(LABELS[0])), (X,)),
    Call("cross_entropy of probabilities", nn.cross_entropy, (X, np.abs(_floats(4, 3)))),
    Call("cross_entropy of axis", lambda x: nn.cross_entropy(x, LABELS[:3], axis=0, reduction="none"), (X,)),
    Call("binary_cross_entropy_with_logits", nn.binary_cross_entropy_with_logits, (X, np.abs(_floats(4, 3)))),
]
