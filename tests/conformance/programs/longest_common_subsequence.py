"""The longest common subsequence of two sequences, by a table and a walk back through it."""

import numpy as np

SIZES = 5, 14


def longest_common_subsequence(a, b):
    m, n = len(a), len(b)
    L = np.zeros((m + 1, n + 1), dtype=int)
    for i in range(m):
        for j in range(n):
            if a[i] == b[j]:
                L[i + 1, j + 1] = L[i, j] + 1
            else:
                L[i + 1, j + 1] = max(L[i + 1, j], L[i, j + 1])
    common = np.zeros(min(m, n), dtype=a.dtype)
    i, j, k = m, n, L[m, n]
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            k -= 1
            i -= 1
            j -= 1
            common[k] = a[i]
        elif L[i - 1, j] >= L[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return L[m, n], common


def arguments(size, rng):
    return rng.integers(0, 4, size), rng.integers(0, 4, size + 2)
