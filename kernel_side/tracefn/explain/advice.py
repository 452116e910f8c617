"""The exact change that makes one trace do: as code, proposed only if a replay of the logged calls obstacle it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ..errors import TracefnError
from ..events.units import count
from ..function import Function
from ..function.history.call_log import OPEN, Form
from ..function.history.traces import TraceRecord
from ..function.input_signature import Declared
from ..function.traced import FUNCTIONS
from ..ir.place import Source
from ..records import dataclass
from ..trace.origin import where
from ..trace.signature import CallSignature, ObjectSpec, TensorSpec
from ..trace.tree import Tree
from .other_policies import Outcome, replayed
from .policies import BOTH, HOISTED, OUTSIDE, RELAXED, SCALARS, STATIC
from .specs import cast_spec, obstacle, tensor_of


@dataclass(frozen=True, slots=True)
class Fix:
    """A change to make. `kind` is 'input_signature', 'reduce_retracing', 'cast', 'outside', 'hoist' or 'static'. `code`
    is the code: the argument of the decorator, the value to pass or to assign; `text` says it in a sentence; `short`
    is a few words for a button.
    `casts` maps the paths of arguments to the values to pass for them.

    `before` is the number of traces that there were, `after` how many there would have been, as the replay says.
    `unverified` says why the function was not traced once more with the change, where it was not: then only the keys
    and graphs of the calls so far speak for it.
    """

    kind: str
    code: str
    text: str
    short: str
    before: int
    after: int
    casts: dict[str, str] = dataclasses.field(default_factory=dict)
    unverified: str = ""

    @property
    def sentence(self) -> str:
        """The whole advice: the change, the number of traces that it would have saved, and the part that is not
        proved."""
        saved = f"{self.before - self.after} of {count(self.before, 'trace')} would not have happened"
        doubt = f" (not tried: {self.unverified}; keys and graphs of the calls agree)" if self.unverified else ""
        return f"{self.text} – {saved}{doubt}"

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self) | {"sentence": self.sentence}


def advise(function: Function, may_run: bool = True) -> Fix | None:
    """The change that saves the most traces and changes no result. None where none is known.

    The replay says how many traces would have been made; a trial, for which the function is traced once more, that one
    trace can serve the calls with results of the same types. A change that cannot be tried is proposed only where no
    other is proved, and says so. Where it `may_run` no code of the user's, only fixes that
    were tried before are known.
    """
    with function._lock:
        found = replayed(function)
        safe = sorted((o for o in found.outcomes if not o.changes), key=lambda o: o.traces)
        unproved: Fix | None = None
        for outcome in safe:
            fix = _MAKERS[outcome.policy](function, outcome, found.traces)
            if fix is not None and fix.after < fix.before:
                refused = obstacle(function, outcome, may_run)
                if refused is None:
                    return fix
                if refused.kind == "untried" and unproved is None:
                    unproved = dataclasses.replace(fix, unverified=refused.text)
        return unproved


def find_fix(function_id: str) -> bool:
    """Looks for a fix of the function with this id, for a front end, which knows functions by their ids. True if there
    is one: an explanation has it then. The function may be traced once more."""
    function = FUNCTIONS.living(function_id)
    return function is not None and advise(function) is not None


def _cast(function: Function, outcome: Outcome, before: int) -> Fix | None:
    codes = {path: outcome.casts.get(path, f"np.asarray({path})") for path in outcome.arguments}
    said = ", ".join(f"{path} as {code}" for path, code in codes.items())
    return Fix("cast", ", ".join(codes.values()), f"pass {said}", said, before, outcome.traces, codes)


def _relax(function: Function, outcome: Outcome, before: int) -> Fix | None:
    """An `input_signature` if one can be written, else `reduce_retracing=True`, which needs a trace more."""
    specs = _least_general(function, {})
    if specs is not None and _accepts_all(function, specs, {}):
        short = ", ".join(f"{name}: {_shapes(spec)}" for name, spec in specs.items())
        code = f"input_signature=[{', '.join(_source(s) for s in specs.values())}]"
        return Fix("input_signature", code, f"declare {code}", short, before, outcome.traces)
    if function.reduce_retracing:
        return None
    code = "reduce_retracing=True"
    return Fix("reduce_retracing", code, f"decorate with {code}", code, before, outcome.traces + 1)


def _cast_and_relax(function: Function, outcome: Outcome, before: int) -> Fix | None:
    specs = _least_general(function, outcome.casts)
    if specs is None or not _accepts_all(function, specs, outcome.casts):
        return None
    code = f"input_signature=[{', '.join(_source(s) for s in specs.values())}]"
    casts = ", ".join(f"{path} as {cast}" for path, cast in outcome.casts.items())
    short = ", ".join(f"{name}: {_shapes(spec)}" for name, spec in specs.items())
    text = f"declare {code} and pass {casts}"
    return Fix("input_signature", code, text, short, before, outcome.traces, dict(outcome.casts))


def _hoist(function: Function, outcome: Outcome, before: int) -> Fix | None:
    names = ", ".join(outcome.arguments)
    text = f"make the function for {names} once, before the calls, instead of anew for each"
    call = function._history.records[-1].call
    leaves = [leaf for p, leaf in zip(call.paths, call.leaves, strict=True) if p in outcome.arguments]
    codes = [leaf.code for leaf in leaves if isinstance(leaf, ObjectSpec)]
    if codes and codes[0] is not None:
        text += f" ({where(Source(codes[0].co_filename, codes[0].co_firstlineno))})"
    return Fix("hoist", "", text, f"hoist {names}", before, outcome.traces)


def _outside(function: Function, outcome: Outcome, before: int) -> Fix | None:
    if set(outcome.casts) != set(outcome.arguments):
        return None
    names = {path: path.rpartition(" ")[2] for path in outcome.arguments}
    code = "\n".join(f"{name} = {outcome.casts[path]}" for path, name in names.items())
    said = ", ".join(names.values())
    one = "an array" if len(names) == 1 else "arrays"
    text = f"pass {said} as an argument, or keep {one} there: {code.replace(chr(10), '; ')}"
    return Fix("outside", code, text, f"{said} as {one}", before, outcome.traces)


def _keep(function: Function, outcome: Outcome, before: int) -> Fix | None:
    names = ", ".join(outcome.arguments)
    text = f"keep one object for {names} (the objects that were passed are equal)"
    return Fix("static", "", text, f"one object for {names}", before, outcome.traces)


_MAKERS = {
    SCALARS.name: _cast,
    RELAXED.name: _relax,
    BOTH.name: _cast_and_relax,
    STATIC.name: _keep,
    HOISTED.name: _hoist,
    OUTSIDE.name: _outside,
}


def _least_general(function: Function, casts: dict[str, str]) -> dict[str, Any] | None:
    """The narrowest spec of each parameter that covers all logged calls; None where there can be none.

    Parameters that are left out come last, and have defaults.
    """
    forms = list(function._log.forms)
    leaves = _merged(function, forms, casts)
    if leaves is None:
        return None
    found: dict[str, Any] = {}
    position = 0
    for parameter, (name, tree) in zip(function._parameters.parameters, forms[0].trees, strict=True):
        specs = leaves[position : position + tree.count()]
        position += tree.count()
        kinds = (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        if not found and name == "self":
            return None
        if parameter.kind not in kinds or not all(isinstance(s, TensorSpec) for s in specs) or not _is_plain(tree):
            rest = function._parameters.parameters[len(found) :]
            without = [p for p in rest if p.kind in (*kinds, p.KEYWORD_ONLY) and p.default is p.empty]
            return found if found and not without else None
        found[name] = _structured(tree, iter(specs))
    return found or None


def _merged(function: Function, forms: Sequence[Form], casts: dict[str, str]) -> list[Any] | None:
    """For each leaf a `TensorSpec` that covers it in all forms, or None for a leaf that is no tensor."""
    if any(form.trees != forms[0].trees for form in forms):
        return None
    found: list[Any] = []
    for leaf, path in enumerate(forms[0].paths):
        described = {tensor_of(form.leaves[leaf], casts.get(path)) for form in forms}
        if len(described) > 1:
            return None
        (kind,) = described
        if kind is None:
            found.append(None)
            continue
        lengths: list[set[int]] = [set() for _ in range(kind[1])]
        for form, rows in function._log.forms.items():
            for number, column in enumerate(form.columns):
                if column.leaf == leaf and column.kind == "length":
                    lengths[column.axis].update(rows.column(number))
        shape = [n if len(seen) == 1 and (n := next(iter(seen))) != OPEN else None for seen in lengths]
        found.append(TensorSpec(shape, kind[0]))
    return found


def _is_plain(tree: Tree) -> bool:
    plain = tree.is_leaf or (tree.kind in ("tuple", "list") or tree.type is dict)
    return plain and all(_is_plain(t) for t in tree.children)


def _structured(tree: Tree, leaves: Any) -> Any:
    if tree.is_leaf:
        return next(leaves)
    children = [_structured(t, leaves) for t in tree.children]
    if tree.kind == "dict":
        return dict(zip(tree.keys, children, strict=True))
    return tuple(children) if tree.kind == "tuple" else children


def _accepts_all(function: Function, specs: dict[str, Any], casts: dict[str, str]) -> bool:
    """True if the signature takes every call that is remembered, after the casts."""
    try:
        declared = Declared(function.name, function._parameters, list(specs.values()))
        signatures = [declared.check(_as_cast(record, casts)) for record in function._history.records]
    except TracefnError:
        return False
    return len({s.key() for s in signatures}) < len(signatures)


def _as_cast(record: TraceRecord, casts: dict[str, str]) -> CallSignature:
    leaves = list(record.call.leaves)
    for position, path in enumerate(record.call.paths):
        leaves[position] = cast_spec(leaves[position], casts.get(path)) or leaves[position]
    return dataclasses.replace(record.call, leaves=tuple(leaves))


def _source(spec: Any) -> str:
    """The code that makes a spec."""
    if isinstance(spec, TensorSpec):
        shape = f"({spec.shape[0]},)" if len(spec.shape) == 1 else f"({', '.join(map(str, spec.shape))})"
        dtype = f"np.{spec.dtype.name}" if spec.dtype.kind in "biufc" else repr(spec.dtype.str)
        return f"tracefn.TensorSpec({shape}, {dtype})"
    if isinstance(spec, dict):
        return "{" + ", ".join(f"{k!r}: {_source(v)}" for k, v in spec.items()) + "}"
    inner = ", ".join(map(_source, spec))
    return f"[{inner}]" if isinstance(spec, list) else f"({inner}{',' if len(spec) == 1 else ''})"


def _shapes(spec: Any) -> str:
    if isinstance(spec, TensorSpec):
        return f"({spec.shape[0]},)" if len(spec.shape) == 1 else f"({', '.join(map(str, spec.shape))})"
    parts = [f"{k!r}: {_shapes(v)}" for k, v in spec.items()] if isinstance(spec, dict) else map(_shapes, spec)
    return f"{{{', '.join(parts)}}}" if isinstance(spec, dict) else f"[{', '.join(parts)}]"
