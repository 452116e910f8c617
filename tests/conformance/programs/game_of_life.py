"""Conway's Game of Life on a board with a dead border, in place."""

SIZES = 6, 24


def iterate(Z):
    N = Z[0:-2, 0:-2] + Z[0:-2, 1:-1] + Z[0:-2, 2:] + Z[1:-1, 0:-2]
    N = N + Z[1:-1, 2:] + Z[2:, 0:-2] + Z[2:, 1:-1] + Z[2:, 2:]
    birth = (N == 3) & (Z[1:-1, 1:-1] == 0)
    survive = ((N == 2) | (N == 3)) & (Z[1:-1, 1:-1] == 1)
    Z[...] = 0
    Z[1:-1, 1:-1][birth | survive] = 1
    return Z


def game_of_life(Z, generations):
    for i in range(generations):
        Z = iterate(Z)
    return Z.sum()


def arguments(size, rng):
    return rng.integers(0, 2, (size, size)), 4
