"""Parts of a program that are functions: on globals, inside a function, and on state that they are given."""

from conformance.state.places import Place
from conformance.state.units import METHODS, SHAPES, Unit, indented

DEFAULTS = {
    "seen=[]": ["seen.append(1)", "y = y + len(seen)"],
    "memo={}": ["memo['n'] = memo.get('n', 0) + 1", "y = y * memo['n']"],
    "start=0": ["y = y + start"],
}
"""Arguments with a default, and what is done with them."""


class Globals(Unit):
    """Functions of the module that read and write globals, containers and objects of the module."""

    def build(self):
        places = []
        style = self.rng.choice(("names", "names", "dict", "namespace"))
        owner = {"dict": "STATE", "namespace": "CONTEXT"}.get(style)
        members = []
        for kind in self.kinds(self.rng.randint(2, 4)):
            name = self.namer.name(kind)
            place = Place(kind, name, name, name, self.init(kind))
            if owner and self.rng.random() < 0.7:
                place.inside = place.outside = f"STATE['{name}']" if style == "dict" else f"CONTEXT.{name}"
                members.append(f"'{name}': {place.init}" if style == "dict" else f"{name}={place.init}")
            else:
                self.top.append(f"{name} = {place.init}")
            places.append(place)
        if members:
            text = ", ".join(members)
            self.top.append(f"STATE = {{{text}}}" if style == "dict" else f"CONTEXT = SimpleNamespace({text})")
        self.places = places
        self.outer = [*self.outer, *places]
        for number in range(self.rng.randint(1, 3)):
            shape = self.rng.choice(SHAPES)
            name = self.namer.name(self.rng.choice(METHODS))
            seen = self.rng.sample(places, self.rng.randint(1, len(places)))
            argument = "" if shape == "nothing" else "x"
            lines = self.body(shape, seen)
            if number and argument and self.rng.random() < 0.3:
                lines.insert(-1, f"helped = {self.calls[0][0].split('(')[0]}(x)") if self.calls[0][1] == shape else None
            default = ""
            if self.rng.random() < 0.12:
                default = self.rng.choice(list(DEFAULTS))
                lines[1:1] = DEFAULTS[default]
            header = f"def {name}({', '.join(filter(None, (argument, default)))}):"
            decorator = [] if number and self.rng.random() < 0.1 else ["@traced"]
            self.code += [*decorator, header, *indented(self.with_globals(lines)), "", ""]
            self.calls.append((f"{name}({{x}})" if argument else f"{name}()", shape))
        self.changes = [(p, p.outside) for p in places]
        return self


class Closure(Unit):
    """Functions inside a function, on its local variables."""

    def build(self):
        places, lines = [], []
        for kind in self.kinds(self.rng.randint(1, 3)):
            name = self.namer.name(kind)
            places.append(Place(kind, name, name, None, self.init(kind)))
            lines.append(f"{name} = {places[-1].init}")
        names = []
        for _ in range(self.rng.randint(1, 2)):
            shape = self.rng.choice(SHAPES)
            name = self.namer.name(self.rng.choice(METHODS))
            body = self.with_globals(self.body(shape, [*places, *self.rng.sample(self.outer, min(len(self.outer), 1))]))
            body = self.global_lines(body, "nonlocal", {p.inside for p in places})
            lines += ["", "@traced", f"def {name}({'' if shape == 'nothing' else 'x'}):", *indented(body)]
            names.append((name, shape))
        factory = self.namer.name("make")
        joined = ", ".join(name for name, _ in names)
        self.code += [f"def {factory}():", *indented(lines), "", f"    return {joined}", "", ""]
        twice = self.rng.random() < 0.3
        copies = ("", "_2") if twice else ("",)
        for copy in copies:
            self.code.append(f"{', '.join(name + copy for name, _ in names)} = {factory}()")
        self.calls = [(f"{n}{c}({'' if s == 'nothing' else '{x}'})", s) for c in copies for n, s in names]
        return self


class Given(Unit):
    """Functions on state that they are given: a dict, an object, a list or an array."""

    def build(self):
        style = self.rng.choice(("dict", "namespace", "object", "self-made"))
        parameter, holder = self.rng.choice((("state", "st"), ("model", "mod"), ("ctx", "context")))
        holder = self.namer.name(holder)
        members = []
        for kind in self.kinds(self.rng.randint(1, 3)):
            name = self.namer.name(kind)
            at = f"['{name}']" if style == "dict" else f".{name}"
            self.places.append(Place(kind, name, parameter + at, holder + at, self.init(kind)))
            members.append((name, self.places[-1].init))
        if style == "dict":
            self.top.append(f"{holder} = {{{', '.join(f'{n!r}: {i}' for n, i in members)}}}")
        elif style == "namespace":
            self.top.append(f"{holder} = SimpleNamespace({', '.join(f'{n}={i}' for n, i in members)})")
        else:
            cls = self.namer.name("Holder")
            if style == "object":
                head = [
                    f"class {cls}:",
                    "    def __init__(self):",
                    *indented([f"self.{n} = {i}" for n, i in members], 2),
                ]
            else:
                head = ["@dataclass", f"class {cls}:"]
                head += [f"    {n}: object = field(default_factory=lambda: {i})" for n, i in members]
            self.top += [*head, "", "", f"{holder} = {cls}()"]
        for _ in range(self.rng.randint(1, 2)):
            shape = self.rng.choice([s for s in SHAPES if s != "nothing"])
            name = self.namer.name(self.rng.choice(METHODS))
            body = self.body(shape, self.places)
            if style != "dict" and self.rng.random() < 0.15:
                body[-1] = f"return {parameter}"
            self.code += ["@traced", f"def {name}({parameter}, x):", *indented(self.with_globals(body)), "", ""]
            self.calls.append((f"{name}({holder}, {{x}})", shape))
        self.changes = [(p, p.outside) for p in self.places]
        return self
