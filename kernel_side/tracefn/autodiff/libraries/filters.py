"""The rules of the filters of `scipy.signal`, which are linear: the cotangent of a signal is filtered backward."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ops.derivatives.common import conjugated, sliced
from ...ops.derivatives.movement.pad import folded
from ...trace import provided
from . import images

Rule = Callable[..., Any]

_MAX_MATRIX_ROWS = 4096
"""Of longer signals no filter is written as a matrix: that has as many elements as this squared (128 MiB)."""


def signals(name: str, *args: Any, **options: Any) -> Any:
    """The result of a function of `scipy.signal`, as a step of the graph."""
    return provided.call_foreign(getattr(sys.modules["scipy.signal"], name), args, options)


def convolve(g: Any, out: Any, in1: Any, in2: Any, mode: str = "full", *args: Any, **options: Any) -> Any:
    """By transforms: an operand gets the correlation of the cotangent with the other one."""
    return _along(g, in1, in2, mode, range(np.ndim(in1)))


def fftconvolve(g: Any, out: Any, in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """The same along some axes. Along the others the operands are broadcast."""
    ndim = np.ndim(in1)
    along = range(ndim) if axes is None else [int(a) % ndim for a in np.atleast_1d(axes)]
    others = [i for i in range(ndim) if i not in along]
    if mode == "same" and any(np.shape(in1)[i] != np.shape(g)[i] for i in others):
        return NotImplemented
    return _along(g, in1, in2, mode, along)


def _along(g: Any, in1: Any, in2: Any, mode: str, axes: Sequence[int], later: int = 0) -> Any:
    """Along `axes`. Of an even length `same` may begin one element `later`."""
    n, m = np.shape(in1), np.shape(in2)
    if mode == "valid" and any(n[axis] < m[axis] for axis in axes):
        n, m = m, n  # the longer one is the first
    for axis in axes:
        start = (m[axis] - 1 + later) // 2 if mode == "same" else m[axis] - 1 if mode == "valid" else 0
        widths = [(0, 0)] * len(n)
        widths[axis] = (start, n[axis] + m[axis] - 1 - start - np.shape(g)[axis])
        g = np.pad(g, widths)
    return _correlated(g, in2, np.shape(in1), axes), _correlated(g, in1, np.shape(in2), axes)


def _correlated(g: Any, other: Any, shape: tuple[Any, ...], axes: Sequence[int]) -> Any:
    """Along `axes`, the first of which are kept as in `shape`."""
    lengths = [np.shape(g)[axis] for axis in axes]
    spectrum = np.fft.fftn(g, axes=axes) * conjugated(np.fft.fftn(conjugated(other), lengths, axes))
    found = np.fft.ifftn(spectrum, axes=axes)
    found = found if np.iscomplexobj(g) or np.iscomplexobj(other) else np.real(found)
    for axis in axes:
        found = sliced(found, axis, 0, shape[axis])
    return found


def _correlate(g: Any, out: Any, in1: Any, in2: Any, mode: str = "full", *args: Any, later: int = 0,
               **options: Any) -> Any:  # fmt: skip
    """A convolution with the second operand turned round and conjugated."""
    by_first, by_turned = _along(g, in1, _turned_round(in2), mode, range(np.ndim(in1)), later)
    return by_first, _turned_round(by_turned)


def _turned_round(x: Any) -> Any:
    return conjugated(np.flip(x))


_EXTENDED = {"fill": "constant", "wrap": "wrap", "symm": "symmetric"}
"""SciPy's boundaries → modes of `np.pad`."""


