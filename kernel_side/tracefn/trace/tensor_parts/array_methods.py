"""The methods of arrays on Tensors: views, writing, copies and casts, calculations.

Those with the parameters of the NumPy function of their name are added by `operators`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...errors import InPlaceWriteError
from ...ir.graph import Node
from ...ir.types import Kind
from .. import provided

RESIZE = "Write `x = np.resize(x, shape)`: an array that changes its length has no graph."
"""The code to write instead of `x.resize(shape)`."""


class ArrayMethods:
    """The part of `Tensor` with the methods of `np.ndarray` that differ from the functions of `np`."""

    __slots__ = ()

    if TYPE_CHECKING:  # attributes of Tensors
        _node: Node
        _one_type: Any

        @property
        def dtype(self) -> np.dtype[Any]: ...
        def _call(self, function: Any, *args: Any, **kwargs: Any) -> Any: ...
        def _refuse(self, error: Any, what: str, fix: str) -> NoReturn: ...

    # --- views

    @property
    def T(self) -> Any:
        return self._call(np.transpose, self)

    @property
    def mT(self) -> Any:
        return self._call(np.matrix_transpose, self)

    @property
    def real(self) -> Any:
        if self._node.types[0].kind is Kind.ARRAY and self.dtype.kind in "biuf":
            return self
        if self._node.types[0].kind is Kind.PYTHON or self._one_type is not None:
            return provided.part_of(self, "real")
        return self._call(np.real, self)

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self) -> Any:
        if self._node.types[0].kind is Kind.PYTHON or self._one_type is not None:
            return provided.part_of(self, "imag")
        return self._call(np.imag, self)

    @imag.setter
    def imag(self, value: Any) -> None:
        if self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        self.imag[...] = value

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
        if not shape:
            raise TypeError("reshape() takes exactly 1 argument (0 given)")
        target = shape[0] if len(shape) == 1 else shape
        extra = {} if copy is None else {"copy": copy}
        return self._call(np.reshape, self, target, order=order, **extra)

    def transpose(self, *axes: Any) -> Any:
        order: Any = axes or None
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], tuple | list | np.ndarray)):
            order = axes[0]
        return self._call(np.transpose, self, order)

    def ravel(self, order: str = "C") -> Any:
        return self._call(np.ravel, self, order=order)

    def flatten(self, order: str = "C") -> Any:
        return self._call(np.copy, self._call(np.ravel, self, order=order), order="K")

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        return provided.reinterpret(self, dtype, type)

    # --- writing

    @property
    def flat(self) -> Any:
        return provided.FlatView(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        self.flat[...] = value

    def fill(self, value: Any) -> None:
        self._write_all("fill", (value,), {})

    def sort(self, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
        kwargs = {k: v for k, v in (("kind", kind), ("order", order), ("stable", stable)) if v is not None}
        self._write_all("sort", (axis,), kwargs)

    def partition(self, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
        self._write_all("partition", (kth, axis, kind), {})

    def _write_all(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A method that writes; of a NumPy scalar it writes into a copy, or raises."""
        if self._node.types[0].kind is Kind.ARRAY:
            provided.write(self, f"{method}_in_place", args, kwargs, f"x.{method}()")
        else:
            getattr(np.zeros((), self.dtype)[()], method)(
                *[0 if isinstance(a, ArrayMethods) else a for a in args], **kwargs
            )

    def resize(self, *shape: Any, refcheck: bool = True) -> None:
        """Nothing, of an array with one axis that has this length."""
        wanted = shape[0] if len(shape) == 1 and type(shape[0]) is tuple else shape
        found = self._node.types[0]
        if found.kind is not Kind.ARRAY or len(wanted) != 1 or type(wanted[0]) is not int or wanted != found.shape:
            self._refuse(InPlaceWriteError, "was changed in place (x.resize)", RESIZE)
        if not provided.known_layout(self).flags.c_contiguous:
            raise ValueError("resize only works on single-segment arrays")

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        self._call(np.put, self, indices, values, mode=mode)

    # --- copies and casts

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Any:
        if isinstance(dtype, ArrayMethods):
            raise TypeError("Cannot construct a dtype from an array")
        return provided.cast(self, np.dtype(dtype), order, casting, subok, copy)

    def copy(self, order: str = "C") -> Any:
        kind = self._node.types[0]
        if kind.kind is Kind.ARRAY:
            return self._call(np.copy, self, order=order)
        np.empty(0).copy(order)  # type: ignore[arg-type]  # raises where NumPy's scalars do
        return self.astype(self.dtype) if kind.has_memory else self

    def __copy__(self) -> Any:
        return self.copy(order="K")

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy(order="K")

    # --- calculations

    def clip(self, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
        return self._call(np.clip, self, min, max, out=out, **kwargs)

    def compress(self, condition: Any, axis: Any = None, out: Any = None) -> Any:
        return self._call(np.compress, condition, self, axis=axis, out=out)

    def choose(self, *choices: Any, out: Any = None, mode: str = "raise") -> Any:
        return self._call(np.choose, self, choices[0] if len(choices) == 1 else choices, out=out, mode=mode)
