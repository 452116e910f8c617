"""Gray and Scott's reaction and diffusion on a torus, fields with ghost cells."""

import numpy as np

SIZES = 6, 40


def periodic(a):
    a[0, :] = a[-2, :]
    a[-1, :] = a[1, :]
    a[:, 0] = a[:, -2]
    a[:, -1] = a[:, 1]


def laplacian(a):
    return a[:-2, 1:-1] + a[1:-1, :-2] - 4 * a[1:-1, 1:-1] + a[1:-1, 2:] + a[2:, 1:-1]


def gray_scott(U, V, Du, Dv, F, k, steps):
    u, v = U[1:-1, 1:-1], V[1:-1, 1:-1]
    for _ in range(steps):
        Lu = laplacian(U)
        Lv = laplacian(V)
        uvv = u * v * v
        u += Du * Lu - uvv + F * (1 - u)
        v += Dv * Lv + uvv - (F + k) * v
        periodic(U)
        periodic(V)
    return V.mean()


def arguments(size, rng):
    U = np.ones((size, size))
    V = np.zeros((size, size))
    c = size // 2
    U[c - 1 : c + 1, c - 1 : c + 1] = 0.5 + 0.1 * rng.random((2, 2))
    V[c - 1 : c + 1, c - 1 : c + 1] = 0.25
    return U, V, 0.16, 0.08, 0.035, 0.065, 5
