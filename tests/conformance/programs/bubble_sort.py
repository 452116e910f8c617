"""Bubble sort in place; the number of swaps is returned."""

SIZES = 4, 14


def bubble_sort(a):
    swaps = 0
    for i in range(len(a)):
        swapped = False
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swaps += 1
                swapped = True
        if not swapped:
            break
    return swaps


def arguments(size, rng):
    return (rng.integers(0, 100, size),)
