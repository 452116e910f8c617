"""Sample and error inputs: Einstein summation."""

import numpy as np

from ..table import error, sample

S = np.float64(2.5)
V3 = np.arange(3, dtype=np.float32)
A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.arange(12, dtype=np.int64).reshape(3, 4)
SQUARE = np.arange(9, dtype=np.uint8).reshape(3, 3)
BATCH = np.arange(24, dtype=complex).reshape(2, 4, 3)
ONE = np.ones((1, 3))

ROWS = [
    sample(np.einsum, "ij,jk", A, B),
    sample(np.einsum, "ij,jk->ki", A, B),
    sample(np.einsum, "ij->ji", A),
    sample(np.einsum, "ji", A),
    sample(np.einsum, "ii", SQUARE),
    sample(np.einsum, "ii->i", SQUARE),
    sample(np.einsum, "i,i", V3, V3),
    sample(np.einsum, " i , j -> i j ", V3, V3),
    sample(np.einsum, "ij->", A),
    sample(np.einsum, "...ij,jk->...ik", BATCH, B),
    sample(np.einsum, "...i->...", BATCH),
    sample(np.einsum, "i...->...i", BATCH),
    sample(np.einsum, "...,...", A, BATCH[:, 0]),
    sample(np.einsum, "...j,j", BATCH, V3),
    sample(np.einsum, "a...b,b...->a...", BATCH, np.ones((3, 4))),
    sample(np.einsum, "ij,kj->ik", A, ONE),
    sample(np.einsum, "ij,ij->ij", A, ONE),
    sample(np.einsum, ",i", 2.0, V3),
    sample(np.einsum, ",", S, np.array(2)),
    sample(np.einsum, "zA,Ab", A, B),
    sample(np.einsum, A, [0, 1], B, [1, 2]),
    sample(np.einsum, A, [0, 1], B, [1, 2], [2, 0]),
    sample(np.einsum, BATCH, [..., 0], V3, [0], [...]),
    sample(np.einsum, A, [30, 2]),
    sample(np.einsum, "ij,jk,kl->il", A, B, np.ones((4, 2)), optimize=True),
    sample(np.einsum, "ij,jk,kl,l->i", A, B, np.ones((4, 3)), V3, optimize="optimal"),
    sample(np.einsum, "i,i", V3, V3, optimize=True),
    sample(np.einsum, "ij,ij", ONE, ONE, optimize="greedy"),
    sample(np.einsum, "i,i,i", V3, V3, V3, optimize=["einsum_path", (0, 1), (0, 1)]),
    sample(np.einsum, "ij,jk", A, B, dtype=np.float64, casting="safe"),
    sample(np.einsum, "ij,jk", A, B, order="F"),
    sample(np.einsum, "ij,jk", np.zeros((0, 3)), B),
    error(np.einsum, "ij,jk", A, A),
    error(np.einsum, "ijk", A),
    error(np.einsum, "i", A),
    error(np.einsum, "ij,jk", A),
    error(np.einsum, "ij->ik", A),
    error(np.einsum, "ij->ii", A),
    error(np.einsum, "ii", A),
    error(np.einsum, "ii", ONE),
    error(np.einsum, "...i->i", A),
    error(np.einsum, "i!->i", V3),
    error(np.einsum, "ij,jk", A, B, dtype=np.int8),
    error(np.einsum, A, [0, 1, 2]),
    error(np.einsum, "i,i,i", V3, V3, V3, optimize="no such way"),
    sample(np.einsum_path, "ij,jk,kl->il", A, B, np.ones((4, 2))).with_known_lengths(),
    sample(np.einsum_path, A, [0, 1], B, [1, 2], optimize="optimal").with_known_lengths(),
    error(np.einsum_path, "ij,jk", A, A),
]
