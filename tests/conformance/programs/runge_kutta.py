"""The Lorenz system by the classical Runge-Kutta method."""

import numpy as np

SIZES = 4, 200


def lorenz(t, s, sigma=10.0, rho=28.0, beta=8 / 3):
    x, y, z = s
    return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])


def rk4_step(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def runge_kutta(y0, t_end, n):
    t = np.linspace(0, t_end, n + 1)
    y = np.zeros((n + 1, len(y0)))
    y[0] = y0
    for i in range(n):
        y[i + 1] = rk4_step(lorenz, t[i], y[i], t[i + 1] - t[i])
    return t, y


def arguments(size, rng):
    return rng.random(3), 0.01 * size, size
