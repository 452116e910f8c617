"""Quicksort in place, with an array as the stack."""

import numpy as np

SIZES = 6, 25


def quicksort(a):
    stack = np.zeros((len(a) + 1, 2), dtype=int)
    top = 0
    stack[0] = 0, len(a) - 1
    while top >= 0:
        low, high = stack[top]
        top -= 1
        if low < high:
            pivot = a[high]
            i = low - 1
            for j in range(low, high):
                if a[j] <= pivot:
                    i += 1
                    a[i], a[j] = a[j], a[i]
            a[i + 1], a[high] = a[high], a[i + 1]
            top += 1
            stack[top] = low, i
            top += 1
            stack[top] = i + 2, high
    return a


def arguments(size, rng):
    return (rng.integers(0, 99, size),)
