"""Flow in a cavity with a moving lid: pressure by Jacobi steps, velocities by explicit ones."""

import numpy as np

SIZES = 6, 21


def source_term(b, rho, dt, u, v, dx, dy):
    ux = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)
    vy = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)
    uy = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy)
    vx = (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
    b[1:-1, 1:-1] = rho * ((ux + vy) / dt - ux**2 - 2 * uy * vx - vy**2)


def pressure(nit, p, dx, dy, b):
    pn = np.empty_like(p)
    for q in range(nit):
        pn[:] = p.copy()
        p[1:-1, 1:-1] = (
            (pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2
            + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2
            - dx**2 * dy**2 * b[1:-1, 1:-1]
        ) / (2 * (dx**2 + dy**2))
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


def cavity_flow(nt, nit, u, v, dt, dx, dy, p, rho, nu):
    un = np.empty_like(u)
    vn = np.empty_like(v)
    b = np.zeros(u.shape)
    for n in range(nt):
        un[:] = u.copy()
        vn[:] = v.copy()
        source_term(b, rho, dt, u, v, dx, dy)
        pressure(nit, p, dx, dy, b)
        for new, old, gradient in (
            (u, un, (p[1:-1, 2:] - p[1:-1, :-2]) / dx),
            (v, vn, (p[2:, 1:-1] - p[:-2, 1:-1]) / dy),
        ):
            new[1:-1, 1:-1] = (
                old[1:-1, 1:-1]
                - un[1:-1, 1:-1] * dt / dx * (old[1:-1, 1:-1] - old[1:-1, :-2])
                - vn[1:-1, 1:-1] * dt / dy * (old[1:-1, 1:-1] - old[:-2, 1:-1])
                - dt / (2 * rho) * gradient
                + nu * dt / dx**2 * (old[1:-1, 2:] - 2 * old[1:-1, 1:-1] + old[1:-1, :-2])
                + nu * dt / dy**2 * (old[2:, 1:-1] - 2 * old[1:-1, 1:-1] + old[:-2, 1:-1])
            )
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = v[-1, :] = 0
        v[:, 0] = v[:, -1] = 0


def arguments(size, rng):
    dx = 2 / (size - 1)
    u, v, p = 0.1 * rng.random((3, size, size))
    return 3, 4, u.copy(), v.copy(), 0.001, dx, dx, p.copy(), 1.0, 0.1
