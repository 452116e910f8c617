# ruff: noqa
"""Simulations that write in place and swap buffers, as people write them."""

import numpy as np
from conformance.in_place.collected import called_with

U = np.sin(np.linspace(0, 3, 12))
G = np.add.outer(np.arange(6.0), np.arange(5.0)) % 4
N = np.int64


@called_with((U, 0.1, 5), (U, 0.1, N(0)), (U, 0.2, N(3)), (U, 0.2, N(4)))
def heat_ping_pong(u, r, steps):
    u_new = np.empty_like(u)
    for _ in range(steps):
        u_new[1:-1] = u[1:-1] + r * (u[2:] - 2 * u[1:-1] + u[:-2])
        u_new[0] = u_new[-1] = 0.0
        u, u_new = u_new, u
    return u


@called_with((U, 0.1, N(5)), (U, 0.1, N(0)), (U, 0.2, N(4)))
def heat_copy_back(u, r, steps):
    for _ in range(steps):
        un = u.copy()
        u[1:-1] = un[1:-1] + r * (un[2:] - 2 * un[1:-1] + un[:-2])
    return u


@called_with((G, 1e-3, N(40)), (G, 10.0, N(40)), (G, 1e-3, N(0)))
def jacobi_until_settled(u, tolerance, most):
    old = u.copy()
    rounds = 0
    while rounds < most:
        u[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
        change = np.max(np.abs(u - old))
        old, u = u, old
        rounds += 1
        if change < tolerance:
            break
    return old, rounds


@called_with((G, 0.25, N(3)), (G, 0.25, N(0)), (G, 0.1, 4))
def wave_three_levels(u, c2, steps):
    u_prev, u_next = u.copy(), np.zeros_like(u)
    for step in range(steps):
        u_next[1:-1, 1:-1] = (
            2 * u[1:-1, 1:-1]
            - u_prev[1:-1, 1:-1]
            + c2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        )
        u_next[0] = u_next[-1] = 0
        u_prev, u, u_next = u, u_next, u_prev
    return u, u_prev


@called_with((G, N(4)), (G, N(0)), (G * 0, N(2)))
def gauss_seidel_sweeps(u, sweeps):
    for _ in range(sweeps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


@called_with((G, 1.5, 1e-2), (G, 1.0, 1e-1), (G, 1.5, 100.0))
def sor_with_residual(u, omega, tolerance):
    for sweep in range(30):
        residual = 0.0
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                r = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) - u[i, j]
                u[i, j] += omega * r
                residual += abs(r)
        if residual < tolerance:
            return u, sweep
    return u, -1


BLINKER = np.zeros((6, 6), int)
BLINKER[2, 1:4] = 1
GLIDER = np.zeros((8, 8), int)
GLIDER[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1


@called_with((BLINKER, N(1)), (GLIDER, N(7)), (GLIDER, N(0)))
def life_with_slices(board, generations):
    for _ in range(generations):
        n = np.zeros_like(board)
        n[1:-1, 1:-1] = (
            board[:-2, :-2]
            + board[:-2, 1:-1]
            + board[:-2, 2:]
            + board[1:-1, :-2]
            + board[1:-1, 2:]
            + board[2:, :-2]
            + board[2:, 1:-1]
            + board[2:, 2:]
        )
        birth = (n == 3) & (board == 0)
        survive = ((n == 2) | (n == 3)) & (board == 1)
        board[...] = 0
        board[birth | survive] = 1
    return board


@called_with((BLINKER, N(2)), (GLIDER, N(5)), (GLIDER, N(0)))
def life_with_buffers(board, generations):
    new = board.copy()
    for _ in range(generations):
        n = sum(np.roll(np.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        new[:] = board
        new[(board == 1) & ((n < 2) | (n > 3))] = 0
        new[(board == 0) & (n == 3)] = 1
        if np.array_equal(new, board):
            break
        board, new = new, board
    return board.sum(), board


@called_with((U, 0.5, N(3)), (-U, 0.5, N(3)), (U, 0.5, N(0)))
def upwind_by_sign(u, c, steps):
    for _ in range(steps):
        if u.mean() > 0:
            u[1:] -= c * (u[1:] - u[:-1])
        else:
            u[:-1] -= c * (u[1:] - u[:-1])
    return u


@called_with((U, 0.1, 0.01, N(4)), (U * 3, 0.1, 0.5, N(4)), (U, 0.1, 0.01, N(0)))
def burgers_with_limiter(u, dt, nu, steps):
    un = np.ones_like(u)
    for n in range(steps):
        un = u.copy()
        u[1:-1] = un[1:-1] - un[1:-1] * dt * (un[1:-1] - un[:-2]) + nu * (un[2:] - 2 * un[1:-1] + un[:-2])
        u[0], u[-1] = u[-2], u[1]
        if np.abs(u).max() > 2:
            u = np.clip(u, -2, 2)
    return u, un


@called_with((U, N(3)), (U, N(0)), (U, N(1)))
def runge_kutta_with_scratch(y, steps):
    k = np.zeros((4, len(y)))
    work = np.empty_like(y)
    h = 0.1
    for _ in range(steps):
        np.multiply(y, -1, out=k[0])
        np.multiply(k[0], h / 2, out=work)
        work += y
        np.negative(work, out=k[1])
        np.multiply(k[1], h / 2, out=work)
        work += y
        np.negative(work, out=k[2])
        np.multiply(k[2], h, out=work)
        work += y
        np.negative(work, out=k[3])
        y += h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])
    return y, k


@called_with((U[:6], U[6:] * 0, 0.1, N(5)), (U[:6], U[:6], 0.1, N(0)))
def leapfrog(x, v, dt, steps):
    a = -x
    v += 0.5 * dt * a
    for _ in range(steps):
        x += dt * v
        a = -x
        v += dt * a
        hit = x < 0
        x[hit] = -x[hit]
        v[hit] *= -0.9
    v -= 0.5 * dt * a
    return x, v


POS = np.array([[0.0, 0.1], [0.5, 0.4], [0.9, 0.9], [0.2, 0.8]])
VEL = np.array([[0.3, -0.4], [0.1, 0.9], [0.6, 0.5], [-0.5, 0.0]])


@called_with((POS, VEL, 0.3, N(4)), (POS, VEL, 0.3, N(0)), (POS[:1], VEL[:1], 2.0, N(2)))
def bouncing_particles(pos, vel, dt, steps):
    for _ in range(steps):
        pos += vel * dt
        for axis in range(2):
            low, high = pos[:, axis] < 0, pos[:, axis] > 1
            pos[low, axis] *= -1
            pos[high, axis] = 2 - pos[high, axis]
            vel[low | high, axis] *= -1
    return pos


@called_with((POS, VEL, 0.01, N(3)), (POS, VEL, 0.01, N(0)))
def n_body(pos, vel, dt, steps):
    n = len(pos)
    acc = np.zeros_like(pos)
    for _ in range(steps):
        acc[:] = 0
        for i in range(n):
            for j in range(n):
                if i == j:
                    continue
                d = pos[j] - pos[i]
                acc[i] += d / (np.sqrt((d**2).sum()) + 0.1) ** 3
        vel += acc * dt
        pos += vel * dt
    return (vel**2).sum() / 2


@called_with((np.arange(10) % 3 == 0, 30, N(4)), (np.arange(10) == 5, 110, N(6)), (np.arange(10) == 5, 90, N(0)))
def cellular_automaton(cells, rule, steps):
    table = np.array([(rule >> i) & 1 for i in range(8)], bool)
    history = np.zeros((7, len(cells)), bool)
    history[0] = cells
    for t in range(steps):
        left, right = np.roll(cells, 1), np.roll(cells, -1)
        cells = table[left * 4 + cells * 2 + right * 1]
        history[t + 1] = cells
    return history, cells


@called_with((np.full(5, 3), N(12)), (np.array([9, 0, 0, 0]), N(6)), (np.array([1, 1]), N(9)))
def sandpile(grains, drops):
    for k in range(drops):
        grains[k % len(grains)] += 1
        while grains.max() > 3:
            over = grains > 3
            grains[over] -= 2
            grains[1:] += over[:-1]
            grains[:-1] += over[1:]
    return grains


@called_with((G, N(2)), (G, N(0)), (G - 10, N(2)))
def reaction_diffusion(a, steps):
    b = np.zeros_like(a)
    b[2:4, 1:3] = 1.0
    lap = np.empty_like(a)
    for _ in range(steps):
        for field, rate in ((a, 0.2), (b, 0.1)):
            lap[...] = -4 * field
            lap[1:] += field[:-1]
            lap[:-1] += field[1:]
            lap[:, 1:] += field[:, :-1]
            lap[:, :-1] += field[:, 1:]
            field += rate * lap
        reaction = a * b * b
        a -= reaction
        b += reaction
        if a.min() < -5:
            a[a < -5] = -5
    return a, b


@called_with((U, N(4), 0.0), (U, N(4), 0.9), (U, N(0), 0.0))
def adaptive_step(u, steps, limit):
    dt, t = 0.1, 0.0
    for _ in range(steps):
        trial = u + dt * -u
        if np.abs(trial - u).max() > limit:
            dt *= 0.5
            continue
        u = trial
        t += dt
        u[0] = 0.0
    u[-1] = 1.0
    return u, t, dt


@called_with((U, N(3)), (U, N(0)), (U * 0, N(2)))
def boundary_then_step(u, steps):
    t = 0
    while t < steps:
        u[0] = 0.0
        u[-1] = u[-2]
        u = u + 0.1 * np.gradient(u)
        t += 1
    return u


@called_with((U, U[::-1], N(5)), (U, U[::-1], N(0)), (U, U * 2, N(2)))
def predictor_corrector(u, f, steps):
    f_old = f
    for n in range(steps):
        guess = u + 0.1 * f
        f_new = -guess
        if n == 0:
            u += 0.05 * (f + f_new)
        else:
            u += 0.1 * (1.5 * f_new - 0.5 * f_old)
        f_old, f = f, f_new
    return u, f, f_old


@called_with((G, N(3)), (G, N(0)), (G.T.copy(), N(2)))
def shallow_water(h, steps):
    u = np.zeros((h.shape[0] + 1, h.shape[1]))
    v = np.zeros((h.shape[0], h.shape[1] + 1))
    for _ in range(steps):
        u[1:-1] -= 0.1 * (h[1:] - h[:-1])
        v[:, 1:-1] -= 0.1 * (h[:, 1:] - h[:, :-1])
        flux = u[1:] - u[:-1] + v[:, 1:] - v[:, :-1]
        h -= 0.1 * flux
        inner = h[1:-1, 1:-1]
        inner *= 0.99
        np.maximum(h, 0, out=h)
    return h, u, v


@called_with((U, 3, N(7)), (U, 5, N(3)), (U, 2, N(0)))
def ring_buffer(x, size, count):
    buffer = np.zeros(size)
    means = np.zeros(len(x))
    head = 0
    for i in range(count):
        buffer[head] = x[i]
        head = (head + 1) % size
        means[i] = buffer.mean()
        x[i] -= means[i]
    return means, buffer, head


@called_with((np.ones((5, 5)) * 2.0, N(2), N(2), 4.0), (np.eye(5), N(0), N(4), 9.0), (np.eye(5), N(1), N(1), 0.5))
def flood_fill(image, row, column, level):
    mask = np.zeros(image.shape, bool)
    mask[row, column] = True
    while True:
        grown = mask.copy()
        grown[1:] |= mask[:-1]
        grown[:-1] |= mask[1:]
        grown[:, 1:] |= mask[:, :-1]
        grown[:, :-1] |= mask[:, 1:]
        grown &= image < level
        if (grown == mask).all():
            break
        mask = grown
    image[mask] = -1
    return mask
