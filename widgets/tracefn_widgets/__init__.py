"""Graphs, traces and timings as widgets, for every notebook front end that shows anywidgets.

They show the same views as the JupyterLab panel, in a cell's output.
"""

from tracefn_widgets.graph_view import GraphView
from tracefn_widgets.inspector import Inspector
from tracefn_widgets.timing_view import TimingView

__all__ = ["GraphView", "Inspector", "TimingView"]
