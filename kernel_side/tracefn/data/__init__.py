"""`Dataset`: data that comes element by element, from arrays, generators and files, through steps that are chained.

>>> import numpy as np
>>> from tracefn.data import Dataset
>>> dataset = Dataset.from_tensor_slices(np.arange(6.0)).map(lambda x: x**2).batch(4)
>>> for batch in dataset:
...     print(batch)
[0. 1. 4. 9.]
[16. 25.]
"""

from .dataset import Dataset
from .node import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY

__all__ = ["INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset"]
