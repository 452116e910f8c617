"""Insertion sort of a copy."""

SIZES = 4, 20


def insertion_sort(values):
    a = values.copy()
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


def arguments(size, rng):
    return (rng.random(size),)
