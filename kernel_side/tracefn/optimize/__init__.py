"""Optimizers for training, as pure pairs of `init` and `update` over nested structures of arrays.

>>> import numpy as np
>>> from tracefn import optimize
>>> optimizer = optimize.adam(0.1)
>>> params = {"w": np.array([1.0, -2.0])}
>>> state = optimizer.init(params)
>>> gradients = {"w": np.array([0.5, 0.5])}
>>> updates, state = optimizer.update(gradients, state, params)
>>> optimize.apply_updates(params, updates)
{'w': array([ 0.9, -2.1])}
"""

from .minimizing import minimize
from .optimizers import AdamState, RmspropState, SgdState, adam, adamw, rmsprop, sgd
from .schedules import cosine_decay, exponential_decay, linear, piecewise_constant, warmup_cosine_decay
from .transformations import Optimizer, apply_updates, chain, clip_by_global_norm, global_norm, scale

__all__ = [
    "AdamState",
    "Optimizer",
    "RmspropState",
    "SgdState",
    "adam",
    "adamw",
    "apply_updates",
    "chain",
    "clip_by_global_norm",
    "cosine_decay",
    "exponential_decay",
    "global_norm",
    "linear",
    "minimize",
    "piecewise_constant",
    "rmsprop",
    "scale",
    "sgd",
    "warmup_cosine_decay",
]
