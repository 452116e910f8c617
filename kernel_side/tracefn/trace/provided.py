"""Functions that rooms below call and rooms above provide: imports run one way, from above to below.

The file that stands above a name assigns its function when it is imported, which `import tracefn` sees to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

# aliasing/layout.py
known_layout: Callable[..., Any]

# aliasing/views.py
refresh: Callable[..., None]

# aliasing/writes.py
FlatView: Callable[..., Any]
write: Callable[..., None]
set_shape: Callable[..., None]

# autograph/calls/container_methods.py
ContainerMethod: type[Any]

# autograph/calls/dispatch.py
attribute: Callable[[Any, str], Any]
callee: Callable[[Any], Any]
computation: Callable[[Any, Any, str], Callable[[], Any] | None]
method: Callable[[Any, str], Any]

# autograph/calls/effects.py
warn: Callable[..., None]

# autograph/calls/numpy_calls.py
numpy_calls: Mapping[Any, Callable[..., Any]]
numpy_ones: Callable[..., Any]

# autograph/calls/vectorize.py
from_python: Callable[..., Any]
vectorized: Callable[[Any], Any]

# autograph/hooks/items.py
item: Callable[[Any, Any], Any]

# autograph/operators.py
if_exp: Callable[..., Any]

# autograph/rewrite/convert.py
definition_of: Callable[[Any], Any]

# control/branches.py
choose: Callable[..., dict[Any, Any]]
run_side: Callable[..., Any]

# control/choices.py
is_own_now: Callable[..., bool]
read_choice: Callable[..., None]
write_chosen: Callable[..., None]

# autograph/calls/ordering.py
kept_keys: Callable[[Any, Any], Any]

# control/raising.py
raise_in_graph: Callable[..., Any]

# foreign/calls.py
call_foreign: Callable[..., Any]

# numpy_api/in_place.py
cast: Callable[..., Any]
reinterpret: Callable[..., Any]
set_item: Callable[..., None]
to_python: Callable[..., Any]

# numpy_api/protocols.py
call_function: Callable[..., Any]
call_ufunc: Callable[..., Any]

# numpy_api/python_list.py
to_list: Callable[..., Any]

# values/number_types.py
part_of: Callable[..., Any]

# values/random.py
generator_method: Callable[..., Any]

# function/kept/rewritten.py
kept_code: Callable[[CodeType], CodeType | None]
note_rewritten: Callable[[CodeType, CodeType], None]
