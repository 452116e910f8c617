"""LLVM IR of the read of a method: it finds the function of the instance, and binds it."""

from __future__ import annotations

from .objects import ObjectWriter

INSTANCES = 1
"""The place of the dict of functions, by the ids of their instances, in the tuple `self`."""


def binder() -> str:
    """The text of a module with `get(function, instance, class)`, which binds the function itself to any instance."""
    writer = ObjectWriter(INSTANCES)
    writer.miss_unless("icmp eq i64 %nargs, 3")
    writer.miss_unless("icmp eq ptr %kwnames, null")
    function, instance = writer.read("ptr", "%args", 0), writer.read("ptr", "%args", 8)
    writer.is_not(instance, writer.constant(None))
    method = writer.found(writer.do(f"call ptr @PyMethod_New(ptr {function}, ptr {instance})"), "raise")
    return writer.text("get", method)


def getter() -> str:
    """The text of a module with `get(function, instance, class)`. Whatever is not known goes elsewhere."""
    writer = ObjectWriter(INSTANCES + 1)
    writer.miss_unless("icmp eq i64 %nargs, 3")
    writer.miss_unless("icmp eq ptr %kwnames, null")
    instance = writer.read("ptr", "%args", 8)
    key = writer.found(writer.do(f"call ptr @PyLong_FromVoidPtr(ptr {instance})"))
    instances = writer.owned(INSTANCES)
    known = writer.borrowed(writer.do(f"call ptr @PyDict_GetItemWithError(ptr {instances}, ptr {key})"))
    method = writer.found(writer.do(f"call ptr @PyMethod_New(ptr {known}, ptr {instance})"), "raise")
    return writer.text("get", method)
