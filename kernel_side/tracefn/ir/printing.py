"""The forms that a graph prints in. The file that stands above a name assigns its function when it is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# writer.py
graph_text: Callable[[Any], str]

# drawn/json_form.py
graph_json: Callable[[Any], dict[str, Any]]
drawn_hash: Callable[[Any], str]

# drawn/json_parts.py
graph_part: Callable[[Any, int, int], dict[str, Any]]

# drawn/draw.py
graph_dot: Callable[[Any], str]
graph_svg: Callable[[Any], str]
graph_mimebundle: Callable[[Any], dict[str, str]]
