"""A Kalman filter that follows position and speed through noisy measurements."""

import numpy as np

SIZES = 5, 60


def predict(x, P, F, Q):
    return F @ x, F @ P @ F.T + Q


def update(x, P, z, H, R):
    y = z - H @ x
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    return x + K @ y, (np.eye(len(x)) - K @ H) @ P


def kalman_filter(measurements, dt, q, r):
    F = np.array([[1.0, dt], [0.0, 1.0]])
    H = np.array([[1.0, 0.0]])
    Q = q * np.array([[dt**4 / 4, dt**3 / 2], [dt**3 / 2, dt**2]])
    R = np.array([[r]])
    x = np.zeros(2)
    P = np.eye(2) * 500.0
    estimates = np.zeros((len(measurements), 2))
    for k, z in enumerate(measurements):
        x, P = predict(x, P, F, Q)
        x, P = update(x, P, np.array([z]), H, R)
        estimates[k] = x
    return estimates, P


def arguments(size, rng):
    return np.arange(size) * 0.7 + rng.standard_normal(size), 0.5, 0.1, 1.0
