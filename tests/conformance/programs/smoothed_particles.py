"""Smoothed particle hydrodynamics: densities, pressures and accelerations of all pairs; damped motion."""

import numpy as np

SIZES = 4, 25


def kernel(x, y, h):
    return (1.0 / (h * np.sqrt(np.pi))) ** 2 * np.exp(-(x**2 + y**2) / h**2)


def kernel_gradient(x, y, h):
    n = -2 * np.exp(-(x**2 + y**2) / h**2) / h**4 / np.pi
    return n * x, n * y


def separations(r):
    x, y = r[:, 0].reshape(-1, 1), r[:, 1].reshape(-1, 1)
    return x - x.T, y - y.T


def density(r, m, h):
    dx, dy = separations(r)
    return np.sum(m * kernel(dx, dy, h), axis=1).reshape((-1, 1))


def smoothed_particles(pos, vel, steps, dt=0.04, h=0.3, k=0.1, nu=1.0, lmbda=2.0):
    m = 2.0 / len(pos)
    for _ in range(steps):
        rho = density(pos, m, h)
        P = k * rho**2
        dx, dy = separations(pos)
        gx, gy = kernel_gradient(dx, dy, h)
        pressure = P / rho**2 + (P / rho**2).T
        acc = -np.stack([np.sum(m * pressure * gx, 1), np.sum(m * pressure * gy, 1)], axis=1)
        acc -= lmbda * pos + nu * vel
        vel += acc * dt
        pos += vel * dt
    return density(pos, m, h)


def arguments(size, rng):
    return rng.standard_normal((size, 2)), np.zeros((size, 2)), 4
