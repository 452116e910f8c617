"""LLVM IR of a call of a traced function: it takes the usual call apart, checks it, runs the
program and puts the result together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...events.counters import SAMPLE, SAMPLE_EVERY
from ..machine import abi
from .objects import ObjectWriter

RUN, TIMED, FAILED, COUNTER, OBJECTS = range(1, 6)
"""Places in the tuple `self`, behind the function for all other calls: the program, the same but timed, the handler
of the program's errors, and the array that counts. From `OBJECTS` on there are the objects that the code refers to."""


class CallWriter(ObjectWriter):
    """Writes `call`, which leaves calls to others while a function is traced."""

    def __init__(self) -> None:
        super().__init__(OBJECTS)
        self.allocas += [f"%error{k} = alloca ptr, align 8" for k in ("", ".type", ".traceback")]
        self.check(f"icmp eq i64 {self.read('i64', '@tf.tracing', abi.LIST_SIZE)}, 0", "miss")

    def arguments(
        self,
        names: Sequence[tuple[str, bool, bool]],
        defaults: dict[str, Any],
        more: int | None,
        have_defaults: Callable[[], None] | None = None,
    ) -> tuple[list[str], list[str]]:
        """The arguments of a call: those of the parameters with these names, of which each may be given by position or
        not, and by name or not; and `more` others by position, where the function takes any number. `have_defaults`
        writes the checks for an argument that is left out."""
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
        if have_defaults is not None:
            have_defaults()
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
            self.allocas.append(f"{place} = alloca ptr, align 8")
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

    def run(self, values: Sequence[str], failed: str = "failed") -> str:
        """Counts the call and runs the program. Python times sampled calls. An error branches to `failed`."""
        return self._run(self._is_timed(), values, failed)

    def run_steps(
        self, values: Sequence[str], steps: Callable[[str], Sequence[str]], count: int, failed: str = "failed"
    ) -> list[str]:
        """The same for a program with `count` results, inlined as `steps`. An error in a step branches to the label
        that `steps` is given; the program runs there and raises at the user's line."""
        places = [f"%result{k}" for k in range(count)]
        self.allocas += [f"{place} = alloca ptr, align 8" for place in places]
        timed, by_steps, whole, wrong, done = self._is_timed(), *[self.label() for _ in range(4)]
        self.lines += [f"br i1 {timed}, label %{whole}, label %{by_steps}", f"{by_steps}:"]
        for place, value in zip(places, steps(wrong), strict=True):
            self.store("ptr", value, place, 0)
        self.lines += [f"br label %{done}", f"{wrong}:"]
        self.drop_error()
        self.lines += [f"br label %{whole}", f"{whole}:"]
        found = self._run(timed, values, failed)
        for place, value in zip(places, [found] if count == 1 else self.items(found, count), strict=True):
            self.store("ptr", value, place, 0)
        self.lines += [f"br label %{done}", f"{done}:"]
        return [self.read("ptr", place, 0) for place in places]

    def passed_on(self) -> str:
        """The text of the module that forwards calls with their arguments: sampled ones to `TIMED`, others to `RUN`."""
        self.lines.append(f"br i1 {self._is_timed()}, label %timed, label %run")
        ends = ["timed:", *self.handed_over("timed", TIMED), "run:", *self.handed_over("run", RUN)]
        return self.text("call", None, ends)

    def _is_timed(self) -> str:
        counter = self.read("ptr", self.owned(COUNTER), abi.DATA)
        count = self.do(f"add i64 {self.read('i64', counter, 0)}, 1")
        self.store("i64", count, counter, 0)
        return self.do(f"icmp eq i64 {self.do(f'and i64 {count}, {SAMPLE_EVERY - 1}')}, {SAMPLE}")

    def _run(self, timed: str, values: Sequence[str], failed: str) -> str:
        function = self.do(f"select i1 {timed}, ptr {self.owned(TIMED)}, ptr {self.owned(RUN)}")
        return self.found(self.called(function, values), failed)

    def module(self, result: str) -> str:
        """The text of the module, for a call with this result."""
        return self.text("call", result, _FAILED.format(place=abi.tuple_items() + 8 * FAILED).splitlines())


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
call void @Py_DecRef(ptr %failed.traceback)
br label %raise"""
