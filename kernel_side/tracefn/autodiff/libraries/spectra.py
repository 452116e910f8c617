"""The rules of `scipy.signal`'s spectra and median filters, and of `scipy.stats.gaussian_kde`.

Each function is written with NumPy's operations, recorded once more in the trace, and pulled back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.derivatives import fft
from ..sources import fresh_source
from .callbacks.runs import Given, OfValues, Rule, Run
from .images import constant
from .interpolation import Made


def _composed(function: Callable[..., Any], output: int | None = None) -> OfValues:
    """The rule of a function that `function` writes with NumPy's operations, or of one of its outputs. The others do
    not depend on the signal."""

    def rule(g: Any, out: Any, given: Given, *args: Any, **kwargs: Any) -> Any:
        if output is not None:
            if not isinstance(g, tuple | list) or any(part is not None for n, part in enumerate(g) if n != output):
                return NotImplemented
            g, out = g[output], out[output]
        run = Run(function, *args, **kwargs)
        if run.result is NotImplemented or np.shape(run.result) != np.shape(out):
            return NotImplemented
        return run.back(g, given.values)

    return OfValues(rule)


def _is_plain(x: Any) -> bool:
    """True for a real array of known lengths."""
    return not np.iscomplexobj(x) and all(isinstance(n, int) for n in np.shape(x))


def _windowed(x: Any, window: Any, nperseg: int, step: int, nfft: Any, detrend: Any, one_sided: bool) -> Any:
    """The transforms of the segments of a signal along the last axis: (…, segments, frequencies)."""
    starts = np.arange(0, np.shape(x)[-1] - nperseg + 1, step)
    parts = x[..., constant(starts[:, np.newaxis] + np.arange(nperseg))]
    if detrend == "constant":
        parts = parts - np.mean(parts, axis=-1, keepdims=True)
    transform = np.fft.rfft if one_sided else np.fft.fft
    return transform(parts * window, nfft, -1)


def _weights(window: Any, nperseg: int) -> Any:
    """The elements of a window. None where they do not fit."""
    if isinstance(window, str | tuple):
        return constant(sys.modules["scipy.signal"].get_window(window, nperseg))
    return window if np.shape(window) == (nperseg,) else None


def _spectrum(x: Any, y: Any, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, detrend: Any,
              one_sided: bool, scaling: str, is_power: bool) -> Any:  # fmt: skip
    """Cross spectra of the segments of two signals, or `x`'s transforms: (…, frequencies, segments)."""
    if not (_is_plain(x) and _is_plain(y)) or np.shape(x) != np.shape(y) or detrend not in ("constant", False):
        return NotImplemented
    weights = _weights(window, nperseg)
    if weights is None or scaling not in ("density", "spectrum") or nperseg > np.shape(x)[-1]:
        return NotImplemented
    scale = 1 / (fs * np.sum(weights * weights)) if scaling == "density" else 1 / np.sum(weights) ** 2
    how = weights, nperseg, nperseg - noverlap, nfft, detrend, one_sided
    first = _windowed(x, *how)
    if not is_power:
        return np.swapaxes(first * np.sqrt(scale), -1, -2)
    second = first if y is x else _windowed(y, *how)
    found = np.conjugate(first) * second * scale
    if one_sided:  # the other side counts as well
        twice = np.full(np.shape(found)[-1], 2.0)
        twice[0] = 1
        if (nfft or nperseg) % 2 == 0:
            twice[-1] = 1
        found = found * constant(twice)
    return np.swapaxes(np.real(found) if y is x else found, -1, -2)


def _segment(window: Any, nperseg: Any, length: int) -> int:
    """The length of segments."""
    if not isinstance(window, str | tuple):
        return np.shape(window)[0] if nperseg is None else int(nperseg)
    return min(256 if nperseg is None else int(nperseg), length)


