"""LLVM IR of what Python calls in the place of a traced function: it takes the usual call apart, checks it, runs the
program and puts the result together.

`call` is a function of `METH_FASTCALL | METH_KEYWORDS`. Where a check does not hold it lets another function, which
takes any call, have the arguments. It holds a reference to each object that it found outside the arguments' own memory,
as other threads may let go of them while the program runs.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from . import abi
from .entry_writer import EntryWriter

OTHERWISE, RUN, TIMED, FAILED, COUNTER, OBJECTS = range(6)
"""Places in the tuple `self`: the function for all other calls, the program, the same but timed, what is given an error
of the program, and the array that counts. From `OBJECTS` on there is what the code refers to."""

SAMPLE_EVERY, SAMPLE = 64, 2
"""Of so many calls the one with this number is timed."""

_FUNCTIONS = {
    "PyObject_GetAttr": "ptr (ptr, ptr)",
    "PyObject_GetItem": "ptr (ptr, ptr)",
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
    "PyErr_Fetch": "void (ptr, ptr, ptr)",
    "PyErr_NormalizeException": "void (ptr, ptr, ptr)",
    "PyException_SetTraceback": "i32 (ptr, ptr)",
    "Py_IncRef": "void (ptr)",
    "Py_DecRef": "void (ptr)",
}
_OBJECTS = ("tf.tracing", "tf.ndarray", "tf.float", "tf.int", "tf.str", "tf.tuple", "tf.list", "tf.dict")


def declarations() -> str:
    """What a module with `call` must declare."""
    lines = [f"declare {kind.replace('(', f'@{name}(', 1)}" for name, kind in _FUNCTIONS.items()]
    return "\n".join([*lines, *[f"@{name} = external global i8" for name in _OBJECTS]])


class CallWriter(EntryWriter):
    """Writes `call`. `objects` are those that its code refers to, in the order of their places.

    What is checked and does not hold leads to `miss`; what raises an error meanwhile to `absent`, where it is dropped.
    """

    def __init__(self) -> None:
        super().__init__()
        self.objects: list[Any] = []
        self._held = 0
        self._allocas: list[str] = []
        self.check(f"icmp eq i64 {self.read('i64', '@tf.tracing', abi.LIST_SIZE)}, 0", "miss")

    # --- objects

    def constant(self, value: Any) -> str:
        """An object that is known."""
        place = next((i for i, known in enumerate(self.objects) if known is value), None)
        if place is None:
            place = len(self.objects)
            self.objects.append(value)
        return self.owned(OBJECTS + place)

    def hold(self, value: str) -> str:
        """Takes over a reference; it is given back at the end."""
        self._held += 1
        self.lines.append(f"store ptr {value}, ptr %held{self._held}, align 8")
        return value

    def found(self, value: str, otherwise: str = "absent") -> str:
        """A new reference, where there was no error."""
        self.check(f"icmp ne ptr {value}, null", otherwise)
        return self.hold(value)

    def borrowed(self, value: str) -> str:
        """An object that somebody else may let go of."""
        self.check(f"icmp ne ptr {value}, null", "absent")
        self.call("void @Py_IncRef", f"ptr {value}")
        return self.hold(value)

    def attribute(self, value: str, name: str) -> str:
        return self.found(self.do(f"call ptr @PyObject_GetAttr(ptr {value}, ptr {self.constant(name)})"))

    def item(self, value: str, key: Any) -> str:
        return self.found(self.do(f"call ptr @PyObject_GetItem(ptr {value}, ptr {self.constant(key)})"))

    def variable(self, names: dict[str, Any], name: str) -> str:
        """A global variable."""
        place = f"ptr {self.constant(names)}, ptr {self.constant(name)}"
        return self.borrowed(self.do(f"call ptr @PyDict_GetItemWithError({place})"))

    def content(self, cell: Any) -> str:
        return self.found(self.do(f"call ptr @PyCell_Get(ptr {self.constant(cell)})"))

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

    def is_target(self, value: str, reference: Any) -> None:
        """The object that a weak reference refers to."""
        self.is_(value, self.read("ptr", self.constant(reference), abi.REFERENT))

    def is_array(self, value: str, dtype: Any, lengths: Sequence[int | None]) -> None:
        """An array of this dtype, with these lengths where they are given."""
        self.is_(self.type_of(value), "@tf.ndarray")
        self.is_(self.read("ptr", value, abi.DESCR), self.constant(dtype))
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
        """What a Python function finds true."""
        self.is_(self.found(self.called(self.constant(check), values)), self.constant(True))

    # --- arguments

    def arguments(
        self, names: Sequence[tuple[str, bool, bool]], defaults: dict[str, Any], more: int | None
    ) -> tuple[list[str], list[str]]:
        """The arguments of a call: those of the parameters with these names, of which each may be given by position or
        not, and by name or not; and `more` others by position, where the function takes any number."""
        by_position = [name for name, position, _ in names if position]
        count = len(by_position) + (more or 0)
        all_given = self.do(f"icmp eq i64 %nargs, {count}")
        no_names = self.do("icmp eq ptr %kwnames, null")
        simple = self.do(f"and i1 {all_given}, {no_names if len(by_position) == len(names) else 'false'}")
        fast, slow, bound = self.label(), self.label(), self.label()
        self.lines += [f"br i1 {simple}, label %{fast}, label %{slow}", f"{fast}:"]
        given = [self.read("ptr", "%args", 8 * i) for i in range(count)]
        at_once = {name: given[i] for i, name in enumerate(by_position)}
        self.lines += [f"br label %{bound}", f"{slow}:"]
        bounds = f"icmp {'eq' if more else 'ule'} i64 %nargs, {count}"
        self.miss_unless(bounds)
        others = [self.read("ptr", "%args", 8 * i) for i in range(len(by_position), count)]
        places = self._places(names, len(by_position))
        later = {name: self._or_default(place, name, defaults) for place, name in places}
        last = self.label()
        self.lines += [f"br label %{last}", f"{last}:", f"br label %{bound}", f"{bound}:"]
        found = [
            self.do(f"phi ptr [ {at_once.get(name, 'null')}, %{fast} ], [ {later[name]}, %{last} ]")
            for name, _, _ in names
        ]
        rest = zip(given[len(by_position) :], others, strict=True)
        return found, [self.do(f"phi ptr [ {a}, %{fast} ], [ {b}, %{last} ]") for a, b in rest]

    def _places(self, names: Sequence[tuple[str, bool, bool]], positions: int) -> list[tuple[str, str]]:
        """A place in memory for each parameter, with its argument or null."""
        places = []
        for i, (name, position, _) in enumerate(names):
            place = f"%argument{i}"
            self._allocas.append(f"{place} = alloca ptr, align 8")
            self.lines.append(f"store ptr null, ptr {place}, align 8")
            places.append((place, name))
            if position:
                given, skip = self.label(), self.label()
                self.lines.append(f"br i1 {self.do(f'icmp ugt i64 %nargs, {i}')}, label %{given}, label %{skip}")
                self.lines.append(f"{given}:")
                self.lines.append(f"store ptr {self.read('ptr', '%args', 8 * i)}, ptr {place}, align 8")
                self.lines += [f"br label %{skip}", f"{skip}:"]
        by_name = [(place, name) for (place, name), (_, _, keyword) in zip(places, names, strict=True) if keyword]
        head, body, matched, after, before = (self.label() for _ in range(5))
        has_names = self.do("icmp ne ptr %kwnames, null")
        self.lines += [f"br i1 {has_names}, label %{before}, label %{after}", f"{before}:"]
        count = self.read("i64", "%kwnames", abi.LIST_SIZE)
        self.lines += [f"br label %{head}", f"{head}:"]
        self.lines += [f"%k = phi i64 [ 0, %{before} ], [ %k.next, %{matched} ]", f"%k.more = icmp slt i64 %k, {count}"]
        self.lines += [f"br i1 %k.more, label %{body}, label %{after}", f"{body}:"]
        word = self.do(f"getelementptr ptr, ptr {self.at('%kwnames', abi.tuple_items())}, i64 %k")
        key = self.do(f"load ptr, ptr {word}, align 8")
        number = self.do("add i64 %nargs, %k")
        argument = self.do(f"load ptr, ptr {self.do(f'getelementptr ptr, ptr %args, i64 {number}')}, align 8")
        for place, name in by_name:
            here, other = self.label(), self.label()
            same = self.do(f"icmp eq ptr {key}, {self.constant(name)}")
            self.lines += [f"br i1 {same}, label %{here}, label %{other}", f"{here}:"]
            self.is_(self.do(f"load ptr, ptr {place}, align 8"), "null")
            self.lines += [f"store ptr {argument}, ptr {place}, align 8", f"br label %{matched}", f"{other}:"]
        self.lines += ["br label %miss", f"{matched}:", "%k.next = add i64 %k, 1", f"br label %{head}", f"{after}:"]
        return places

    def _or_default(self, place: str, name: str, defaults: dict[str, Any]) -> str:
        value = self.do(f"load ptr, ptr {place}, align 8")
        if name not in defaults:
            self.is_not(value, "null")
            return value
        return self.do(
            f"select i1 {self.do(f'icmp eq ptr {value}, null')}, ptr {self.constant(defaults[name])}, ptr {value}"
        )

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
        self._allocas.append(f"{room} = alloca [{max(1, len(values))} x ptr], align 8")
        for i, value in enumerate(values):
            self.store("ptr", value, room, 8 * i)
        return self.do(f"call ptr @PyObject_Vectorcall(ptr {function}, ptr {room}, i64 {len(values)}, ptr null)")

    def run(self, values: Sequence[str]) -> str:
        """Counts the call and runs the program. One in so many is timed, by Python."""
        counter = self.read("ptr", self.owned(COUNTER), abi.DATA)
        count = self.do(f"add i64 {self.read('i64', counter, 0)}, 1")
        self.store("i64", count, counter, 0)
        timed = self.do(f"icmp eq i64 {self.do(f'and i64 {count}, {SAMPLE_EVERY - 1}')}, {SAMPLE}")
        function = self.do(f"select i1 {timed}, ptr {self.owned(TIMED)}, ptr {self.owned(RUN)}")
        return self.found(self.called(function, values), "failed")

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

    def made_by(self, function: Any, values: Sequence[str]) -> str:
        """What a Python function makes of values; what it raises is raised."""
        return self.found(self.called(self.constant(function), values), "raise")

    def text(self, result: str) -> str:
        """The text of the module, for a function with this result."""
        held = [f"%held{k + 1}" for k in range(self._held)]
        places = ("overflow", "position", "key", "item", "error.type", "error", "error.traceback")
        head = [f"%{name} = alloca i64, align 8" for name in places]
        head += [f"{at} = alloca ptr, align 8" for at in held] + self._allocas
        head += [f"store ptr null, ptr {at}, align 8" for at in held]
        return "\n".join(
            [
                declarations(),
                f"define internal void @release({', '.join(f'ptr {at}' for at in held)}) noinline nounwind {{",
                *[f"call void @Py_DecRef(ptr {at})" for at in held],
                "ret void",
                "}",
                "define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {",
                *head,
                *self.lines,
                f"call void @Py_IncRef(ptr {result})",
                self._release("ret"),
                f"ret ptr {result}",
                "absent:",
                "call void @PyErr_Clear()",
                "br label %miss",
                "miss:",
                self._release("miss"),
                f"%otherwise.at = getelementptr i8, ptr %self, i64 {abi.tuple_items() + 8 * OTHERWISE}",
                "%otherwise = load ptr, ptr %otherwise.at, align 8",
                "%other = call ptr @PyObject_Vectorcall(ptr %otherwise, ptr %args, i64 %nargs, ptr %kwnames)",
                "ret ptr %other",
                *_FAILED.format(place=abi.tuple_items() + 8 * FAILED).splitlines(),
                "br label %raise",
                "raise:",
                self._release("raise"),
                "ret ptr null",
                "}",
            ]
        )

    def _release(self, where: str) -> str:
        loads = [f"%{where}.{k + 1} = load ptr, ptr %held{k + 1}, align 8" for k in range(self._held)]
        given = ", ".join([f"ptr %{where}.{k + 1}" for k in range(self._held)])
        return "\n".join([*loads, f"call void @release({given})"])


# The function that is given the error raises it again, with a traceback that names the user's line.
_FAILED = """failed:
call void @PyErr_Fetch(ptr %error.type, ptr %error, ptr %error.traceback)
call void @PyErr_NormalizeException(ptr %error.type, ptr %error, ptr %error.traceback)
%failed.traceback = load ptr, ptr %error.traceback, align 8
%failed.error = load ptr, ptr %error, align 8
%failed.type = load ptr, ptr %error.type, align 8
%failed.has = icmp ne ptr %failed.traceback, null
br i1 %failed.has, label %failed.traced, label %failed.again
failed.traced:
call i32 @PyException_SetTraceback(ptr %failed.error, ptr %failed.traceback)
br label %failed.again
failed.again:
%failed.at = getelementptr i8, ptr %self, i64 {place}
%failed.function = load ptr, ptr %failed.at, align 8
%failed.none = call ptr @PyObject_Vectorcall(ptr %failed.function, ptr %error, i64 1, ptr null)
call void @Py_DecRef(ptr %failed.type)
call void @Py_DecRef(ptr %failed.error)
call void @Py_DecRef(ptr %failed.traceback)"""