def _of_planes(rule: Rule, later: int = 0) -> Rule:
    """The rule of a convolution in two dimensions. Modes other than `valid` read beyond the edges: their result is
    the `valid` part of the convolution of the padded array."""

    def of_planes(g: Any, out: Any, in1: Any, in2: Any, mode: str = "full", boundary: str = "fill",
                  fillvalue: Any = 0) -> Any:  # fmt: skip
        if not isinstance(fillvalue, int | float):
            return NotImplemented
        if mode == "valid" or (boundary == "fill" and fillvalue == 0):
            return rule(g, out, in1, in2, mode)
        widths = [(m - 1, m - 1) for m in np.shape(in2)]
        if mode == "same":
            starts = [(m - 1 + later) // 2 for m in np.shape(in2)]
            g = np.pad(g, [(start, m - 1 - start) for start, m in zip(starts, np.shape(in2), strict=True)])
        extension: Any = _EXTENDED[boundary]
        values = {"constant_values": fillvalue} if boundary == "fill" else {}
        by_first, by_second = rule(g, None, np.pad(in1, widths, extension, **values), in2, "valid")
        for axis, around in enumerate(widths):
            by_first = folded(by_first, np.shape(in1)[axis], around, axis, extension)
        return by_first, by_second

    return of_planes


def _correlate2d(g: Any, out: Any, in1: Any, in2: Any, mode: str = "full", *args: Any, **options: Any) -> Any:
    """Of the operands that `valid` exchanges the other one is conjugated."""
    is_exchanged = mode == "valid" and np.shape(in1)[0] < np.shape(in2)[0]
    if is_exchanged and (np.iscomplexobj(in1) or np.iscomplexobj(in2)):
        return NotImplemented
    return _correlate(g, out, in1, in2, mode, later=1)


def _backward(b: Any, a: Any, g: Any, axis: int) -> Any:
    """The cotangent of the signal of `lfilter(b, a, x, axis)`."""
    return np.flip(signals("lfilter", b, a, np.flip(g, axis), axis), axis)


def _lags(g: Any, x: Any, count: Any, axis: int) -> Any:
    """The sums of `g[n] * x[n - k]` for the first `count` of `k`, over all signals."""
    g, x = np.moveaxis(g, axis, -1), np.moveaxis(x, axis, -1)
    padded = np.pad(g, [(0, 0)] * (np.ndim(g) - 1) + [(0, count)])
    found = _correlated(padded, x, (*np.shape(g)[:-1], count), [np.ndim(g) - 1])
    return np.sum(found, axis=tuple(range(np.ndim(found) - 1)))


def _coefficients(g: Any, out: Any, b: Any, a: Any, x: Any, axis: int) -> tuple[Any, Any]:
    """The cotangents of the coefficients of a filter without a state before: of `a * out = b * x`, where `*` is a
    convolution."""
    fed, back = signals("lfilter", [1.0], a, x, axis), signals("lfilter", [1.0], a, out, axis)
    return _lags(g, fed, np.size(b), axis), -_lags(g, back, np.size(a), axis)


def _lfilter(g: Any, out: Any, b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    if zi is None:
        by_b, by_a = _coefficients(g, out, b, a, x, axis)
        return _like(by_b, b), _like(by_a, a), _backward(b, a, g, axis)
    g, by_last = g
    g = np.zeros_like(out[0]) if g is None else g
    if by_last is not None:  # the last state is the answer to zeros behind, times `a`
        recursion = np.ravel(a) / np.ravel(a)[0]
        behind = np.flip(signals("lfilter", recursion, [1.0], np.flip(by_last, axis), axis), axis)
        g = np.concatenate([g, behind], axis)
    by_x = sliced(_backward(b, a, g, axis), axis, 0, np.shape(x)[axis])
    by_zi = _by_state(a, g, axis, np.shape(zi)[axis])
    return NotImplemented, NotImplemented, by_x, None, by_zi, {"zi": by_zi}


def _by_state(a: Any, g: Any, axis: int, count: Any) -> Any:
    """The cotangent of a state before: each of its numbers adds the answer to an impulse at its place."""
    return sliced(_backward([1.0], a, g, axis) * np.ravel(a)[0], axis % np.ndim(g), 0, count)


def _like(part: Any, coefficients: Any) -> Any:
    """The cotangent of coefficients, which may be one number. None for a list."""
    if isinstance(coefficients, list | tuple):
        return None
    return np.reshape(part, np.shape(coefficients))


def _sosfilt(g: Any, out: Any, sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Filters one behind the other."""
    if zi is not None or isinstance(sos, list):
        return NotImplemented
    sections = _sections(sos)
    signal = [x]
    for b, a in sections:
        signal.append(signals("lfilter", b, a, signal[-1], axis))
    rows = []
    for i in reversed(range(len(sections))):
        b, a = sections[i]
        rows.append(np.concatenate(_coefficients(g, signal[i + 1], b, a, signal[i], axis)))
        g = _backward(b, a, g, axis)
    return np.stack(rows[::-1]), g


def _sections(sos: Any) -> list[tuple[Any, Any]]:
    return [(sos[i, :3], sos[i, 3:]) for i in range(np.shape(sos)[0])]


def _filtfilt(g: Any, out: Any, b: Any, a: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: Any = None,
              method: str = "pad", irlen: Any = None) -> Any:  # fmt: skip
    """Forward and backward, each from the state that fits the first element."""
    if method != "pad":
        return NotImplemented
    taps = 3 * max(np.size(a), np.size(b))
    edge = 0 if padtype is None else taps if padlen is None else padlen
    state = signals("lfilter_zi", b, a)
    count = np.shape(state)[0]
    g = np.moveaxis(g, axis, -1)
    g = np.pad(g, [(0, 0)] * (np.ndim(g) - 1) + [(edge, edge)])
    for _ in range(2):
        g = np.flip(g, -1)
        by_first = np.sum(_by_state(a, g, -1, count) * state, -1, keepdims=True)
        g = _backward(b, a, g, -1)
        g = np.concatenate([g[..., :1] + by_first, g[..., 1:]], -1)
    return NotImplemented, NotImplemented, np.moveaxis(_folded(g, edge, padtype), -1, axis)


def _folded(g: Any, edge: int, padtype: Any) -> Any:
    """The cotangent of a signal that was extended at both ends."""
    if not edge:
        return g
    left, inner, right = g[..., :edge], g[..., edge:-edge], g[..., -edge:]
    first, last = np.sum(left, -1, keepdims=True), np.sum(right, -1, keepdims=True)
    if padtype == "constant":
        return np.concatenate([inner[..., :1] + first, inner[..., 1:-1], inner[..., -1:] + last], -1)
    sign = -1 if padtype == "odd" else 1
    n = np.shape(inner)[-1]
    rest = [(0, 0)] * (np.ndim(g) - 1)
    inner = inner + sign * np.pad(np.flip(left, -1), [*rest, (1, n - 1 - edge)])
    inner = inner + sign * np.pad(np.flip(right, -1), [*rest, (n - 1 - edge, 1)])
    if padtype == "odd":
        inner = inner + 2 * np.pad(first, [*rest, (0, n - 1)]) + 2 * np.pad(last, [*rest, (n - 1, 0)])
    return inner


def _savgol_filter(g: Any, out: Any, x: Any, window_length: Any, polyorder: Any, deriv: Any = 0, delta: Any = 1.0,
                   axis: int = -1, mode: str = "interp", cval: Any = 0.0) -> Any:  # fmt: skip
    """A convolution, but for the ends under 'interp', to which polynomials are fitted."""
    weights = signals("savgol_coeffs", window_length, polyorder, deriv=deriv, delta=delta)
    if mode != "interp":
        return (images.correlated_back(g, np.shape(x)[axis], weights[::-1], axis, mode),)
    n, half = np.shape(x)[axis], window_length // 2
    g = np.moveaxis(g, axis, -1)
    rest = [(0, 0)] * (np.ndim(g) - 1)
    fitted = signals("savgol_filter", images.constant(np.eye(window_length)), window_length, polyorder, deriv, delta, 0)
    inner = np.pad(g[..., half : n - half], [*rest, (half, half)])
    found = images.correlated_back(inner, n, weights[::-1], -1, "constant")
    left, right = g[..., :half] @ fitted[:half], g[..., n - half :] @ fitted[window_length - half :]
    found = found + np.pad(left, [*rest, (0, n - window_length)]) + np.pad(right, [*rest, (n - window_length, 0)])
    return (np.moveaxis(found, -1, axis),)


def by_matrix(name: str, place: int) -> Rule:
    """The rule of a function that is linear in the signals at a `place` of its arguments: it is written as a matrix."""

    def rule(g: Any, out: Any, *args: Any, **options: Any) -> Any:
        module, _, plain = name.rpartition(".")
        function = getattr(sys.modules[module], plain)
        if len(args) <= place or type(g) is list:
            return NotImplemented
        call = inspect.signature(function).bind(*args, **options)
        call.apply_defaults()
        axis, given = call.arguments["axis"], list(call.arguments)[place]
        length = np.shape(args[place])[axis]
        places: Any = None if given == "x" else call.arguments.get("x")
        spaced = np.ndim(places) > 1  # each signal has places of its own
        if not isinstance(length, int) or length > _MAX_MATRIX_ROWS or spaced:
            return NotImplemented
        call.arguments.update({"axis": 0, given: images.constant(np.eye(length))})
        matrix = provided.call_foreign(function, call.args, call.kwargs)
        if np.ndim(matrix) == 1:  # a sum over the axis
            matrix, g = np.reshape(matrix, (1, -1)), np.expand_dims(g, axis)
        found = np.moveaxis(np.tensordot(matrix, g, (0, axis)), 0, axis)
        return *[NotImplemented] * place, found

    return rule


RULES: dict[str, Rule] = {
    "scipy.signal.convolve": convolve,
    "scipy.signal.fftconvolve": fftconvolve,
    "scipy.signal.oaconvolve": fftconvolve,
    "scipy.signal.correlate": _correlate,
    "scipy.signal.convolve2d": _of_planes(convolve),
    "scipy.signal.correlate2d": _of_planes(_correlate2d, later=1),
    "scipy.signal.lfilter": _lfilter,
    "scipy.signal.sosfilt": _sosfilt,
    "scipy.signal.filtfilt": _filtfilt,
    "scipy.signal.savgol_filter": _savgol_filter,
    "scipy.signal.sosfiltfilt": by_matrix("scipy.signal.sosfiltfilt", 1),
    "scipy.signal.detrend": by_matrix("scipy.signal.detrend", 0),
    "scipy.signal.decimate": by_matrix("scipy.signal.decimate", 0),
    "scipy.signal.hilbert": by_matrix("scipy.signal.hilbert", 0),
    "scipy.signal.resample": by_matrix("scipy.signal.resample", 0),
    "scipy.signal.resample_poly": by_matrix("scipy.signal.resample_poly", 0),
}
"""The rules by the names under which users reach the functions."""
