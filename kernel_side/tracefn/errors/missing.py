"""Errors of parts that are not installed or not built."""

from __future__ import annotations

from .base import TracefnError


class DeviceUnavailableError(TracefnError, RuntimeError):
    """The asked device is not there: `device='gpu'` needs CuPy and an NVIDIA GPU that it can use.

    What to do: `pip install "tracefn[gpu]"` on a machine with a GPU, or leave `device` out.
    """


class GraphvizMissingError(TracefnError, RuntimeError):
    """Drawing to SVG needs Graphviz's `dot` program, which was not found.

    What to do: install Graphviz (`apt install graphviz`, `brew install graphviz`, `conda install graphviz`), or use
    `graph.to_dot()` and draw the text elsewhere. The JupyterLab panel draws without it.
    """


class WidgetBundleMissingError(TracefnError, RuntimeError):
    """The front-end code of the widgets is not there: the package runs from a checkout in which it was not built.

    What to do: run `npm ci` and `npm run build` in the checkout (`make lab` does both), or install the wheel, which
    has it.
    """
