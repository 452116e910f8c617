"""Filters, controllers and estimators that take one measurement after the other."""

from collections import deque

import numpy as np


class KalmanFilter:
    def __init__(self, dt=0.1, q=0.01, r=0.5):
        self.F = np.array([[1, dt], [0, 1]])
        self.H = np.array([[1.0, 0.0]])
        self.Q = q * np.eye(2)
        self.R = np.array([[r]])
        self.x = np.zeros((2, 1))
        self.P = np.eye(2)
        self.log_likelihood = 0.0

    def predict(self, u=None):
        self.x = self.F @ self.x
        if u is not None:
            self.x = self.x + u
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = self.P @ self.H.T @ np.linalg.inv(S)
        self.x = self.x + K @ y
        self.P = (np.eye(2) - K @ self.H) @ self.P
        self.log_likelihood += float(-0.5 * (y.T @ np.linalg.inv(S) @ y + np.log(2 * np.pi * np.linalg.det(S)))[0, 0])
        return self.x[0, 0]


def drive_kalman():
    kf = KalmanFilter()
    for k, z in enumerate((0.1, 0.3, 0.2, 0.6, 0.9, 1.4, 1.1, 1.6)):
        kf.predict()
        yield kf.update(np.array([[z]]))
        if k == 3:
            kf.R = np.array([[0.1]])
    kf.predict(np.array([[0.5], [0.0]]))
    yield kf.x
    yield kf.log_likelihood


class ExtendedKalman:
    """Range and bearing of a point that moves."""

    def __init__(self, state, covariance):
        self.state, self.P = state, covariance
        self.rejected = 0
        self.innovations = []

    def motion(self, v, w, dt):
        x, y, heading = self.state
        self.state = np.array([x + v * np.cos(heading) * dt, y + v * np.sin(heading) * dt, heading + w * dt])
        G = np.array([[1, 0, -v * np.sin(heading) * dt], [0, 1, v * np.cos(heading) * dt], [0, 0, 1]])
        self.P = G @ self.P @ G.T + np.diag([0.01, 0.01, 0.005])

    def correct(self, z, landmark):
        dx, dy = landmark - self.state[:2]
        q = dx**2 + dy**2
        expected = np.array([np.sqrt(q), np.arctan2(dy, dx) - self.state[2]])
        H = np.array([[-dx / np.sqrt(q), -dy / np.sqrt(q), 0.0], [dy / q, -dx / q, -1.0]])
        innovation = z - expected
        innovation[1] = (innovation[1] + np.pi) % (2 * np.pi) - np.pi
        S = H @ self.P @ H.T + 0.1 * np.eye(2)
        if innovation @ np.linalg.solve(S, innovation) > 9.0:
            self.rejected += 1
            return False
        K = self.P @ H.T @ np.linalg.inv(S)
        self.state = self.state + K @ innovation
        self.P = (np.eye(3) - K @ H) @ self.P
        self.innovations.append(innovation)
        return True


def drive_extended_kalman():
    ekf = ExtendedKalman(np.array([0.0, 0.0, 0.1]), 0.1 * np.eye(3))
    landmark = np.array([2.0, 1.0])
    for r, b in ((2.1, 0.3), (2.0, 0.35), (9.0, 0.0), (1.7, 0.4), (1.6, 0.5)):
        ekf.motion(1.0, 0.1, 0.1)
        yield ekf.state
        yield ekf.correct(np.array([r, b]), landmark)
    yield ekf.rejected


class ParticleFilter:
    def __init__(self, n, seed=0):
        self.rng = np.random.default_rng(seed)
        self.particles = self.rng.normal(0, 1, n)
        self.weights = np.full(n, 1 / n)
        self.resampled = 0

    def predict(self, move, noise=0.1):
        self.particles += move + self.rng.normal(0, noise, len(self.particles))

    def update(self, z):
        self.weights *= np.exp(-0.5 * (z - self.particles) ** 2)
        self.weights /= self.weights.sum()
        if self.effective() < len(self.weights) / 2:
            self.resample()
        return self.estimate()

    def effective(self):
        return 1 / np.sum(self.weights**2)

    def resample(self):
        steps = (np.arange(len(self.weights)) + self.rng.random()) / len(self.weights)
        chosen = np.searchsorted(np.cumsum(self.weights), steps)
        self.particles = self.particles[np.minimum(chosen, len(self.weights) - 1)]
        self.weights = np.full(len(self.weights), 1 / len(self.weights))
        self.resampled += 1

    def estimate(self):
        return float(self.weights @ self.particles)


def drive_particles():
    pf = ParticleFilter(12, seed=4)
    for z in (0.5, 1.0, 1.6, 2.2, 2.4):
        pf.predict(0.5)
        yield pf.update(np.float64(z))
    yield pf.resampled
    pf.particles[:3] = 0.0
    pf.predict(0.0)
    yield pf.update(np.float64(2.0))
    yield pf.effective()


