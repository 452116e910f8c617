"""How two calls differ: every differing leaf and dimension, in words."""

from __future__ import annotations

from types import CodeType
from typing import Any

from ...events import Cause
from ...ir.place import Source
from ...ir.types import Kind, dtype_name
from ..origin import where
from ..tree import Tree, step
from .call import CallSignature
from .spec import GeneratorSpec, LeafSpec, ObjectSpec, TensorSpec, ValueSpec, VariableSpec


def differences(old: CallSignature, new: CallSignature) -> list[Cause]:
    """Every difference between an earlier signature and a call, one cause for each leaf or dimension."""
    causes: list[Cause] = []
    changed: set[str] = set()
    if old.trees == new.trees:
        for position, (was, leaf) in enumerate(zip(old.leaves, new.leaves, strict=True)):
            if was is not leaf and was != leaf:
                causes += _change(new.paths[position], was, leaf, old, new)
        return causes
    for (name, before), (_, now) in zip(old.trees, new.trees, strict=True):
        _structure(name, before, now, causes, changed)
    earlier = dict(zip(old.paths, old.leaves, strict=True))
    below = tuple(path + mark for path in changed for mark in "[.")
    for path, leaf in zip(new.paths, new.leaves, strict=True):
        if path in earlier and path not in changed and not path.startswith(below):
            causes += _change(path, earlier[path], leaf, old, new)
    return causes


def _change(path: str, was: LeafSpec, leaf: LeafSpec, old: CallSignature, new: CallSignature) -> list[Cause]:
    if isinstance(was, VariableSpec) and isinstance(leaf, VariableSpec) and was.text == leaf.text:
        return _variable(path, was, old.paths[was.alias], leaf, new.paths[leaf.alias])
    if isinstance(was, GeneratorSpec) and isinstance(leaf, GeneratorSpec) and was.text == leaf.text:
        return _alias(path, "generator", old.paths[was.alias], new.paths[leaf.alias])
    return _leaf(path, was, leaf)


def _variable(path: str, old: VariableSpec, was: str, new: VariableSpec, now: str) -> list[Cause]:
    """`was` and `now` are the first arguments that are the same variable."""
    if was != now:
        return _alias(path, "Variable", was, now)
    if old.declared != new.declared:
        text = f"{path}: a Variable of shape {_shape(old.declared)} → {_shape(new.declared)}"
        return [Cause(path, "type", _shape(old.declared), _shape(new.declared), text)]
    return []


def _alias(path: str, what: str, was: str, now: str) -> list[Cause]:
    if was == now:
        return []
    text = f"{path}: the same {what} as {now}" if now != path else f"{path}: not the same {what} as {was}"
    return [Cause(path, "alias", was, now, text)]


def _structure(path: str, old: Tree, new: Tree, causes: list[Cause], changed: set[str]) -> None:
    if old == new:
        return
    if old.kind != new.kind or old.type is not new.type:
        names = _container(old), _container(new)
        causes.append(Cause(path, "structure", *names, f"{path}: {names[0]} → {names[1]}"))
        changed.add(path)
        return
    if old.metadata != new.metadata:
        before, now = repr(old.metadata), repr(new.metadata)
        causes.append(Cause(path, "structure", before, now, f"{path}: metadata {before} → {now}"))
    if old.keys != new.keys:
        causes.append(_keys(path, old, new))
    shared = dict(zip(old.keys, old.children, strict=True))
    for key, child in zip(new.keys, new.children, strict=True):
        if key in shared:
            _structure(path + step(new.kind, key), shared[key], child, causes, changed)


def _keys(path: str, old: Tree, new: Tree) -> Cause:
    if new.kind in ("list", "tuple", "custom"):
        before, now = str(len(old.keys)), str(len(new.keys))
        return Cause(path, "length", before, now, f"{path}: length {before} → {now} ({_container(new)})")
    added = [k for k in new.keys if k not in old.keys]
    removed = [k for k in old.keys if k not in new.keys]
    said = [f"{word} {', '.join(map(repr, keys))}" for word, keys in (("added", added), ("removed", removed)) if keys]
    before, now = str(list(old.keys)), str(list(new.keys))
    return Cause(path, "keys", before, now, f"{path}: keys {'; '.join(said) or f'in another order: {before} → {now}'}")


def _container(tree: Tree) -> str:
    return "a single value" if tree.is_leaf else getattr(tree.type, "__name__", tree.kind)


def _leaf(path: str, old: LeafSpec, new: LeafSpec) -> list[Cause]:
    if old.accepts(new):
        return []
    if isinstance(old, TensorSpec) and isinstance(new, TensorSpec):
        return _tensor(path, old, new)
    if isinstance(old, ValueSpec) and isinstance(new, ValueSpec):
        if type(old.value) is type(new.value):
            kind, before, now = "value", _short(old.value), _short(new.value)
            text = f"{path}: {before} → {now} (Python {type(new.value).__name__})"
        else:
            kind, before, now = "type", old.text, new.text
            text = f"{path}: {before} → {now}"
        return [Cause(path, kind, before, now, text)]
    if isinstance(old, ObjectSpec) and isinstance(new, ObjectSpec):
        if new.code is not None and old.code == new.code:
            made = f"`{new.code.co_name}` was made anew ({where(_source(new.code))})"
            text = f"{path}: {made}, and functions are keyed by identity"
            return [Cause(path, "identity", old.text, new.text, text)]
        gone = ", the earlier one is gone" if old.target is None else ""
        text = f"{path}: another {new.type_name} object (keyed by identity{gone})"
        return [Cause(path, "identity", old.text, new.text, text)]
    return [Cause(path, "type", old.text, new.text, f"{path}: {old.text} → {new.text}")]


def _source(code: CodeType) -> Source:
    return Source(code.co_filename, code.co_firstlineno)


def _tensor(path: str, old: TensorSpec, new: TensorSpec) -> list[Cause]:
    causes = []
    if old.device != new.device:
        causes.append(Cause(path, "device", old.device, new.device, f"{path}: device {old.device} → {new.device}"))
    if not old.accepts_dtype(new.dtype):
        before, now = dtype_name(old.dtype), dtype_name(new.dtype)
        causes.append(Cause(path, "dtype", before, now, f"{path}: dtype {before} → {now}"))
    if old.any_rank:
        return causes
    if len(old.shape) != len(new.shape):
        before, now = _shape(old.shape), _shape(new.shape)
        text = f"{path}: rank {len(old.shape)} → {len(new.shape)} (shape {before} → {now})"
        causes.append(Cause(path, "rank", before, now, text))
    else:
        for axis, (was, length) in enumerate(zip(old.shape, new.shape, strict=True)):
            if was is not None and was != length:
                text = f"{path}: shape {_shape(old.shape)} → {_shape(new.shape)} at dimension {axis}"
                causes.append(Cause(path, "dimension", str(was), str(length), text, axis))
        if not old.fits_kind(new):
            before, now = ("NumPy scalar" if k is Kind.SCALAR else "0-d array" for k in (old.kind, new.kind))
            causes.append(Cause(path, "type", before, now, f"{path}: {before} → {now}"))
    return causes


def _shape(shape: tuple[Any, ...]) -> str:
    return f"({shape[0]},)" if len(shape) == 1 else f"({', '.join(map(str, shape))})"


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
