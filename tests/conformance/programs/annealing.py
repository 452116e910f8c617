"""Simulated annealing of a tour; the random numbers come from a linear congruential generator."""

import numpy as np

SIZES = 6, 15


def next_random(state):
    return (1103515245 * state + 12345) % 2147483648


def tour_length(tour, xy):
    stops = xy[tour]
    return np.sqrt(((stops - np.roll(stops, -1, axis=0)) ** 2).sum(axis=1)).sum()


def annealing(xy, seed, T=1.0, cooling=0.7, T_end=0.01):
    n = len(xy)
    tour = np.arange(n)
    length = tour_length(tour, xy)
    best, best_length = tour.copy(), length
    state = seed
    while T > T_end:
        for _ in range(5):
            state = next_random(state)
            i = state // 65536 % n
            state = next_random(state)
            j = state // 65536 % n
            if i > j:
                i, j = j, i
            candidate = tour.copy()
            candidate[i : j + 1] = candidate[i : j + 1][::-1]
            new_length = tour_length(candidate, xy)
            state = next_random(state)
            if new_length < length or state / 2147483648 < np.exp((length - new_length) / T):
                tour, length = candidate, new_length
                if length < best_length:
                    best, best_length = tour.copy(), length
        T *= cooling
    return best, best_length


def arguments(size, rng):
    return rng.random((size, 2)), 42
