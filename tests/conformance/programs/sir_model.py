"""An epidemic in the SIR model, by Euler's method, until hardly anyone is infected."""

import numpy as np

SIZES = 20, 100


def sir_model(beta, gamma, I0, steps, dt):
    S = np.zeros(steps)
    I = np.zeros(steps)
    R = np.zeros(steps)
    S[0], I[0], R[0] = 1 - I0, I0, 0.0
    for t in range(steps - 1):
        infections = beta * S[t] * I[t] * dt
        recoveries = gamma * I[t] * dt
        S[t + 1] = S[t] - infections
        I[t + 1] = I[t] + infections - recoveries
        R[t + 1] = R[t] + recoveries
    peak = I.argmax()
    return S, I, R, peak * dt


def arguments(size, rng):
    return 0.5, np.float64(rng.uniform(0.1, 0.2)), 0.01, size, 0.5
