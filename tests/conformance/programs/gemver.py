"""Updates by outer products, then products with matrix and transpose, all in place."""

SIZES = 4, 50


def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += u1[:, None] * v1 + u2[:, None] * v2
    x += beta * y @ A + z
    w += alpha * A @ x


def arguments(size, rng):
    return 1.5, 1.2, rng.random((size, size)), *rng.random((8, size)).copy()
