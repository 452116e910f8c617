"""A bouncing ball: an object of a dataclass whose arrays are changed in place."""

from dataclasses import dataclass

import numpy as np

SIZES = 5, 40


@dataclass
class Ball:
    position: np.ndarray
    velocity: np.ndarray
    bounces: int = 0

    def step(self, dt):
        self.velocity[1] -= 9.81 * dt
        self.position += self.velocity * dt
        if self.position[1] < 0:
            self.position[1] = -self.position[1]
            self.velocity[1] *= -0.9
            self.bounces += 1


def bouncing_ball(position, velocity, n):
    ball = Ball(position, velocity)
    height = 0.0
    for _ in range(n):
        ball.step(0.05)
        height = max(height, ball.position[1])
    return ball.position, ball.bounces, height


def arguments(size, rng):
    return rng.random(2) + 1, rng.standard_normal(2), size
