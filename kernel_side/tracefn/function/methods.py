"""Traced functions as methods: each instance has a function of its own, with its own traces, while it lives."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, MethodType
from typing import Any

from ..errors import UnsupportedArgumentError
from ..trace.signature import CallSignature
from ..trace.tree import is_an_object, is_gone
from .bound import BoundFunction
from .fallback.inner import runs_eagerly_for_others
from .fallback.reasons import Fallbacks
from .fallback.storms import Storm
from .held import Held
from .wrapped import Wrapped


class Methods(Held):
    """The part of `Function` that makes methods."""

    __slots__ = ()

    python_function: Callable[..., Any]
    _wrapped: Wrapped
    _special: dict[str, Any]
    _lock: Any
    _fallbacks: Fallbacks
    _storm: Storm
    _changing: Any  # of a room above, as the next
    _own_numbers: Any
    _alike: Callable[[], Any]
    _has: Callable[..., None]

    def _has_no_instance(self) -> None:
        self._patterns: tuple[Any, ...] = ()  # traces that others may be taken over from, the newest first
        self._instances: dict[int, Any] = {}
        self._made_by_gone = [0]  # traces of those whose instances are gone
        self._instance: Callable[[], Any] = _nothing  # whose method it is
        self._class_has: Any = None  # the function that this was made of for that instance
        self._unfit: weakref.WeakSet[type] = weakref.WeakSet()  # classes whose instances fit no signature

    @property
    def _with_instances(self) -> list[Any]:
        """The function, and those of the instances that live."""
        return [self, *list(self._instances.values())]

    @property
    def function(self) -> Any:
        """Itself: the `__func__` of a bound method."""
        return self

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self._bound(instance, owner)

    def _bound(self, instance: Any, owner: type | None = None) -> Any:
        """The method of an instance that is not known yet, or has no function of its own."""
        own: Any = self
        if isinstance(self.python_function, staticmethod):
            self._has(__get__=_itself)
            return self
        if isinstance(self.python_function, classmethod):
            instance = owner if instance is None else type(instance)
        elif instance is None:
            return self
        elif not type(instance).__weakrefoffset__:
            if "__get__" not in self._special:
                self._has(__get__=_strange)
            return BoundFunction(own, instance)
        elif self._wrapped.reads_attributes:
            return MethodType(own, instance)
        return MethodType(self._instances.get(id(instance)) or self._for_instance(instance), instance)

    def _is_read_directly(self) -> None:
        """Lets machine code read the method of which this is the function, or is it for one instance."""
        owner = self if self._class_has is None else self._class_has
        get, settled = owner._special.get("__get__"), self._fallbacks.always is not None
        if isinstance(owner.python_function, classmethod) or get in (_itself, _strange):
            return
        if settled and (owner is not self or get is None or owner._instances):
            return
        if (owner is not self or settled) and not isinstance(get, BuiltinFunctionType):
            from ..runtime.calls.native_eager_entry import method_binder, method_getter  # machine code is there by now

            otherwise = functools.partial(_get, weakref.ref(owner))
            owner._has(__get__=method_binder(otherwise) if settled else method_getter(owner._instances, otherwise))

    def _fits_no_signature(self) -> None:
        """Notes that a call fits no signature. Where the instance itself does not, as an array of a subclass, other
        instances of its class have the function of the class."""
        owner, instance = self._class_has, self._instance()
        if owner is None or type(instance) in owner._unfit:
            return
        try:
            CallSignature.of({"instance": instance})
        except UnsupportedArgumentError:
            owner._unfit.add(type(instance))

    def _settles(self) -> None:
        """Lets instances without traces have the function of the class, as all calls run eagerly."""
        owner = self if self._class_has is None else self._class_has
        with owner._lock:
            for key in [key for key, own in list(owner._instances.items()) if not own._cache.traces]:
                _let_go(owner._instances, owner._made_by_gone, key)
            owner._is_read_in_python()

    def _is_read_in_python(self) -> None:
        """Takes the reading of methods from machine code, which does not see where all calls run eagerly."""
        if isinstance(self._special.get("__get__"), BuiltinFunctionType):
            self._has(__get__=_getter(self._instances, self._fallbacks))

    def _for_instance(self, instance: Any) -> Any:
        """A new cache for one instance; it goes when the instance goes. A cache costs as much as hundreds of eager
        calls, so a new instance has none while calls run eagerly or wait for a trace."""
        with self._lock:
            key = id(instance)
            if (function := self._instances.get(key)) is not None:
                return function  # another thread has made it meanwhile
            own: Any = self
            if self._special.get("__get__", _strange) is _strange:
                of_class = isinstance(self.python_function, classmethod)
                self._has(__get__=(_class_getter if of_class else _getter)(self._instances, self._fallbacks))
            is_eager = self._fallbacks.always is not None or runs_eagerly_for_others(self)
            is_eager = is_eager or type(instance) in self._unfit
            if is_eager or self._storm.waits_for(instance):
                return own
            reference = weakref.ref(instance, functools.partial(_forget, self._instances, self._made_by_gone, key))
            function = self._alike()
            function._fallbacks, function._instance, function._class_has = self._fallbacks, reference, self
            function._storm = self._storm
            function._changing, function._own_numbers = self._changing, self._own_numbers  # facts of the code
            is_an_object(instance)
            self._instances[key] = function
            return function


def _getter(instances: dict[int, Any], fallbacks: Fallbacks) -> Callable[..., Any]:
    """The `__get__` of one function: reading an attribute of a `Function` takes as long as all that it does. Where all
    calls run eagerly, a new instance has the function of the class."""

    def __get__(self: Any, instance: Any, owner: type | None = None) -> Any:
        function = instances.get(id(instance))
        if function is None:
            if fallbacks.always is None or instance is None or not type(instance).__weakrefoffset__:
                return self._bound(instance, owner)
            function = self
        return MethodType(function, instance)

    return __get__


def _class_getter(instances: dict[int, Any], fallbacks: Fallbacks) -> Callable[..., Any]:
    """The same for a method of classes."""

    def __get__(self: Any, instance: Any, owner: type | None = None) -> Any:
        cls = owner if instance is None else type(instance)
        function = instances.get(id(cls))
        if function is None:
            if fallbacks.always is None:
                return self._bound(instance, owner)
            function = self
        return MethodType(function, cls)

    return __get__


def _strange(function: Any, instance: Any, owner: type | None = None) -> Any:
    """That of a method of instances without weak references."""
    if instance is None or type(instance).__weakrefoffset__:
        return function._bound(instance, owner)
    return BoundFunction(function, instance)


def _itself(function: Any, instance: Any, owner: type | None = None) -> Any:
    """That of a static method."""
    return function


def _get(reference: Callable[[], Any], /, *given: Any) -> Any:
    """`__get__` as Python calls it, with the function, or as an attribute of the function, without it."""
    function = reference()
    assert function is not None
    return function._bound(*(given[1:] if given[0] is function else given))


def _nothing() -> None: ...


def _forget(instances: dict[int, Any], made_by_gone: list[int], key: int, _: Any) -> None:
    _let_go(instances, made_by_gone, key)
    is_gone(key)


def _let_go(instances: dict[int, Any], made_by_gone: list[int], key: int) -> None:
    if (function := instances.pop(key, None)) is not None:
        made_by_gone[0] += function._history.made
