"""The state of a trace: the places outside its arguments that its calls read, guard or write."""

from __future__ import annotations

import dataclasses

from ..function import ConcreteFunction
from ..ir.op import CAPTURE
from ..records import dataclass
from ..trace.state.paths import Path
from ..trace.state.use import Use, uses


@dataclass(frozen=True, slots=True)
class OutsideRead:
    """One place.

    `how` is 'by reference' (read anew at every call), 'guard' (compared at every call, another value retraces),
    'identity' (the object is compared, not its content) or 'constant' (its content is in the graph and compared at
    every call), or 'store' for one that is written and not read. `use` is that of the whole place: 'read', 'written' or
    'both'. `changed` names the parts of it that have changed since the trace without being compared.
    """

    path: str
    how: str
    value: str
    changed: str = ""
    use: str = Use.READ.value

    @property
    def text(self) -> str:
        if self.how == "store":
            return f"{self.path} ({_HOW[self.how]})"
        written = "; written at every call" if self.use == Use.BOTH.value else ""
        changed = f"; changed since the trace, and not compared: {self.changed}" if self.changed else ""
        return f"{self.path}: {self.value} ({_HOW[self.how]}{written}{changed})"


_HOW = {
    "by reference": "read at every call",
    "guard": "another value retraces",
    "identity": "another object retraces; its contents are not compared, except for those listed here",
    "constant": "its content is in the graph; a change retraces",
    "store": "written at every call",
}


def outside_reads(concrete: ConcreteFunction) -> tuple[OutsideRead, ...]:
    """All that the calls of a trace read and write in globals, closure cells, attributes and containers."""
    target = concrete._execution.target
    found = []
    for capture, spec in zip(target.captures, target.capture_specs, strict=True):
        path = capture.text if isinstance(capture, Path) else "an array without a name"
        found.append(OutsideRead(path, "by reference", spec.text))
    for value in target.values:
        if value.what in ("instance", "subclass"):
            cls, answer = value.value
            found.append(OutsideRead(f"is{value.what}({value.path.text}, {cls.__name__})", "guard", str(answer)))
        elif value.what in ("with", "without"):
            shown = "set" if value.what == "with" else "not set"
            found += [OutsideRead(value.text_of(key), "guard", shown) for key in value.value]
        elif value.what != "bound":  # of a method, which is among the identities
            what = "" if value.what == "value" else f" {value.what}"
            found.append(OutsideRead(value.path.text + what, "guard", _short(repr(value.value))))
    for identity in target.identities:
        name = getattr(identity.target, "__qualname__", None) or type(identity.target).__name__
        found.append(OutsideRead(identity.path.text, "identity", name))
    for content in target.contents:
        shown = f"{content.dtype}{list(content.shape)}"
        if content.described:
            found.append(OutsideRead(content.path.text, "guard", f"{shown}, shape and dtype"))
        else:
            found.append(OutsideRead(content.path.text, "constant", shown))
    changed = concrete._execution.changed_since()
    found = [
        dataclasses.replace(r, changed=changed.get(r.path.removesuffix(" length").removesuffix(" keys"), ""))
        for r in found
    ]
    updated = {n.inputs[0].args[0] for n in concrete.graph.nodes if n.op.name == "update" and n.inputs[0].op is CAPTURE}
    use = uses((r.path for r in found), concrete._built.stored | updated)
    found = [dataclasses.replace(r, use=use[r.path].value) for r in found]
    found += [OutsideRead(path, "store", "", use=u.value) for path, u in use.items() if u is Use.WRITTEN]
    return tuple(sorted(found, key=lambda r: r.path))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
