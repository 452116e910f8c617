"""What a call changes besides returning a result: attributes, items and variables get the values of this call."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from ..trace.tree import Tree, unflatten


@dataclasses.dataclass(frozen=True, eq=False)
class Write:
    """Stores a value after each call. `leaves` says what each leaf of the value is: ('output', i) or ('value', v).

    `name` is how messages call the place, `store` puts a value there.
    """

    name: str
    store: Callable[[Any], None]
    tree: Tree
    leaves: tuple[tuple[str, Any], ...]

    def apply(self, outputs: Sequence[Any]) -> None:
        self.store(unflatten(self.tree, [outputs[v] if kind == "output" else v for kind, v in self.leaves]))


def apply_all(writes: Sequence[Write], outputs: Sequence[Any]) -> None:
    """To be called when a program has run. One that raises changes nothing."""
    for write in writes:
        write.apply(outputs)