def _csd(x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
         nfft: Any = None, detrend: Any = "constant", return_onesided: bool = True, scaling: str = "density",
         axis: int = -1, average: str = "mean") -> Any:  # fmt: skip
    if average != "mean" or axis != -1 or not _is_plain(x):
        return NotImplemented
    nperseg = _segment(window, nperseg, np.shape(x)[-1])
    noverlap = nperseg // 2 if noverlap is None else noverlap
    found = _spectrum(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, True)
    return found if found is NotImplemented else np.mean(found, axis=-1)


def _welch(x: Any, *args: Any, **kwargs: Any) -> Any:
    return _csd(x, x, *args, **kwargs)


def _coherence(x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
    cross, first, second = (_csd(*pair, *args, **kwargs) for pair in ((x, y), (x, x), (y, y)))
    if cross is NotImplemented or x is y:
        return NotImplemented
    return np.real(cross * np.conjugate(cross)) / first / second


def _periodogram(x: Any, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None, detrend: Any = "constant",
                 return_onesided: bool = True, scaling: str = "density", axis: int = -1) -> Any:  # fmt: skip
    length = np.shape(x)[-1]
    if nfft is not None and isinstance(length, int) and nfft < length:
        return NotImplemented
    return _csd(x, x, fs, window, length, 0, nfft, detrend, return_onesided, scaling, axis)


def _spectrogram(x: Any, fs: Any = 1.0, window: Any = ("tukey", 0.25), nperseg: Any = None, noverlap: Any = None,
                 nfft: Any = None, detrend: Any = "constant", return_onesided: bool = True, scaling: str = "density",
                 axis: int = -1, mode: str = "psd") -> Any:  # fmt: skip
    if mode != "psd" or axis != -1 or not _is_plain(x):
        return NotImplemented
    nperseg = _segment(window, nperseg, np.shape(x)[-1])
    noverlap = nperseg // 8 if noverlap is None else noverlap
    return _spectrum(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, True)


def _stft(x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = 256, noverlap: Any = None, nfft: Any = None,
          detrend: Any = False, return_onesided: bool = True, boundary: Any = "zeros", padded: bool = True,
          axis: int = -1, scaling: str = "spectrum") -> Any:  # fmt: skip
    if axis != -1 or boundary not in ("zeros", None) or scaling != "spectrum" or not _is_plain(x):
        return NotImplemented
    nperseg = _segment(window, nperseg, np.shape(x)[-1])
    noverlap = nperseg // 2 if noverlap is None else noverlap
    around = nperseg // 2 if boundary else 0
    length = np.shape(x)[-1] + 2 * around
    more = (-(length - nperseg) % (nperseg - noverlap)) % nperseg if padded else 0
    x = np.pad(x, [*[(0, 0)] * (np.ndim(x) - 1), (around, around + more)])
    return _spectrum(x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, False)


def _istft(g: Any, out: Any, Zxx: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
           nfft: Any = None, input_onesided: bool = True, boundary: Any = True, time_axis: int = -1,
           freq_axis: int = -2, scaling: str = "spectrum") -> Any:  # fmt: skip
    """The transpose: the segments of the cotangent, each windowed and transformed."""
    frequencies, count = np.shape(Zxx)[-2:]
    is_known = isinstance(frequencies, int) and isinstance(count, int) and not isinstance(window, np.ndarray)
    if g[0] is not None or (time_axis, freq_axis) != (-1, -2) or not is_known:
        return NotImplemented
    usual = 2 * (frequencies - 1) if input_onesided else frequencies
    nperseg = usual if nperseg is None else int(nperseg)
    odd = nperseg if input_onesided and nperseg == usual + 1 else usual
    points, step = odd if nfft is None else int(nfft), nperseg - (nperseg // 2 if noverlap is None else int(noverlap))
    weights = sys.modules["scipy.signal"].get_window(window, nperseg)
    places = step * np.arange(count)[:, np.newaxis] + np.arange(nperseg)
    norm = np.bincount(np.ravel(places), np.tile(weights**2, count))
    norm = np.where(norm > 1e-10, norm, 1.0)
    ends = nperseg // 2 if boundary else 0
    whole = np.pad(g[1], [*[(0, 0)] * (np.ndim(g[1]) - 1), (ends, ends)]) / constant(norm)
    scale = np.sum(weights) if scaling == "spectrum" else np.sqrt(fs * np.sum(weights**2))
    parts = np.swapaxes(whole[..., constant(places)] * constant(weights * scale), -1, -2)
    cut = np.pad(parts, [*[(0, 0)] * (np.ndim(parts) - 2), (0, points - nperseg), (0, 0)])
    transform = fft.irfft if input_onesided else fft.complex_transform(np.fft.ifft)
    return (transform(cut, None, Zxx, points, -2)[0],)


def _medfilt(volume: Any, kernel_size: Any = 3) -> Any:
    """The median of the elements around each one, with zeros around the array."""
    if not _is_plain(volume):
        return NotImplemented
    sizes = np.broadcast_to(3 if kernel_size is None else kernel_size, np.ndim(volume)).tolist()
    padded = np.pad(volume, [(n // 2, n // 2) for n in sizes])
    around = np.lib.stride_tricks.sliding_window_view(padded, tuple(sizes))
    return np.median(np.reshape(around, (*np.shape(volume), -1)), axis=-1)


def _density(dataset: Any, points: Any, bw_method: Any = None) -> Any:
    """The mean of normal densities around the points of a data set, with its covariance times a factor."""
    if not (_is_plain(dataset) and _is_plain(points)) or bw_method not in (None, "scott", "silverman"):
        return NotImplemented
    dataset, points = (a if np.ndim(a) == 2 else a[np.newaxis] for a in (dataset, np.atleast_1d(points)))
    size, count = np.shape(dataset)
    if np.shape(points)[0] != size:
        return NotImplemented
    base = count * (size + 2) / 4 if bw_method == "silverman" else count
    from_mean = dataset - np.mean(dataset, axis=1, keepdims=True)
    covariance = from_mean @ from_mean.T / (count - 1) * base ** (-2 / (size + 4))
    apart = points[:, :, np.newaxis] - dataset[:, np.newaxis]
    flat = np.reshape(apart, (size, -1))
    energies = np.reshape(np.sum(flat * np.linalg.solve(covariance, flat), axis=0), np.shape(apart)[1:]) / 2
    return np.mean(np.exp(-energies), axis=1) / np.sqrt(np.linalg.det(2 * np.pi * covariance))


def _called_kde(g: Any, out: Any, kde: Made, points: Any) -> Any:
    """The cotangent of an estimate is that of its data set."""
    if kde.given.get("weights") is not None:
        return NotImplemented
    dataset, points = fresh_source(kde.given["dataset"]), fresh_source(points)
    run = Run(_density, dataset, points, kde.given.get("bw_method"))
    return NotImplemented if run.result is NotImplemented else tuple(run.back(g, [dataset, points]))


def _made_kde(g: Any, out: Any, dataset: Any, bw_method: Any = None, weights: Any = None) -> Any:
    return g, NotImplemented, NotImplemented


CALLED: dict[str, Rule] = {"scipy.stats.gaussian_kde": _called_kde}
"""The rules of calls of objects, by the names of their classes."""

RULES: dict[str, Rule | OfValues] = {
    "scipy.stats.gaussian_kde": _made_kde,
    "scipy.signal.coherence": _composed(_coherence, 1),
    "scipy.signal.csd": _composed(_csd, 1),
    "scipy.signal.welch": _composed(_welch, 1),
    "scipy.signal.periodogram": _composed(_periodogram, 1),
    "scipy.signal.spectrogram": _composed(_spectrogram, 2),
    "scipy.signal.stft": _composed(_stft, 2),
    "scipy.signal.istft": _istft,
    "scipy.signal.medfilt": _composed(_medfilt),
    "scipy.signal.medfilt2d": _composed(_medfilt),
}
"""The rules by the names under which users reach the functions."""
