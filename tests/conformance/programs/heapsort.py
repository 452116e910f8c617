"""Heapsort in place, with an inner function that sifts."""

SIZES = 4, 9


def heapsort(a):
    def sift(start, end):
        root = start
        while True:
            child = 2 * root + 1
            if child > end:
                break
            if child + 1 <= end and a[child] < a[child + 1]:
                child += 1
            if a[root] < a[child]:
                a[root], a[child] = a[child], a[root]
                root = child
            else:
                break

    n = len(a)
    for start in range((n - 2) // 2, -1, -1):
        sift(start, n - 1)
    for end in range(n - 1, 0, -1):
        a[end], a[0] = a[0], a[end]
        sift(0, end - 1)


def arguments(size, rng):
    return (rng.random(size),)
