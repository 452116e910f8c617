"""Writes LLVM IR of a function that Python calls: it looks at objects, holds them, calls others and makes new ones.

It is a function of `METH_FASTCALL | METH_KEYWORDS`. A check that does not hold leads to `miss`, where another
function, which takes any call, has the arguments; an error that a check raises leads to `absent`, where it is dropped;
other errors lead to `raise`. The function holds a reference to each object that it found outside the arguments'
own memory, as other threads may let go of them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..machine import abi
from .writer import EntryWriter

OTHERWISE = 0
"""The place in the tuple `self` of the function for all other calls."""

_FUNCTIONS = {
    "PyObject_GetAttr": "ptr (ptr, ptr)",
    "PyObject_GetItem": "ptr (ptr, ptr)",
    "PyObject_SetAttr": "i32 (ptr, ptr, ptr)",
    "PyObject_SetItem": "i32 (ptr, ptr, ptr)",
    "PyDict_GetItemWithError": "ptr (ptr, ptr)",
    "PyDict_Next": "i32 (ptr, ptr, ptr, ptr)",
    "PyDict_New": "ptr ()",
    "PyDict_SetItem": "i32 (ptr, ptr, ptr)",
    "PyList_New": "ptr (i64)",
    "PyList_GetItem": "ptr (ptr, i64)",
    "PyList_SetItem": "i32 (ptr, i64, ptr)",
    "PyTuple_New": "ptr (i64)",
    "PyTuple_SetItem": "i32 (ptr, i64, ptr)",
    "PyTuple_GetItem": "ptr (ptr, i64)",
    "PyCell_Get": "ptr (ptr)",
    "PyLong_AsLongLongAndOverflow": "i64 (ptr, ptr)",
    "PyObject_RichCompareBool": "i32 (ptr, ptr, i32)",
    "PyObject_Vectorcall": "ptr (ptr, ptr, i64, ptr)",
    "PyErr_Clear": "void ()",
    "PyErr_Occurred": "ptr ()",
    "PyErr_ExceptionMatches": "i32 (ptr)",
    "PyErr_Fetch": "void (ptr, ptr, ptr)",
    "PyErr_NormalizeException": "void (ptr, ptr, ptr)",
    "PyException_SetTraceback": "i32 (ptr, ptr)",
    "PyFloat_FromDouble": "ptr (double)",
    "PyBool_FromLong": "ptr (i64)",
    "PyLong_FromLongLong": "ptr (i64)",
    "PyLong_FromVoidPtr": "ptr (ptr)",
    "PyMethod_New": "ptr (ptr, ptr)",
    "tf.new_array": "ptr (ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)",
    "tf.new_scalar": "ptr (ptr, ptr, ptr)",
    "tf.new_copy": "ptr (ptr, i32)",
    "PyEval_SaveThread": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
    "memcpy": "ptr (ptr, ptr, i64)",
    "Py_IncRef": "void (ptr)",
    "Py_DecRef": "void (ptr)",
}
_OBJECTS = (
    "tf.tracing",
    "tf.ndarray",
    "tf.float",
    "tf.int",
    "tf.str",
    "tf.tuple",
    "tf.list",
    "tf.dict",
    "tf.Exception",
)

# An error may be set. An `Exception` is dropped, and the call goes on elsewhere; an interrupt is raised.
_ABSENT = """absent:
%absent.error = call ptr @PyErr_Occurred()
%absent.has = icmp ne ptr %absent.error, null
br i1 %absent.has, label %absent.set, label %miss
absent.set:
%absent.matches = call i32 @PyErr_ExceptionMatches(ptr @tf.Exception)
%absent.drops = icmp ne i32 %absent.matches, 0
br i1 %absent.drops, label %absent.dropped, label %raise
absent.dropped:
call void @PyErr_Clear()
br label %miss""".splitlines()


def declarations() -> str:
    """The declarations that a module with such a function needs."""
    lines = [f"declare {kind.replace('(', f'@{name}(', 1)}" for name, kind in _FUNCTIONS.items()]
    return "\n".join([*lines, *[f"@{name} = external global i8" for name in _OBJECTS]])


class ObjectWriter(EntryWriter):
    """`objects` are those that the code refers to; they are in `self` from place `first` on."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self.objects: list[Any] = []
        self._first = first
        self._held = 0
        self.allocas: list[str] = []

    # --- objects

    def constant(self, value: Any) -> str:
        """An object that is known."""
        place = next((i for i, known in enumerate(self.objects) if known is value), None)
        if place is None:
            place = len(self.objects)
            self.objects.append(value)
        return self.owned(self._first + place)

    def dtype(self, dtype: np.dtype[Any]) -> str:
        """The object that stands for a dtype in nearly all arrays, where there is one."""
        usual = np.dtype(dtype.char) if dtype.char in abi.KINDS else dtype
        return self.constant(usual if usual == dtype else dtype)

    def hold(self, value: str) -> str:
        """Takes over a reference; it is given back at the end."""
        self.store("ptr", value, "%held", 8 * self._held)
        self._held += 1
        return value

    def found(self, value: str, otherwise: str = "absent") -> str:
        """A new reference, where there was no error."""
        self.check(f"icmp ne ptr {value}, null", otherwise)
        return self.hold(value)

    def borrowed(self, value: str) -> str:
        """An object that other code may release."""
        self.check(f"icmp ne ptr {value}, null", "absent")
        self.call("void @Py_IncRef", f"ptr {value}")
        return self.hold(value)

    def attribute(self, value: str, name: str) -> str:
        return self.found(self.do(f"call ptr @PyObject_GetAttr(ptr {value}, ptr {self.constant(name)})"))

    def item(self, value: str, key: Any) -> str:
        return self.found(self.do(f"call ptr @PyObject_GetItem(ptr {value}, ptr {self.constant(key)})"))

    def set(self, kind: str, owner: str, key: Any, value: str) -> None:
        """Sets an attribute or an item. Its errors are raised."""
        name = "PyObject_SetAttr" if kind == "attr" else "PyObject_SetItem"
        done = self.do(f"call i32 @{name}(ptr {owner}, ptr {self.constant(key)}, ptr {value})")
        self.check(f"icmp eq i32 {done}, 0", "raise")

    def drop_error(self) -> None:
        """Drops the error that is set. Raises an error that is not an `Exception`, such as an interrupt."""
        matches = self.do("call i32 @PyErr_ExceptionMatches(ptr @tf.Exception)")
        self.check(f"icmp ne i32 {matches}, 0", "raise")
        self.call("void @PyErr_Clear")

    def variable(self, names: dict[str, Any], name: str) -> str:
        """A global variable."""
        place = f"ptr {self.constant(names)}, ptr {self.constant(name)}"
        return self.borrowed(self.do(f"call ptr @PyDict_GetItemWithError({place})"))

    def content(self, cell: Any) -> str:
        return self.found(self.do(f"call ptr @PyCell_Get(ptr {self.constant(cell)})"))

    def referent(self, reference: Any) -> str:
        """The referent of a weak reference; None where that is gone."""
        return self.borrowed(self.read("ptr", self.constant(reference), abi.REFERENT))

    # --- checks

    def miss_unless(self, test: str) -> None:
        self.check(test, "miss")

    def is_(self, value: str, other: str) -> None:
        self.miss_unless(f"icmp eq ptr {value}, {other}")

    def is_not(self, value: str, other: str) -> None:
        self.miss_unless(f"icmp ne ptr {value}, {other}")

    def has_type(self, value: str, kind: type) -> None:
        known = f"@tf.{kind.__name__}"
        self.is_(self.type_of(value), known if known[1:] in _OBJECTS else self.constant(kind))

    def lacks_item(self, names: str, name: str) -> None:
        """A dict without this key, a text."""
        held = self.do(f"call ptr @PyDict_GetItemWithError(ptr {names}, ptr {self.constant(name)})")
        self.is_(held, "null")

    def is_target(self, value: str, reference: Any) -> None:
        """The object that a weak reference refers to. One to an object that is gone refers to None in C."""
        self.is_not(value, self.constant(None))
        self.is_(value, self.read("ptr", self.constant(reference), abi.REFERENT))

    def has_code(self, function: str, code: Any) -> None:
        """A Python function with this code."""
        self.is_(self.read("ptr", function, abi.CODE), self.constant(code))

    def has_defaults(self, function: str, values: Any, by_name: Iterable[tuple[str, Any]]) -> None:
        """A Python function with this tuple of defaults, or None, and at least these by name, which are the same."""
        if values is not None:
            self.is_(self.read("ptr", function, abi.DEFAULTS), self.constant(values))
        if by_name := tuple(by_name):
            held = self.read("ptr", function, abi.KEYWORD_DEFAULTS)
            self.is_not(held, "null")
            for name, value in by_name:
                place = f"ptr {held}, ptr {self.constant(name)}"
                self.is_(self.do(f"call ptr @PyDict_GetItemWithError({place})"), self.constant(value))

    def is_array(self, value: str, dtype: Any, lengths: Sequence[int | None]) -> None:
        """An array of this dtype, with these lengths where they are given."""
        self.is_(self.type_of(value), "@tf.ndarray")
        self.is_(self.read("ptr", value, abi.DESCR), self.dtype(dtype))
        self.miss_unless(f"icmp eq i32 {self.read('i32', value, abi.NDIM)}, {len(lengths)}")
        for axis, length in enumerate(lengths):
            if length is not None:
                self.miss_unless(f"icmp eq i64 {self.length_of(value, axis)}, {length}")

    def equals(self, value: str, wanted: int | float | str | bytes) -> None:
        """A Python value of the same type. NaNs, of which each is another, are not asked for."""
        known = self.constant(wanted)
        same, other, done = self.do(f"icmp eq ptr {value}, {known}"), self.label(), self.label()
        self.lines += [f"br i1 {same}, label %{done}, label %{other}", f"{other}:"]
        self.has_type(value, type(wanted))
        if isinstance(wanted, int):
            number = self.do(f"call i64 @PyLong_AsLongLongAndOverflow(ptr {value}, ptr %overflow)")
            self.miss_unless(f"icmp eq i32 {self.do('load i32, ptr %overflow, align 4')}, 0")
            self.miss_unless(f"icmp eq i64 {number}, {wanted}")
        elif isinstance(wanted, float):
            bits = struct.unpack("<q", struct.pack("<d", wanted))[0]
            self.miss_unless(f"icmp eq i64 {self.read('i64', value, abi.VALUE)}, {bits}")
        else:
            equal = self.do(f"call i32 @PyObject_RichCompareBool(ptr {value}, ptr {known}, i32 2)")
            self.miss_unless(f"icmp eq i32 {equal}, 1")
        self.lines += [f"br label %{done}", f"{done}:"]

    def do_not_meet(self, left: tuple[str, str], right: tuple[str, str], otherwise: Any) -> None:
        """Two arrays, each with its size in bytes, lie in order in different places; if not, `otherwise` must hold."""
        maybe, done = self.label(), self.label()
        begins = []
        for array, _ in (left, right):
            flags = self.do(f"and i32 {self.read('i32', array, abi.FLAGS)}, {abi.DENSE}")
            self.check(f"icmp eq i32 {flags}, {abi.DENSE}", maybe)
            begins.append(self.read("i64", array, abi.DATA))
        ends = [self.do(f"add i64 {b}, {size}") for b, (_, size) in zip(begins, (left, right), strict=True)]
        before = self.do(f"icmp ule i64 {ends[0]}, {begins[1]}")
        behind = self.do(f"icmp ule i64 {ends[1]}, {begins[0]}")
        self.lines += [f"br i1 {self.do(f'or i1 {before}, {behind}')}, label %{done}, label %{maybe}", f"{maybe}:"]
        self.satisfies(otherwise, [left[0], right[0]])
        self.lines += [f"br label %{done}", f"{done}:"]

    def satisfies(self, check: Any, values: Sequence[str]) -> None:
        """Checks that a Python function is true of the values."""
        self.is_(self.found(self.called(self.constant(check), values)), self.constant(True))

    def children_of_tuple(self, value: str, count: int) -> list[str]:
        self.miss_unless(f"icmp eq i64 {self.read('i64', value, abi.LIST_SIZE)}, {count}")
        return [self.read("ptr", value, abi.tuple_items() + 8 * i) for i in range(count)]

    def children_of_list(self, value: str, count: int) -> list[str]:
        self.miss_unless(f"icmp eq i64 {self.read('i64', value, abi.LIST_SIZE)}, {count}")
        return [self.borrowed(self.do(f"call ptr @PyList_GetItem(ptr {value}, i64 {i})")) for i in range(count)]

    def children_of_dict(self, value: str, keys: Sequence[Any]) -> list[str]:
        """The values of a dict that has these keys, in this order."""
        self.lines.append("store i64 0, ptr %position, align 8")
        found = []
        step = f"call i32 @PyDict_Next(ptr {value}, ptr %position, ptr %key, ptr %item)"
        for key in keys:
            self.miss_unless(f"icmp ne i32 {self.do(step)}, 0")
            self.is_(self.do("load ptr, ptr %key, align 8"), self.constant(key))
            found.append(self.borrowed(self.do("load ptr, ptr %item, align 8")))
        self.miss_unless(f"icmp eq i32 {self.do(step)}, 0")
        return found

    # --- calls and results

    def called(self, function: str, values: Sequence[str]) -> str:
        """The result of a Python function, null where it raised."""
        room = f"%room{self.label()}"
        self.allocas.append(f"{room} = alloca [{max(1, len(values))} x ptr], align 8")
        for i, value in enumerate(values):
            self.store("ptr", value, room, 8 * i)
        return self.do(f"call ptr @PyObject_Vectorcall(ptr {function}, ptr {room}, i64 {len(values)}, ptr null)")

    def items(self, value: str, count: int) -> list[str]:
        """The items of a tuple that is held."""
        return [self.read("ptr", value, abi.tuple_items() + 8 * i) for i in range(count)]

    def tuple_of(self, values: Sequence[str]) -> str:
        return self._container("Tuple", values)

    def list_of(self, values: Sequence[str]) -> str:
        return self._container("List", values)

    def _container(self, kind: str, values: Sequence[str]) -> str:
        made = self.found(self.do(f"call ptr @Py{kind}_New(i64 {len(values)})"), "raise")
        for i, value in enumerate(values):
            self.call("void @Py_IncRef", f"ptr {value}")
            self.call(f"i32 @Py{kind}_SetItem", f"ptr {made}", f"i64 {i}", f"ptr {value}")
        return made

    def dict_of(self, keys: Sequence[Any], values: Sequence[str]) -> str:
        made = self.found(self.do("call ptr @PyDict_New()"), "raise")
        for key, value in zip(keys, values, strict=True):
            done = self.do(f"call i32 @PyDict_SetItem(ptr {made}, ptr {self.constant(key)}, ptr {value})")
            self.check(f"icmp eq i32 {done}, 0", "raise")
        return made

    def new_array(self, dtype: Any, rank: int, dims: str, strides: str = "null") -> str:
        """An array whose lengths, and strides where there are any, lie in memory."""
        known = self.dtype(dtype)
        self.call("void @Py_IncRef", f"ptr {known}")
        given = f"ptr @tf.ndarray, ptr {known}, i32 {rank}, ptr {dims}, ptr {strides}, ptr null, i32 0, ptr null"
        return self.found(self.do(f"call ptr @tf.new_array({given})"), "raise")

    def made_by(self, function: Any, values: Sequence[str]) -> str:
        """The result of a Python function. Its errors are raised."""
        return self.found(self.called(self.constant(function), values), "raise")

    def text(self, name: str, result: str | None, more: Sequence[str] = ()) -> str:
        """The text of the module, for a function with this result, or None where it has gone on elsewhere. It ends with
        `more` blocks."""
        held = f"[{max(1, self._held)} x ptr]"
        places = ("overflow", "position", "key", "item")
        head = [f"%{place} = alloca i64, align 8" for place in places]
        # In memory, as the ways to the end are many: registers would need the join of all of them for each object.
        head += [f"%held = alloca {held}, align 8", *self.allocas, f"store {held} zeroinitializer, ptr %held, align 8"]
        return "\n".join(
            [
                declarations(),
                "define internal void @release(ptr %held) noinline nounwind {",
                *[line for k in range(self._held) for line in _given_back(k)],
                "ret void",
                "}",
                f"define ptr @{name}(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {{",
                *head,
                *self.lines,
                *([] if result is None else [f"call void @Py_IncRef(ptr {result})", _RELEASE, f"ret ptr {result}"]),
                *_ABSENT,
                "miss:",
                *self.handed_over("miss", OTHERWISE),
                *more,
                "raise:",
                _RELEASE,
                "ret ptr null",
                "}",
            ]
        )

    def handed_over(self, where: str, place: int) -> list[str]:
        """The end of a block that lets a function of `self` have the call."""
        return [
            _RELEASE,
            f"%{where}.at = getelementptr i8, ptr %self, i64 {abi.tuple_items() + 8 * place}",
            f"%{where}.f = load ptr, ptr %{where}.at, align 8",
            f"%{where}.r = call ptr @PyObject_Vectorcall(ptr %{where}.f, ptr %args, i64 %nargs, ptr %kwnames)",
            f"ret ptr %{where}.r",
        ]


_RELEASE = "call void @release(ptr %held)"
"""Gives back all references that are held."""


def _given_back(place: int) -> list[str]:
    at, value = f"%at{place}", f"%value{place}"
    lines = [f"{at} = getelementptr ptr, ptr %held, i64 {place}", f"{value} = load ptr, ptr {at}, align 8"]
    return [*lines, f"call void @Py_DecRef(ptr {value})"]
