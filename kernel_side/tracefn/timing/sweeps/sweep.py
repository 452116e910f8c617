"""The result of a sweep: times by size and tier, how they grow, and where they cross."""

from __future__ import annotations

from typing import Any

from tracefn.events import SweepMeasured, SweepPoint
from tracefn.records import dataclass
from tracefn.timing.sampling import Quartiles, are_apart
from tracefn.timing.sweeps.figure import sweep_figure
from tracefn.timing.sweeps.growth import Curve, Gain, crossing, crossing_text, exponent, growth_text
from tracefn.timing.sweeps.report import TIERS, html_report, text_report


@dataclass(frozen=True, slots=True)
class Point:
    """The times of a call at one size, in ns. `native` is None where no native code is better than the NumPy program.
    `copy_ns` is the time of copying the arrays among the arguments, `nbytes` are their bytes. `faster` has by tier the
    part of the turns in which it took less time than eager code, as `Comparison` has."""

    size: float
    eager: Quartiles
    numpy: Quartiles
    native: Quartiles | None
    copy_ns: float
    nbytes: int
    faster: dict[str, float]

    def gain(self, tier: str) -> Gain | None:
        """How much faster than eager code a tier is; None where there is none."""
        quartiles: Quartiles | None = getattr(self, tier)
        if quartiles is None:
            return None
        speedup = self.eager.median / quartiles.median
        return Gain(self.size, speedup, are_apart(speedup, self.faster[tier]))


@dataclass(frozen=True, slots=True)
class Sweep:
    """Times over sizes. `lengths` explains the size, `left_out` are the sizes that would have taken too
    long or too much memory,
    `made` has the paths of arguments in whose place others were given (`sweep_trace`).

    `repr`, `str` and notebooks show it as a table; `figure()` draws it, `to_frame()` gives the numbers.

    >>> import numpy as np, tracefn
    >>> found = tracefn.timing.sweep(tracefn.function(np.tanh), [100, 200], np.ones)
    >>> [size for size, ns in found.curve("eager")]
    [100, 200]
    """

    name: str
    points: tuple[Point, ...]
    total: int
    lengths: str = "n"
    left_out: tuple[float, ...] = ()
    made: tuple[str, ...] = ()

    def curve(self, tier: str) -> Curve:
        """The (size, median in ns) of 'eager', 'numpy' or 'native', as far as there are some."""
        times: list[tuple[float, Quartiles | None]] = [(p.size, getattr(p, tier)) for p in self.points]
        return [(size, q.median) for size, q in times if q is not None]

    def exponent(self, tier: str) -> float | None:
        """The k where the time of a tier grows as n^k, at the largest sizes."""
        return exponent(self.curve(tier))

    def crossing(self, tier: str) -> float | None:
        """The size from which on 'numpy' or 'native' is faster than eager code; None where it is not."""
        return crossing(self._gains(tier))

    @property
    def growth(self) -> dict[str, str]:
        """How the time of each tier grows, in words."""
        texts = {tier: growth_text(self.curve(tier)) for tier in TIERS}
        return {tier: text for tier, text in texts.items() if text}

    @property
    def crossings(self) -> dict[str, str]:
        """From which size on a graph is faster than eager code, in words."""
        texts = {tier: crossing_text(self._gains(tier)) for tier in ("numpy", "native")}
        return {tier: text for tier, text in texts.items() if text}

    def _gains(self, tier: str) -> list[Gain]:
        return [gain for point in self.points if (gain := point.gain(tier)) is not None]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each size."""
        return [
            {
                "size": p.size,
                "eager_ns": p.eager.median,
                "numpy_ns": p.numpy.median,
                "native_ns": None if p.native is None else p.native.median,
                "copy_ns": p.copy_ns,
                "nbytes": p.nbytes,
            }
            for p in self.points
        ]

    def to_frame(self) -> Any:
        """The medians as a pandas DataFrame, a row for each size. Raises ImportError where pandas is not installed."""
        import pandas

        return pandas.DataFrame(self.rows()).set_index("size")

    def figure(self) -> Any:
        """A Plotly figure on logarithmic axes. Raises ImportError where Plotly is not installed."""
        return sweep_figure(self)

    def event(self, function: str, signature: str) -> SweepMeasured:
        """The sweep as an event for the panel."""
        return SweepMeasured(
            function=function,
            signature=signature,
            lengths=self.lengths,
            points=tuple([_as_event(point) for point in self.points]),
            total=self.total,
            growth=self.growth,
            crossing=self.crossings,
            crosses={tier: at for tier in ("numpy", "native") if (at := self.crossing(tier)) is not None},
            left_out=self.left_out,
            made=self.made,
        )

    def __str__(self) -> str:
        return text_report(self)

    def __repr__(self) -> str:
        return text_report(self)

    def _repr_html_(self) -> str:
        return html_report(self)


def _as_event(point: Point) -> SweepPoint:
    native = None if point.native is None else point.native.as_tuple()
    return SweepPoint(point.size, point.eager.as_tuple(), point.numpy.as_tuple(), native, point.copy_ns)
