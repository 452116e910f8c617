"""The rules of the linear functions of `scipy.ndimage`: correlations along axes, sums of them, and interpolations."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...ops.derivatives.common import as_array
from ...ops.derivatives.movement.pad import folded
from ...trace import provided
from ...trace.active import current
from ...trace.tensor import Tensor

Rule = Callable[..., Any]
Pass = tuple[Any, int, Any, int]
"""Weights, axis, mode and origin of a correlation along an axis."""

_PADDED: dict[str, Any] = {
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "constant": "constant",
    "grid-constant": "constant",
    "nearest": "edge",
    "mirror": "reflect",
    "wrap": "wrap",
    "grid-wrap": "wrap",
}
"""NumPy's names of the ways to extend an image."""


def constant(array: np.ndarray[Any, Any]) -> Any:
    """An array that is the same at each call."""
    trace = current()
    assert trace is not None
    return Tensor(trace.value_node_of_constant(array), trace, owned=False)


def _convolved(a: Any, b: Any, mode: str) -> Any:
    b = constant(b) if type(b) is np.ndarray else b
    return provided.call_foreign(sys.modules["scipy.signal"].convolve, (a, b, mode), {})


def correlated_back(g: Any, length: Any, weights: Any, axis: int, mode: str, origin: int = 0) -> Any:
    """The cotangent of an image of a `length` along an axis, along which `correlate1d` has correlated it."""
    axis = axis % np.ndim(g)
    shape = [1] * np.ndim(g)
    shape[axis] = size = np.shape(weights)[0]
    before = size // 2 + origin
    full = _convolved(g, np.reshape(weights, shape), "full")
    return folded(full, length, (before, size - 1 - before), axis, _PADDED[mode])


