"""Pillow, the standard library, NumPy's own tests, and functions without Python source."""

from __future__ import annotations

import bisect
import json
import statistics
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from PIL import Image, ImageFilter

from .harness import arrays, case


def _images(*sizes: int) -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(0)
    return [(rng.integers(0, 255, (n, n), dtype=np.uint8),) for n in sizes]


@case()
def image_from_array() -> Any:
    def f(x: Any) -> Any:
        image = Image.fromarray(x // 2)
        return np.asarray(image.resize((3, 3))) + np.uint8(1)

    return f, _images(4, 4, 6)


@case()
def blurred() -> Any:
    def f(x: Any) -> Any:
        return np.array(Image.fromarray(x).filter(ImageFilter.GaussianBlur(1))).mean()

    return f, _images(4, 4, 6)


@case()
def returns_image() -> Any:
    def f(x: Any) -> Any:
        return Image.fromarray(255 - x).rotate(90)

    return f, _images(4, 4, 6)


@case()
def image_argument() -> Any:
    def f(image: Any) -> Any:
        return np.asarray(image).astype(float).mean() + image.size[0]

    return f, [(Image.fromarray(x),) for (x,) in _images(4, 4, 6)]


@case()
def image_changed_between_calls() -> Any:
    image = Image.new("L", (2, 2))

    def f(x: Any) -> Any:
        return np.asarray(image).sum() + x

    return f, arrays(2, 2, 2), lambda: image.putpixel((0, 0), image.getpixel((0, 0)) + 10)


@case()
def image_written() -> Any:
    image = Image.new("L", (3, 3))

    def f(x: Any) -> Any:
        image.putpixel((0, 1), int(x.sum()))
        return np.asarray(image) * 2

    return f, [(np.array([i, 5]),) for i in range(3)], lambda: image


@case()
def mean_of_list() -> Any:
    def f(x: Any) -> Any:
        return statistics.mean(x) + statistics.stdev([x[0], x[1], 3.0]), statistics.median(x.tolist())

    return f, arrays(3, 3, 4)


@case()
def json_of_values() -> Any:
    def f(x: Any) -> Any:
        return json.dumps({"first": float(x[0]), "all": x.tolist(), "n": len(x)})

    return f, arrays(3, 3, 4)


@case()
def json_loaded() -> Any:
    def f(x: Any) -> Any:
        config = json.loads('{"scale": 2.5, "names": ["a"]}')
        return x * config["scale"], config["names"]

    return f, arrays(3, 3, 4)


@case()
def fraction() -> Any:
    def f(x: Any) -> Any:
        part = Fraction(int(x[0])) / 3
        return part, part.numerator, float(part) + x

    return f, [(np.array([i, 1]),) for i in (2, 3, 4)]


@case()
def decimal() -> Any:
    def f(x: Any) -> Any:
        return Decimal(float(x[0])) + Decimal("0.5"), str(Decimal(int(x[1])))

    return f, [(np.array([i / 2, 1]),) for i in (2, 3, 4)]


@case()
def bisected() -> Any:
    def f(x: Any) -> Any:
        return bisect.bisect([1.0, 2.0, 3.0], x[0])

    return f, [(np.array([i / 2, 1]),) for i in (1, 3, 5)]


@case()
def allclose() -> Any:
    def f(x: Any) -> Any:
        y = x / x.sum()
        np.testing.assert_allclose(y.sum(), 1)
        np.testing.assert_array_less(x, 10)
        return y

    return f, [(np.ones(3),), (np.arange(1.0, 4.0),), (np.full(3, 11.0),), (np.ones(3),)]


@case()
def asarray() -> Any:
    return np.asarray, [(np.arange(3.0),), (np.arange(4.0),)]


@case()
def inverse() -> Any:
    return np.linalg.inv, [(np.eye(2) * 2,), (np.eye(3) * 4,)]


@case()
def masked() -> Any:
    def f(x: Any) -> Any:
        return np.ma.masked_invalid(x).mean(), np.ma.masked_less(x, 0).filled(0.0)

    return f, [(np.array([1.0, np.nan, -2.0]),), (np.array([np.inf, 3.0, 2.0]),)]


@case()
def masked_with_lengths_that_values_decide() -> Any:
    def f(x: Any) -> Any:
        kept = x[~np.isnan(x)]
        n = len(kept)
        smoothed = np.ma.array(kept - np.arange(1, n + 1) * 0.5).mean()
        total = smoothed
        for _ in range(8):
            total = total + np.ma.array(kept * 2 - np.ones(n)).sum() * total
        return smoothed, total

    return f, [(np.array([1.0, np.nan, -2.0, 4.0]),), (np.array([1.0, 3.0, 2.0]),), (np.arange(9.0),)]
