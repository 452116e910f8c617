"""Calls of SciPy's functions of which derivatives are taken, and what compares these with central differences."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.signal
import tracefn

X = np.array([0.35, 0.62, 0.8])
MATRIX = np.array([[2.0, 0.3, 0.1], [0.4, 1.5, -0.2], [0.2, 0.1, 1.1]])
CALLS = {
    "scipy.special.logsumexp": [
        lambda f, x: f(x),
        lambda f, x: f(x * MATRIX, 1, b=x, keepdims=True),
        lambda f, x: f(x, b=[1, -2, 0.5], return_sign=True)[0],
    ],
    "scipy.special.softmax": [lambda f, x: f(x), lambda f, x: f(x * MATRIX, axis=0)],
    "scipy.special.lambertw": [lambda f, x: np.real(f(x) + f(x + 1j, 1))],
    "scipy.special.softplus": [lambda f, x: f(x)],
    "scipy.special.comb": [lambda f, x: f(3 + x, x)],
    "scipy.special.factorial": [lambda f, x: f(x)],
    **{
        f"scipy.special.spherical_{name}": [lambda f, x: f(2, x) + f(1, x, derivative=True)]
        for name in ("jn", "yn", "in", "kn")
    },
    "scipy.special.zeta": [lambda f, x: f(2.5, x)],
    "scipy.special.polygamma": [lambda f, x: f(2, x)],
    "scipy.linalg.solve": [lambda f, x: f(MATRIX * x, x), lambda f, x: f(MATRIX * x, x, transposed=True)],
    "scipy.linalg.lstsq": [
        lambda f, x: f(MATRIX * x, x)[0],
        lambda f, x: f((MATRIX * x)[:, :2], x**2)[1],
        lambda f, x: f((MATRIX * x)[:, :2], MATRIX + x)[0],
    ],
    "scipy.linalg.lu": [
        lambda f, x: f((MATRIX * x)[::-1])[1],
        lambda f, x: f(MATRIX[[1, 2, 0]] * x)[2],
        lambda f, x: f(MATRIX[[2, 0, 1]] * x)[1] @ f(MATRIX * x)[2],
    ],
    "scipy.linalg.lu_factor": [lambda f, x: f(MATRIX[[1, 2, 0]] * x)[0]],
    "scipy.linalg.lu_solve": [
        lambda f, x: f(scipy.linalg.lu_factor(MATRIX[[1, 2, 0]] * x), x**2),
        lambda f, x: f(scipy.linalg.lu_factor(MATRIX * x), MATRIX * x),
        lambda f, x: f(scipy.linalg.lu_factor(MATRIX[[1, 2, 0]] * x), x**2, 1),
        lambda f, x: f(scipy.linalg.lu_factor(MATRIX[[1, 2, 0]] * x), MATRIX * x, trans=2),
    ],
    "scipy.linalg.solve_continuous_lyapunov": [lambda f, x: f(MATRIX * x, MATRIX + x)],
    "scipy.linalg.fractional_matrix_power": [lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x), 0.3)],
    "scipy.linalg.logm": [lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x))],
    "scipy.linalg.solve_triangular": [
        lambda f, x: f(MATRIX * x, x, lower=True, trans=1),
        lambda f, x: f(MATRIX * x, MATRIX, trans="T", unit_diagonal=True),
        lambda f, x: f(MATRIX * x, x, lower=True),
        lambda f, x: f(MATRIX * x, x, unit_diagonal=True),
    ],
    "scipy.linalg.cholesky": [
        lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x)),
        lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x), lower=True),
    ],
    "scipy.linalg.eigh": [
        lambda f, x: f(MATRIX + MATRIX.T + np.outer(x, x))[1] ** 2,
        lambda f, x: f(MATRIX + MATRIX.T + np.outer(x, x), eigvals_only=True),
        lambda f, x: f(MATRIX + MATRIX.T + np.outer(x, x), subset_by_index=[1, 2])[1] ** 2,
        lambda f, x: f(MATRIX + MATRIX.T + x[0], subset_by_index=[0, 1], eigvals_only=True),
        lambda f, x: f(MATRIX + MATRIX.T + x[0], MATRIX @ MATRIX.T + np.diag(x), eigvals_only=True),
        lambda f, x: np.vstack(f(MATRIX + MATRIX.T + x[0], MATRIX @ MATRIX.T + np.diag(x))) ** 2,
    ],
    "scipy.linalg.pinv": [lambda f, x: f((MATRIX * x)[:2], return_rank=True)[0], lambda f, x: f((MATRIX * x)[:, :2])],
    "scipy.linalg.eigvalsh": [lambda f, x: f(MATRIX + MATRIX.T + np.outer(x, x))],
    "scipy.linalg.svd": [lambda f, x: f(MATRIX * x)[0] ** 2 @ f(MATRIX * x, full_matrices=False)[2] ** 2],
    **{
        f"scipy.fft.{name}": [
            lambda f, x, type=type, norm=norm: f(MATRIX * x, type, axis=0, norm=norm)
            for type in (1, 2, 3, 4)
            for norm in (None, "forward", "ortho")
        ]
        for name in ("dct", "idct", "dst", "idst")
    },
    "scipy.linalg.eig": [
        lambda f, x: np.abs(f(MATRIX * x)[1]),
        lambda f, x: np.real(f(MATRIX * x, right=False)),
    ],
    "scipy.linalg.eigvals": [lambda f, x: np.real(f(MATRIX * x))],
    "scipy.linalg.hankel": [lambda f, x: f(x), lambda f, x: f(x, x[:2] * 2)],
    "scipy.linalg.norm": [lambda f, x: f(x), lambda f, x: f(MATRIX * x, 1)],
    "scipy.linalg.cho_factor": [
        lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x))[0],
        lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x), lower=True)[0],
    ],
    "scipy.linalg.cho_solve": [
        lambda f, x: f((np.tril(MATRIX * x), True), x),
        lambda f, x: f((np.triu(MATRIX * x), False), MATRIX * x),
        lambda f, x: f(scipy.linalg.cho_factor(MATRIX @ MATRIX.T + np.outer(x, x)), x),
    ],
    "scipy.linalg.block_diag": [lambda f, x: f(MATRIX * x, x, MATRIX[:2] * x)],
    "scipy.linalg.toeplitz": [lambda f, x: f(x), lambda f, x: f(x, x[:2] * 2)],
    "scipy.special.multigammaln": [lambda f, x: f(x + 2, 3)],
    "scipy.linalg.solve_sylvester": [lambda f, x: f(MATRIX * x, MATRIX + x, MATRIX.T * x)],
    "scipy.linalg.sqrtm": [lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x))],
    "scipy.linalg.qr": [
        lambda f, x: f((MATRIX * x)[:, :2], mode="r")[0],
        lambda f, x: f(MATRIX * x)[1],
        lambda f, x: f((MATRIX * x)[:, :2], mode="economic")[0],
        lambda f, x: f((MATRIX * x)[:, [1, 0]], mode="economic", pivoting=True)[1],
        lambda f, x: f(MATRIX[::-1] * x, pivoting=True)[0] @ f(MATRIX * x, mode="r", pivoting=True)[0],
    ],
    "scipy.linalg.rq": [
        lambda f, x: f(MATRIX * x)[1],
        lambda f, x: f((MATRIX * x)[:2], mode="r") + f((MATRIX * x)[:, :2], mode="economic")[1][0, 0],
        lambda f, x: f((MATRIX * x)[:2], mode="economic")[0],
    ],
    "scipy.linalg.ldl": [
        lambda f, x: np.concatenate(f(MATRIX @ MATRIX.T + np.outer(x, x))[:2]),
        lambda f, x: np.concatenate(f(np.fliplr(np.diag(x)) + np.fliplr(np.diag(x)).T, lower=False)[:2]),
        lambda f, x: f(np.outer(x, x[::-1]) + np.outer(x[::-1], x) - 3 * np.eye(3)[::-1], lower=False)[0],
    ],
    "scipy.linalg.solve_discrete_lyapunov": [
        lambda f, x: f(MATRIX * x / 3, MATRIX + x),
        lambda f, x: f(MATRIX * x / 3, MATRIX + x, "bilinear"),
    ],
    **{
        f"scipy.linalg.solve_{kind}_are": [
            lambda f, x: f(MATRIX * x, (MATRIX + x)[:, :2], np.eye(3) + np.outer(x, x), np.diag(x[:2]) + 1)
        ]
        for kind in ("continuous", "discrete")
    },
    "scipy.linalg.circulant": [lambda f, x: f(x)],
}
for name in ("convolve", "fftconvolve", "oaconvolve"):
    CALLS[f"scipy.signal.{name}"] = [
        *[lambda f, x, mode=mode: f(x, x[:2] * 2, mode) for mode in ("full", "same", "valid")],
        lambda f, x: f(MATRIX * x, np.outer(x, x[:2]), mode="same"),
    ]
for name in ("correlate", "convolve2d", "correlate2d"):
    CALLS[f"scipy.signal.{name}"] = [
        *[lambda f, x, mode=mode: f(MATRIX * x, np.outer(x, x[:2]), mode) for mode in ("full", "same", "valid")],
        lambda f, x: np.imag(f(MATRIX * x + 1j, np.outer(x[:1], x[:2]) * 1j, "valid")),
    ]
for name in ("convolve2d", "correlate2d"):
    CALLS[f"scipy.signal.{name}"] += [
        lambda f, x, mode=mode, boundary=boundary: f(MATRIX * x, np.outer(x, x[:2]), mode, boundary, 0.5)
        for mode in ("full", "same", "valid")
        for boundary in ("fill", "wrap", "symm")
    ]
for name in ("fftconvolve", "oaconvolve"):
    CALLS[f"scipy.signal.{name}"] += [
        lambda f, x: f(MATRIX * x, MATRIX[:, :2] + x[:2], axes=1),
        lambda f, x: f(MATRIX * x, np.reshape(x[:2], (2, 1)), "valid", axes=[-2]),
    ]
STEEP = np.array([9.0, 1.0, 1.0])
SIGNALS = np.cos(np.arange(24.0) ** 2).reshape(2, 12)
CALLS |= {
    "scipy.signal.lfilter": [
        lambda f, x: f(x, 1.0, np.outer(x, SIGNALS[0])),
        lambda f, x: f(x[:2], np.array([1.2, 0.4, -0.3]) * x, SIGNALS * x[0], 1),
        lambda f, x: np.sum(f([0.5, 0.2], [1.5, 0.3], SIGNALS[0] * x[2], zi=x[:1])[0] ** 2),
        lambda f, x: f(np.ones(3), np.array([1.5, 0.3]), SIGNALS[0] * x[2], zi=x[:2])[1],
    ],
    "scipy.signal.sosfilt": [
        lambda f, x: f(np.ones((2, 6)) * np.append(x, [1.0, 0.3, -0.2]), SIGNALS.T * x[:2], axis=0)
    ],
    "scipy.signal.filtfilt": [
        *[
            lambda f, x, kind=kind: f([0.4, 0.3], [1.3, -0.2], np.outer(x, SIGNALS[0]), padtype=kind)
            for kind in ("odd", "even", "constant", None)
        ],
        lambda f, x: f(*scipy.signal.butter(2, 0.3), np.outer(SIGNALS[0], x) ** 2, axis=0, padlen=4),
    ],
    "scipy.signal.savgol_filter": [
        *[lambda f, x, mode=mode: f(SIGNALS * x[0], 5, 2, mode=mode) for mode in ("interp", "mirror", "wrap")],
        lambda f, x: f(np.outer(SIGNALS[0, :5], x), 5, 3, deriv=1, axis=0),
    ],
    "scipy.signal.sosfiltfilt": [
        lambda f, x: f(scipy.signal.butter(3, 0.3, output="sos"), np.outer(x, np.tile(SIGNALS[0], 2)))
    ],
    "scipy.signal.detrend": [
        lambda f, x: f(np.outer(x, SIGNALS[0]), type="constant"),
        lambda f, x: f(MATRIX * x, axis=0),
    ],
    "scipy.signal.decimate": [lambda f, x: f(np.outer(x, np.tile(SIGNALS[0], 4)), 2)],
    "scipy.signal.hilbert": [lambda f, x: np.abs(f(np.outer(x, SIGNALS[0])))],
    "scipy.signal.resample": [lambda f, x: f(np.outer(SIGNALS[0], x), 7)],
    "scipy.signal.resample_poly": [lambda f, x: f(np.outer(x, SIGNALS[0]), 3, 2, axis=1)],
    "scipy.ndimage.correlate": [
        lambda f, x: f(SIGNALS * x[0], np.outer(x[:2], x), mode="nearest"),
        lambda f, x: f(SIGNALS * x[0], np.outer(x, x[:2]), cval=0.3, mode="constant", origin=(1, -1)),
    ],
    "scipy.ndimage.correlate1d": [lambda f, x: f(SIGNALS * x[0], x[:2], mode="mirror")],
    "scipy.ndimage.convolve1d": [lambda f, x: f(SIGNALS * x[0], x[:2], axis=0, origin=-1, mode="wrap")],
    "scipy.ndimage.gaussian_filter": [
        lambda f, x: f(SIGNALS * x[0], [0.4, 0.9], order=(0, 1), mode=["mirror", "constant"]),
        lambda f, x: f(MATRIX * x, 2.5),
    ],
    "scipy.ndimage.gaussian_filter1d": [lambda f, x: f(MATRIX * x, 0.7, 0, radius=3)],
    "scipy.ndimage.uniform_filter": [lambda f, x: f(SIGNALS * x[0], (1, 4), mode="wrap", origin=(0, -1))],
    "scipy.ndimage.uniform_filter1d": [lambda f, x: f(MATRIX * x, 2, 0)],
    "scipy.linalg.solve_toeplitz": [
        lambda f, x: f(x * STEEP, x),
        lambda f, x: f((x * STEEP, x**2), MATRIX * x),
    ],
    "scipy.linalg.matmul_toeplitz": [lambda f, x: f(x, x), lambda f, x: f((x[:2], x**2), MATRIX * x)],
    "scipy.linalg.solve_circulant": [lambda f, x: f(x * STEEP, x)],
    "scipy.linalg.solve_banded": [
        lambda f, x: f((1, 0), MATRIX[:2] * x + 1, x),
        lambda f, x: f((1, 1), MATRIX + 3 + x, MATRIX),
    ],
    "scipy.linalg.solveh_banded": [
        lambda f, x: f(np.stack([x, x + 4]), MATRIX * x),
        lambda f, x: f(np.stack([x + 4, x, x**2]), x, lower=True),
    ],
    "scipy.linalg.polar": [lambda f, x: f((MATRIX * x)[:, :2])[0], lambda f, x: f((MATRIX * x)[:2], "left")[1]],
}
CALLS |= {
    "scipy.integrate.trapezoid": [lambda f, x: f(MATRIX * x, x**2 + np.arange(3), axis=0)],
    "scipy.integrate.cumulative_trapezoid": [
        lambda f, x: f(MATRIX * x, dx=0.3, axis=0, initial=0),
        lambda f, x: f(MATRIX * x, x**2 + np.arange(3)),
    ],
    "scipy.integrate.simpson": [
        lambda f, x: f(MATRIX * x, dx=0.3, axis=0),
        lambda f, x: f(MATRIX * x, x=[0.0, 1.0, 3.0]),
    ],
    "scipy.integrate.romb": [lambda f, x: f(MATRIX * x, dx=0.3, axis=0)],
    "scipy.spatial.distance.cdist": [
        lambda f, x: f(MATRIX * x, MATRIX[:2] + x),
        lambda f, x: f(MATRIX * x, MATRIX * x[0], "sqeuclidean"),
    ],
    "scipy.spatial.distance.pdist": [lambda f, x: f(MATRIX * x), lambda f, x: f(MATRIX * x, metric="sqeuclidean")],
    "scipy.spatial.distance.euclidean": [lambda f, x: f(x, MATRIX[0] * x)],
    "scipy.spatial.distance.sqeuclidean": [lambda f, x: f(x, MATRIX[0])],
    "scipy.spatial.distance.cosine": [lambda f, x: f(x, MATRIX[0] * x**2)],
    "scipy.spatial.distance.cityblock": [lambda f, x: f(x, MATRIX[0] * x**2)],
    **{
        f"scipy.stats.{name}": [lambda f, x: f(x), lambda f, x: f(MATRIX**2 * x, axis=1)]
        for name in ("gmean", "hmean", "sem", "zscore", "entropy")
    },
    **{
        f"scipy.stats.{name}": [
            lambda f, x: f(x),
            lambda f, x: f(MATRIX**2 * x, axis=1, keepdims=True),
            lambda f, x: f(np.concatenate([x, x**2]), bias=False),
        ]
        for name in ("skew", "kurtosis")
    },
    "scipy.ndimage.zoom": [lambda f, x: f(MATRIX * x, 1.5, order=1, cval=2.0), lambda f, x: f(MATRIX * x, (2, 1.3))],
    "scipy.ndimage.shift": [lambda f, x: f(MATRIX * x, (0.3, -0.6), mode="nearest")],
    "scipy.ndimage.rotate": [lambda f, x: f(MATRIX * x, 30, reshape=False)],
    "scipy.ndimage.affine_transform": [lambda f, x: f(MATRIX * x, MATRIX[:2, :2] / 3, offset=0.2)],
    "scipy.ndimage.map_coordinates": [
        lambda f, x: f(MATRIX * x, [[0.5, 1.2], [1.7, 0.3]]),
        *[
            lambda f, x, mode=mode: f(MATRIX * x, np.stack([2 * x, x[::-1] + 0.3]), order=1, mode=mode)
            for mode in ("constant", "nearest", "mirror")
        ],
    ],
    "scipy.ndimage.spline_filter": [lambda f, x: f(MATRIX * x, 3)],
    "scipy.ndimage.spline_filter1d": [lambda f, x: f(MATRIX * x, axis=0)],
    "scipy.optimize.nnls": [
        lambda f, x: f(MATRIX * x, x**2)[0],
        lambda f, x: f((MATRIX * x)[:, :2], x)[1],
        lambda f, x: f(MATRIX - x, np.cos(9 * x))[0] * f(MATRIX - x, np.cos(9 * x))[1],
    ],
    "scipy.optimize.rosen": [lambda f, x: f(x)],
    "scipy.optimize.rosen_der": [lambda f, x: f(x)],
    "scipy.optimize.rosen_hess_prod": [lambda f, x: f([0.3, 0.5, 0.2], x)],
}
CALLS["scipy.stats.zscore"].append(lambda f, x: f(MATRIX * x, ddof=1))
CALLS["scipy.stats.entropy"].append(lambda f, x: f(x, x[::-1] ** 2, base=2))
CALLS["scipy.ndimage.convolve"] = CALLS["scipy.ndimage.correlate"]
CALLS["scipy.fft.fft"] = [lambda f, x: np.abs(f(x, 4, norm="ortho")), lambda f, x: np.imag(f(MATRIX * x, axis=0))]
CALLS["scipy.fft.irfft"] = [lambda f, x: f(x + 1j * x**2), lambda f, x: f(x * 1j, n=5)]
CALLS["scipy.fft.rfft2"] = [lambda f, x: np.abs(f(MATRIX * x, s=(2, 4)))]


def gradient(call, x, width=1e-6):
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = width
        found[place] = np.sum(call(x + step) - call(x - step)) / (2 * width)
    return found


def check(call, x, rtol=1e-6, width=1e-6):
    weights = np.cos(np.arange(np.size(call(x)))).reshape(np.shape(call(x)))
    with tracefn.no_fallback():
        found = tracefn.grad(lambda x: np.sum(call(x) * weights))(x)
    np.testing.assert_allclose(found, gradient(lambda x: call(x) * weights, x, width), rtol=rtol, atol=rtol / 10)