class MovingAverage:
    def __init__(self, n):
        self.values = deque(maxlen=n)

    def update(self, value):
        self.values.append(value)
        return sum(self.values) / len(self.values)

    def reset(self):
        self.values.clear()


def drive_moving_average():
    mean = MovingAverage(3)
    for v in (1.0, 4.0, 2.5, 3.0, 8.0, 1.0):
        yield mean.update(np.float64(v))
    mean.reset()
    yield mean.update(np.float64(5.0))
    yield mean.update(np.array([1.0, 2.0]).sum())
    mean.values = deque([1.0], maxlen=2)
    yield mean.update(np.float64(2.0))


class Biquad:
    def __init__(self, b, a):
        self.b, self.a = b, a
        self.z1 = self.z2 = 0.0

    def process(self, x):
        y = np.empty_like(x)
        for i in range(len(x)):
            y[i] = self.b[0] * x[i] + self.z1
            self.z1 = self.b[1] * x[i] - self.a[1] * y[i] + self.z2
            self.z2 = self.b[2] * x[i] - self.a[2] * y[i]
        return y


def drive_biquad():
    f = Biquad([0.2, 0.4, 0.2], [1.0, -0.4, 0.2])
    for n in (4, 7, 4, 7, 4, 4):
        yield f.process(np.sin(np.arange(float(n))))
    f.z1 = f.z2 = 0.0
    yield f.process(np.ones(4))
    f.b[0] = 0.0
    yield f.process(np.ones(4))


class PID:
    def __init__(self, kp, ki, kd, limits=(-1.0, 1.0)):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.limits = limits
        self.integral, self.previous = 0.0, None

    def control(self, target, measured, dt=0.1):
        error = target - measured
        self.integral += error * dt
        rate = 0.0 if self.previous is None else (error - self.previous) / dt
        self.previous = error
        out = self.kp * error + self.ki * self.integral + self.kd * rate
        low, high = self.limits
        if out > high:
            self.integral -= error * dt
            return high
        if out < low:
            self.integral -= error * dt
            return low
        return out

    def reset(self):
        self.integral, self.previous = 0.0, None


def drive_pid():
    pid, level = PID(0.8, 0.5, 0.05), np.float64(0.0)
    for k in range(8):
        out = pid.control(np.float64(1.0), level)
        level = level + 0.3 * out
        yield out
        if k == 4:
            pid.limits = (-0.2, 0.2)
    pid.reset()
    yield pid.control(np.float64(1.0), level)


class AlphaBeta:
    __slots__ = ("a", "b", "x", "v", "dt", "__weakref__")

    def __init__(self, a=0.85, b=0.05, dt=0.5):
        self.a, self.b, self.dt = a, b, dt
        self.x, self.v = 0.0, 0.0

    def track(self, measured):
        predicted = self.x + self.v * self.dt
        residual = measured - predicted
        self.x = predicted + self.a * residual
        self.v += self.b * residual / self.dt
        return self.x, self.v


def drive_alpha_beta():
    tracker = AlphaBeta()
    for z in (1.0, 1.4, 2.1, 2.4, 3.2, 3.4):
        yield tracker.track(np.float64(z))
    tracker.v = 0.0
    yield tracker.track(np.float64(4.0))
    yield tracker.track(np.float64(4.5))


class StreamingMedian:
    """A window that is kept sorted."""

    def __init__(self, size):
        self.size = size
        self.order = []
        self.window = []

    def push(self, value):
        value = float(value)
        self.window.append(value)
        if len(self.window) > self.size:
            self.order.remove(self.window.pop(0))
        at = 0
        while at < len(self.order) and self.order[at] < value:
            at += 1
        self.order.insert(at, value)
        return self.order[len(self.order) // 2]


def drive_streaming_median():
    median = StreamingMedian(3)
    for v in (5.0, 1.0, 3.0, 9.0, 2.0, 2.0, 7.0, 0.0):
        yield median.push(np.float64(v))


class Recursive:
    """Recursive least squares with forgetting."""

    def __init__(self, n, forgetting=0.95):
        self.w = np.zeros(n)
        self.P = 100 * np.eye(n)
        self.forgetting = forgetting
        self.errors = []

    def fit_one(self, x, d):
        e = d - self.w @ x
        k = self.P @ x / (self.forgetting + x @ self.P @ x)
        self.w = self.w + k * e
        self.P = (self.P - np.outer(k, x @ self.P)) / self.forgetting
        self.errors.append(abs(e))
        return self.w

    def fit(self, X, d):
        for row, target in zip(X, d):
            self.fit_one(row, target)
        return np.mean(self.errors[-len(d) :])


def drive_least_squares():
    rng = np.random.default_rng(9)
    rls = Recursive(2)
    for _ in range(5):
        x = rng.normal(size=2)
        yield rls.fit_one(x, x @ [1.0, -2.0])
    for n in (3, 5, 3):
        X = rng.normal(size=(n, 2))
        yield rls.fit(X, X @ np.array([1.0, -2.0]))
    yield len(rls.errors)
