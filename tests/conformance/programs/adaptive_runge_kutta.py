"""The van der Pol oscillator by a Runge–Kutta method that chooses its steps."""

import numpy as np

SIZES = 2, 3


def adaptive_runge_kutta(y, t_end):
    def f(t, y):
        return np.array([y[1], (1 - y[0] ** 2) * y[1] - y[0]])

    t, h, steps = 0.0, 0.1, 0
    while t < t_end:
        h = min(h, t_end - t)
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + 3 * h / 4, y + 3 * h / 4 * k2)
        y_new = y + h * (2 * k1 + 3 * k2 + 4 * k3) / 9
        k4 = f(t + h, y_new)
        error = np.linalg.norm(h * (-5 * k1 + 6 * k2 + 8 * k3 - 9 * k4) / 72)
        if error < 1e-4:
            t += h
            y = y_new
            steps += 1
        h *= min(2.0, max(0.3, 0.9 * (1e-4 / (error + 1e-15)) ** (1 / 3)))
    return y, steps


def arguments(size, rng):
    return rng.random(2) + 1, float(size)
