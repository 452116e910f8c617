"""`GradientTape`: derivatives of the operations of a block of code."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from ..autodiff import active_nodes, result_of, reverse, source_of
from ..autodiff.fitting import is_differentiable
from ..errors import GradientError, message
from ..ir.dims import definitely_different
from ..ir.graph import Node
from ..trace.active import current
from ..trace.context import Trace
from ..trace.control import map_fn
from ..trace.kinds import is_variable
from ..trace.origin import user_source, where
from ..trace.reads import as_value
from ..trace.tensor import Tensor
from ..trace.tree import flatten, map_leaves
from .contents import content_apart
from .cotangents import matched, ones, summed
from .differentiated import is_float, is_number, under_way
from .eager import Session
from .eager.watched import Watched


class GradientTape:
    """Records the steps of a block, and gives derivatives of its values: TensorFlow's contract.

    Parameters
    ----------
    persistent: bool
        Whether `gradient` and `jacobian` may be called more than once.
    watch_accessed_variables: bool
        Whether trainable Variables are watched that the block reads.

    Derivatives are taken by Variables, by arrays that were given to `watch`, and by values that the block has computed
    from these. Nested tapes give derivatives of derivatives.

    In a traced function the tape and its derivatives are part of the graph. Outside, each operation runs at once and is
    recorded, and calls of traced functions run as graphs. NumPy's own arrays know of no tape: there the block computes
    with Variables, and with results of `watch`.

    Raises `GradientError` where a tape is asked that was not recorded or is used up, and where the target was not
    recorded.

    >>> import numpy as np, tracefn
    >>> @tracefn.function
    ... def f(x):
    ...     with tracefn.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = np.sum(x * x)
    ...     return tape.gradient(y, x)
    >>> f(np.array([1.0, 2.0]))
    array([2., 4.])
    >>> with tracefn.GradientTape() as tape:
    ...     x = tape.watch(np.array([1.0, 2.0]))
    ...     y = np.sum(x * x)
    >>> tape.gradient(y, x)
    array([2., 4.])
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watches_variables = watch_accessed_variables
        self._trace: Trace | None = None
        self._session: Session | None = None
        self._is_recording = False
        self._is_used = False
        self._begin()

    def _begin(self) -> None:
        self._nodes: list[Node] = []
        self._watched: dict[Node, None] = {}
        self._of_arrays: dict[int, tuple[Any, Node]] = {}
        self._of_variables: dict[int, tuple[Any, list[Node]]] = {}
        self._active: set[Node] = set()

    # --- recording

    def __enter__(self) -> Self:
        if self._is_recording:
            _refuse("the tape is recording already", "Make another tape for a block inside of this one.")
        self._session = Session.of_thread() if current() is None else None
        self._trace = under_way("GradientTape") if self._session is None else self._session.trace
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._is_recording:
            self._stop()

    def _start(self) -> None:
        trace = self._home
        self._last = trace.nodes[-1] if trace.nodes else None
        trace.root.inlines_calls += 1
        if self._session is not None:
            self._session.begin(self._persistent)
        trace.variables.readers.append(self._reads)
        self._is_recording = True

    def _stop(self) -> None:
        self._take()
        trace = self._home
        trace.variables.readers.remove(self._reads)
        trace.root.inlines_calls -= 1
        if self._session is not None:
            self._session.end(self._persistent)
        self._is_recording = False

    def _take(self) -> None:
        """Takes up the nodes that were recorded since it was asked last."""
        trace = self._home
        start = 0 if self._last is None else trace.nodes.index(self._last) + 1
        nodes = trace.nodes[start:]
        self._last = trace.nodes[-1] if trace.nodes else None
        self._active |= active_nodes(nodes, [*self._watched, *self._active])
        self._nodes += [n for n in nodes if n in self._active and n not in trace.variables.apart]

    @property
    def _home(self) -> Trace:
        assert self._trace is not None
        return self._trace

    def _reads(self, variable: Any, node: Node) -> None:
        """Notes that a Variable is read: no derivative flows through what was assigned to it."""
        if not is_differentiable(node.type):
            return
        node = content_apart(self._home, self._session, variable, node)
        if id(variable) in self._of_variables or (self._watches_variables and variable.trainable):
            self._watch_variable(variable, node)

    def _watch_variable(self, variable: Any, node: Node) -> None:
        nodes = self._of_variables.setdefault(id(variable), (variable, []))[1]
        if node not in nodes:
            nodes.append(node)
            if node not in self._active:
                self._watched[node] = None

    def watch(self, tensor: Any) -> Any:
        """Has derivatives taken by an array, a Variable, or each of a structure of them, from here on.

        Returns its argument. Outside of traced functions, arrays of NumPy's know of no tape, and numbers of
        Python's nowhere: for these it returns watched values, from which the target is to be computed:
        `x = tape.watch(x)`.
        """
        if not self._is_recording:
            _refuse("a tape that does not record is asked to watch", "Call `watch` inside of its block.")
        self._take()
        return map_leaves(self._watch, tensor, "the array")

    def _watch(self, path: str, leaf: Any) -> Any:
        value = leaf if type(leaf) is Watched or self._session is not None else as_value(leaf)
        if type(value) is not Watched and not is_variable(leaf) and not is_number(as_value(value)):
            _refuse(f"{path} is no array: a {type(leaf).__name__}", "Watch arrays and Variables.")
        if self._session is not None and not self._is_recorded(value):
            value = self._session.variable(leaf) if is_variable(leaf) else self._session.watched(leaf)
        elif self._session is None and not is_variable(leaf):
            self._home.root.watches_arrays = True
        if is_float(value) and not isinstance(value, Tensor | np.ndarray | Watched):
            value = leaf = source_of(self._home, value)  # a number of Python's, which knows of no tape
        node = value.tensor._node if type(value) is Watched else self._home.value_node(value)
        if not is_differentiable(node.type):
            _refuse(f"{path} is {node.type!r}, by which there is no derivative", "Watch floats: `x.astype(float)`.")
        if is_variable(leaf):
            self._watch_variable(leaf, node)
            return leaf
        self._of_arrays[id(leaf)] = leaf, node
        self._watched[node] = None
        return value if self._session is not None else leaf

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """A block inside of which nothing is recorded: its values are constants."""
        if not self._is_recording:
            _refuse("a tape that does not record is asked to stop", "Call `stop_recording` inside of its block.")
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forgets all that was recorded and watched."""
        recording = self._is_recording
        if recording:
            self._stop()
        self._begin()
        self._is_used = False
        if recording:
            self._start()

    def watched_variables(self) -> tuple[Any, ...]:
        """The Variables that are watched, in the order in which they were read."""
        return tuple([variable for variable, _ in self._of_variables.values()])

    # --- derivatives

    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: str = "none"
    ) -> Any:
        """The derivatives of the sum of all elements of `target` by `sources`.

        Parameters
        ----------
        target: array, number, or a structure of them
            A value that the block has computed.
        sources: Variable, array, or a structure of them
            The sources of the derivative. Arrays are watched ones, or were computed from these.
        output_gradients: as `target`, optional
            Factors of the elements: the derivative is that of the sum of the products.
        unconnected_gradients: 'none' or 'zero'
            The gradient of a source that the target does not depend on.

        Returns
        -------
        In the structure of `sources`, arrays of their shapes and dtypes.
        """
        self._use(unconnected_gradients)
        return self._given(self._gradient, target, sources, output_gradients, unconnected_gradients)

    def _gradient(self, target: Any, sources: Any, output_gradients: Any, unconnected_gradients: str) -> Any:
        leaves = flatten(sources, "sources")[0]
        found = self._pulled(target, [leaf for _, leaf in leaves], output_gradients)
        taken: set[Node] = set()
        made = iter(
            [self._result(g, leaf, unconnected_gradients, taken) for g, (_, leaf) in zip(found, leaves, strict=True)]
        )
        return map_leaves(lambda path, leaf: next(made), sources)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: str = "none",
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of each element of `target` by `sources`: of shape `target.shape + source.shape` each.

        `parallel_iterations` and `experimental_use_pfor` are TensorFlow's, and have no effect.
        """
        self._use(unconnected_gradients)
        return self._given(self._jacobian, target, sources, unconnected_gradients)

    def _jacobian(self, target: Any, sources: Any, unconnected_gradients: str) -> Any:
        leaves = [leaf for _, leaf in flatten(sources, "sources")[0]]
        node = self._node_of(target)
        shape = self._home.public(node.type.shape)
        size = int(np.prod(shape)) if all(type(n) is int for n in shape) else Tensor(node, self._home, owned=False).size
        basis = np.reshape(np.eye(size, dtype=node.dtype), (size, *shape))
        rows = self._mapped(target, leaves, basis, unconnected_gradients)
        made = iter([None if r is None else np.reshape(r, (*shape, *r.shape[1:])) for r in rows])
        return map_leaves(lambda path, leaf: next(made), sources)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: str = "none",
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of each row of `target` by the row of `source` with the same number, which it alone depends
        on: of shape `(rows, *target.shape[1:], *source.shape[1:])`.

        `parallel_iterations` and `experimental_use_pfor` are TensorFlow's, and have no effect.
        """
        self._use(unconnected_gradients)
        return self._given(self._batch_jacobian, target, source, unconnected_gradients)

    def _batch_jacobian(self, target: Any, source: Any, unconnected_gradients: str) -> Any:
        node = self._node_of(target)
        lengths = [self._home.public(n.type.shape)[:1] for n in (node, self._node_of(source))]
        if not all(lengths) or definitely_different(lengths[0][0], lengths[1][0]):
            found = " and ".join([f"{n[0]} rows" if n else "no rows" for n in lengths])
            _refuse(f"the target and the source of a batch Jacobian have {found}", "Use `jacobian` of the tape.")
        count, *shape = self._home.public(node.type.shape)
        size = int(np.prod(shape))
        basis = np.reshape(np.eye(size, dtype=node.dtype), (size, 1, *shape))
        whole = np.broadcast_to(basis, (size, count, *shape))
        (found,) = self._mapped(target, [source], whole, unconnected_gradients)
        return None if found is None else np.reshape(np.moveaxis(found, 1, 0), (count, *shape, *found.shape[2:]))

    def _node_of(self, value: Any) -> Node:
        """The node of the target or the source of a Jacobian."""
        if not is_number(as_value(value)):
            _refuse(f"a Jacobian is asked of a {type(value).__name__}", "Give one array; ask for each part by itself.")
        return self._home.value_node(as_value(value))

    def _mapped(self, target: Any, leaves: Sequence[Any], basis: Any, unconnected: str) -> list[Any]:
        """The derivatives for each of several factors of the target, stacked."""

        def pulled(g: Any) -> list[Any]:
            found = self._pulled(target, leaves, g)
            taken: set[Node] = set()
            return [self._result(d, leaf, unconnected, taken) for d, leaf in zip(found, leaves, strict=True)]

        return list(map_fn(pulled, basis))

    def _given(self, run: Callable[..., Any], target: Any, *args: Any) -> Any:
        """The result of `run` in the trace that has recorded. Outside of traced functions it runs at once."""
        session = self._session
        if session is None:
            return run(target, *args)
        leaves = [leaf for _, leaf in flatten(target, "target")[0]]
        if not any(type(leaf) is Watched or id(leaf) in self._of_variables for leaf in leaves):
            _refuse(
                "the target was not computed from anything that the tape watches",
                "Outside of traced functions, compute with Variables, or with the result of `watch`: "
                "`x = tape.watch(x)`; or decorate the function: `@tracefn.function`.",
            )
        return session.run(lambda: run(session.inner(target), *[self._inside(a) for a in args]))

    def _inside(self, value: Any) -> Any:
        """An argument with Tensors in the place of watched values. Variables, and what was given to `watch`, stay."""
        session = self._session
        assert session is not None

        def inside(path: str, leaf: Any) -> Any:
            if type(leaf) is not Watched or (id(leaf) in self._of_arrays and not self._is_recorded(leaf)):
                return leaf
            return session.inner(leaf)

        return value if isinstance(value, str) else map_leaves(inside, value)

    def _use(self, unconnected_gradients: str) -> None:
        if unconnected_gradients not in ("none", "zero"):
            raise ValueError(f"unconnected_gradients must be 'none' or 'zero', not {unconnected_gradients!r}")
        if self._trace is None:
            _refuse("the tape has recorded nothing", "Compute the target in its block: `with tape: ...`.")
        if self._is_used and not self._persistent:
            _refuse("the tape was used already, and is not persistent", "Make it by `GradientTape(persistent=True)`.")
        self._is_used = True
        if self._is_recording:
            self._take()
            if not self._persistent:
                self._stop()

    def _pulled(self, target: Any, sources: Sequence[Any], factors: Any) -> list[Any]:
        """The derivatives of a target by each source; None where it does not depend on it."""
        home, trace = self._home, under_way("GradientTape")
        values = [as_value(leaf) for _, leaf in flatten(target, "target")[0]]
        nodes = [home.value_node(v) if is_number(v) else None for v in values]
        if factors is None:
            given = ones(nodes, home)
        else:
            given = matched(trace, factors, target, nodes, "output_gradients")
        targets = [(n, g) for n, g in zip(nodes, given, strict=True) if n is not None and g is not None]
        by = [self._nodes_of(source) for source in sources]
        active = self._active | self._watched.keys()
        flat = [n for found in by for n in found]
        found = iter(reverse(home, self._nodes, targets, flat, active))
        return [summed([next(found) for _ in each]) for each in by]

    def _nodes_of(self, source: Any) -> list[Node]:
        """The values that a source had in the block: several, if it is a Variable that was assigned to."""
        if is_variable(source):
            return self._of_variables.get(id(source), (source, []))[1]
        if id(source) in self._of_arrays:
            return [self._of_arrays[id(source)][1]]
        if not is_number(source):
            _refuse(f"a source is no array: a {type(source).__name__}", "Give arrays and Variables.")
        if isinstance(source, int | float | complex) and not isinstance(source, np.generic | Tensor):
            what = f"a source is a number of Python's, {source!r}, which no tape can follow"
            _refuse(what, "Take the value that the tape watches, and compute with it: `x = tape.watch(x)`.")
        node = self._home.value_node(source)
        return [node] if node in self._active or node in self._watched else []

    def _result(self, found: Any, source: Any, unconnected: str, taken: set[Node]) -> Any:
        if found is None and self._session is not None and id(source) in self._of_arrays:
            self._check_is_used(source)
        if found is None and unconnected == "none":
            return None
        trace = under_way("GradientTape")
        nodes = self._nodes_of(source)
        if not nodes:
            held = source if self._session is None else self._session.inner(source)
            nodes = [self._home.value_node(as_value(held))]
        return result_of(trace, found, Tensor(nodes[0], self._home, owned=False), taken)

    def _is_recorded(self, value: Any) -> bool:
        """Whether it is a watched value of the tapes that are open with this one, and not of earlier ones."""
        return type(value) is Watched and value.session is self._session

    def _check_is_used(self, source: Any) -> None:
        """Raises for a plain array that was given to `watch` outside of traced functions, where nothing was computed
        from the watched value."""
        node = self._of_arrays[id(source)][1]
        if not self._is_recorded(source) and not any(node in n.inputs for n in self._nodes):
            what = "a source was given to `watch`, and nothing was computed from the value that it has returned"
            _refuse(what, "Compute with that: `x = tape.watch(x)`; or decorate the function: `@tracefn.function`.")


def _refuse(what: str, fix: str) -> None:
    raise GradientError(message(what, where(user_source(3)), fix))