def _by_weights(g: Any, image: Any, shape: Sequence[Any], origins: Sequence[int], modes: Any, cval: Any) -> Any:
    """The cotangent of weights of a shape: each of them is multiplied by the extended image at its place."""
    padded = image
    for axis, (size, origin, mode) in enumerate(zip(shape, origins, modes, strict=True)):
        widths = [(0, 0)] * np.ndim(image)
        widths[axis] = (size // 2 + origin, size - 1 - size // 2 - origin)
        given: dict[str, Any] = {"constant_values": cval} if _PADDED[mode] == "constant" else {}
        padded = np.pad(padded, widths, _PADDED[mode], **given)
    return _convolved(padded, np.flip(g), "valid")


def _each(value: Any, count: int) -> list[Any]:
    """A value for each axis."""
    return list(value) if isinstance(value, list | tuple) else [value] * count


def _of_named(rule: Callable[..., Any]) -> Callable[[str], Rule]:
    """The rule of a function from one that is given all its arguments by name, those with defaults among them, and
    gives the cotangents of the first one or two."""

    def named(name: str) -> Rule:
        def of_call(g: Any, out: Any, *args: Any, **options: Any) -> Any:
            function = getattr(sys.modules["scipy.ndimage"], name)
            call = inspect.signature(function).bind(*args, **options)
            call.apply_defaults()
            given = {**call.arguments, **call.arguments.get("extra_keywords", {})}
            modes = _each(given["mode"], np.ndim(args[0]) if args else 1)
            if not args or given["output"] is not None or any(mode not in _PADDED for mode in modes):
                return NotImplemented
            return rule(g, name, **given)

        return of_call

    return named


def _correlation(g: Any, name: str, input: Any, weights: Any, mode: Any, cval: Any, origin: Any, axes: Any = None,
                 **others: Any) -> Any:  # fmt: skip
    """Of `correlate`, and of `convolve`, which turns the weights round."""
    if axes is not None and sorted(a % np.ndim(input) for a in _each(axes, 1)) != list(range(np.ndim(input))):
        return NotImplemented
    ndim = np.ndim(input)
    modes, origins, turns = _each(mode, ndim), _each(origin, ndim), name == "convolve"
    shape = np.shape(weights)
    if turns:
        origins = [-o - (size % 2 == 0) for o, size in zip(origins, shape, strict=True)]
    found = _convolved(g, np.flip(weights) if turns else weights, "full")
    for axis, (size, o) in enumerate(zip(shape, origins, strict=True)):
        before = size // 2 + o
        found = folded(found, np.shape(input)[axis], (before, size - 1 - before), axis, _PADDED[modes[axis]])
    by_weights = _by_weights(g, input, shape, origins, modes, cval)
    return found, np.flip(by_weights) if turns else by_weights


def _correlation_along(g: Any, name: str, input: Any, weights: Any, axis: int, mode: Any, cval: Any, origin: int,
                       **others: Any) -> Any:  # fmt: skip
    """Of `correlate1d`, and of `convolve1d`, which turns the weights round."""
    turns = name == "convolve1d"
    weights = as_array(weights)
    size, ndim = np.shape(weights)[0], np.ndim(input)
    origin = -origin - (size % 2 == 0) if turns else origin
    by_input = correlated_back(g, np.shape(input)[axis], weights[::-1] if turns else weights, axis, mode, origin)
    shape, origins = [1] * ndim, [0] * ndim
    shape[axis], origins[axis] = size, origin
    by_weights = np.reshape(_by_weights(g, input, shape, origins, [mode] * ndim, cval), (-1,))
    return by_input, by_weights[::-1] if turns else by_weights


def _gaussian(sigma: Any, order: Any, truncate: Any, radius: Any) -> Any:
    """The weights of a Gaussian filter: its answer to an impulse, turned round."""
    half = int(truncate * float(sigma) + 0.5) if radius is None else radius
    impulse = np.zeros(2 * half + 1)
    impulse[half] = 1
    given = (impulse, sigma, -1, order, None, "constant", 0.0, truncate)
    answer = sys.modules["scipy.ndimage"].gaussian_filter1d(*given, radius=half)
    return answer[::-1]


def _of_gaussian_along(input: Any, sigma: Any, axis: int, order: Any, mode: Any, truncate: Any, radius: Any,
                       **others: Any) -> list[list[Pass]]:  # fmt: skip
    return [[(_gaussian(sigma, order, truncate, radius), axis, mode, 0)]]


def _of_gaussian(input: Any, sigma: Any, order: Any, mode: Any, truncate: Any, radius: Any = None, axes: Any = None,
                 **others: Any) -> list[list[Pass]]:  # fmt: skip
    along = _axes(input, axes)
    given = [_each(v, len(along)) for v in (sigma, order, mode, radius)]
    each = zip(along, *given, strict=True)
    return [[(_gaussian(s, o, truncate, r), axis, m, 0) for axis, s, o, m, r in each if s > 1e-15]]


def _of_mean_along(input: Any, size: int, axis: int, mode: Any, origin: int, **others: Any) -> list[list[Pass]]:
    return [[(np.full(size, 1 / size), axis, mode, origin)]]


def _of_mean(input: Any, size: Any, mode: Any, origin: Any, axes: Any = None, **others: Any) -> list[list[Pass]]:
    along = _axes(input, axes)
    each = zip(along, *[_each(v, len(along)) for v in (size, mode, origin)], strict=True)
    return [[(np.full(n, 1 / n), axis, m, o) for axis, n, m, o in each if n > 1]]


def _of_edges(across: list[float]) -> Callable[..., list[list[Pass]]]:
    def passes(input: Any, axis: int, mode: Any, **others: Any) -> list[list[Pass]]:
        ndim = np.ndim(input)
        kinds = enumerate(_each(mode, ndim))
        return [[(np.array([-1.0, 0.0, 1.0] if i == axis % ndim else across), i, m, 0) for i, m in kinds]]

    return passes


def _of_laplace(input: Any, mode: Any, axes: Any = None, **others: Any) -> list[list[Pass]]:
    along = _axes(input, axes)
    return [[(np.array([1.0, -2.0, 1.0]), i, m, 0)] for i, m in zip(along, _each(mode, len(along)), strict=True)]


def _axes(input: Any, axes: Any) -> list[int]:
    ndim = np.ndim(input)
    return list(range(ndim)) if axes is None else [a % ndim for a in _each(axes, 1)]


def _separable(name: str, passes: Callable[..., Iterable[Iterable[Pass]]]) -> Rule:
    """The rule of a sum of correlations along one axis after another, which settings decide that are no traced
    values."""

    def rule(g: Any, name: str, **given: Any) -> Any:
        shape = np.shape(given["input"])
        if any(isinstance(v, np.ndarray | np.generic) for key, v in given.items() if key not in ("input", "cval")):
            return NotImplemented
        terms = []
        for term in passes(**given):
            found = g
            for weights, axis, mode, origin in term:
                found = correlated_back(found, shape[axis], weights, axis, mode, origin)
            terms.append(found)
        return (sum(terms[1:], terms[0]),)

    return _of_named(rule)(name)


_MAX_PIXELS = 1024
"""The most pixels of an image for which an interpolation is written as a matrix, in milliseconds."""


def _interpolation(name: str) -> Rule:
    """The rule of a function whose result is linear in the pixels: it is written as a matrix."""

    def rule(g: Any, out: Any, *args: Any, **options: Any) -> Any:
        call = inspect.signature(getattr(sys.modules["scipy.ndimage"], name)).bind(*args, **options)
        shape: Any = np.shape(args[0]) if args else (None,)
        is_known = all(isinstance(n, int) for n in shape)
        if not is_known or call.arguments.get("output") is not None or math.prod(shape) > _MAX_PIXELS:
            return NotImplemented
        matrix = provided.call_foreign(_pixels_answers, (name, shape, *args[1:]), options, reads=True)
        found = np.tensordot(matrix, g, np.ndim(g))
        return np.reshape(found, shape), *[NotImplemented] * (len(args) - 1)

    return rule


def _map_coordinates(g: Any, out: Any, *args: Any, **options: Any) -> Any:
    """Of linear interpolation, by the places, too: the difference of the values around, along each axis."""
    found = _interpolation("map_coordinates")(g, out, *args, **options)
    function = sys.modules["scipy.ndimage"].map_coordinates
    call = inspect.signature(function).bind(*args, **options)
    call.apply_defaults()
    order, mode, places = (call.arguments[name] for name in ("order", "mode", "coordinates"))
    is_known = order == 1 and mode in ("constant", "nearest", "mirror") and not isinstance(places, list | tuple)
    if found is NotImplemented or not is_known or len(args) < 2:
        return found
    axes = [-1, *[1] * (np.ndim(places) - 1)]
    last = constant(np.reshape(np.shape(args[0]), axes) - 1)
    inside = np.all((places >= 0) & (places <= last), axis=0) if mode == "constant" else True
    below = np.where(places == last, places - 1, np.floor(places))
    slopes = []
    for axis in range(np.ndim(args[0])):
        along = constant(np.reshape(np.arange(np.ndim(args[0])) == axis, axes))
        low, high = (
            provided.call_foreign(function, (args[0], np.where(along, below + step, places), None, 1, mode), {})
            for step in (0, 1)
        )
        slopes.append(np.where(inside, high - low, 0))
    return found[0], g * np.stack(slopes), *found[2:]


def _pixels_answers(name: str, shape: tuple[int, ...], *args: Any, **options: Any) -> Any:
    """The results of a function for images of a shape, each with one pixel that is 1."""
    function = getattr(sys.modules["scipy.ndimage"], name)
    call = inspect.signature(function).bind(np.zeros(shape), *args, **options)
    if "cval" in inspect.signature(function).parameters:
        call.arguments["cval"] = 0.0
    pixels = np.eye(math.prod(shape)).reshape(-1, *shape)
    return np.array([function(pixel, *call.args[1:], **call.kwargs) for pixel in pixels])


RULES: dict[str, Rule] = {
    **{
        f"scipy.ndimage.{name}": _interpolation(name)
        for name in ("zoom", "shift", "rotate", "affine_transform", "spline_filter", "spline_filter1d")
    },
    "scipy.ndimage.map_coordinates": _map_coordinates,
    **{f"scipy.ndimage.{name}": _of_named(_correlation)(name) for name in ("correlate", "convolve")},
    **{f"scipy.ndimage.{name}": _of_named(_correlation_along)(name) for name in ("correlate1d", "convolve1d")},
    **{
        f"scipy.ndimage.{name}": _separable(name, passes)
        for name, passes in (
            ("gaussian_filter", _of_gaussian),
            ("gaussian_filter1d", _of_gaussian_along),
            ("uniform_filter", _of_mean),
            ("uniform_filter1d", _of_mean_along),
            ("sobel", _of_edges([1.0, 2.0, 1.0])),
            ("prewitt", _of_edges([1.0, 1.0, 1.0])),
            ("laplace", _of_laplace),
        )
    },
}
"""The rules by the names under which users reach the functions."""
