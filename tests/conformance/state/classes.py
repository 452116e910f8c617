"""The part of a program that is a class, with its objects."""

import re

from conformance.state.idioms import idioms
from conformance.state.places import Place
from conformance.state.units import METHODS, SHAPES, Unit, indented


class Class(Unit):
    """A class with its objects."""

    def build(self):
        rng = self.rng
        self.name = self.namer.name(rng.choice(("Model", "Tracker", "Filter", "Sim", "Learner", "Monitor")))
        self.objects = [self.namer.name("m")]
        style = rng.choices(("plain", "inherits", "ABC", "dataclass", "slots"), (11, 4, 2, 2, 1))[0]
        self.init_lines, self.class_lines, self.properties = [], [], []
        self.part = self.namer.name("Part") if rng.random() < 0.3 else None
        self.part_lines = []
        places = [self._place(kind) for kind in self.kinds(rng.randint(2, 5))]
        chosen = rng.choices(idioms(), [i.weight for i in idioms()], k=rng.choices((0, 1, 2), (30, 50, 20))[0])
        chosen = [i for i in {i.name: i for i in chosen}.values() if not self._cannot_set(i)]
        self.tags += [f"idiom: {idiom.name}" for idiom in chosen]
        methods = self._methods(places, chosen)
        self._write(style, methods, chosen, places)
        self.places = places
        return self

    def _cannot_set(self, idiom):
        """True for an idiom with a property that has the name of an attribute, and cannot be set."""
        names = {key.partition(" ")[2] for key in idiom.methods if key.startswith("property ")}
        only_read = {name for name in names if f"{name}.setter" not in names}
        return any(line.startswith(f"self.{name} = ") for name in only_read for line in self.init_lines)

    def _place(self, kind):
        rng, init = self.rng, self.init(kind)
        name = self.namer.name(kind)
        first = self.objects[0]
        roll = rng.random()
        if self.part and roll < 0.35:
            where = rng.choice(("part", "part", "layers[0]", "layers[-1]"))
            self.part_lines.append(f"self.{name} = {init}")
            return Place(kind, name, f"self.{where}.{name}", f"{first}.{where}.{name}", init)
        if roll > 0.93:
            self.class_lines.append(f"{name} = {init}")
            owner = rng.choice((self.name, self.name, "type(self)", "self", "self.__class__"))
            return Place(kind, name, f"{owner}.{name}", f"{self.name}.{name}", init)
        if roll > 0.86:
            self.init_lines.append(f"self._{name} = {init}")
            self.properties += ["@property", f"def {name}(self):", f"    return self._{name}", ""]
            self.properties += [f"@{name}.setter", f"def {name}(self, value):", f"    self._{name} = value", ""]
        elif roll > 0.78:
            self.init_lines.append(f"self.slots_{name} = {{'{name}': {init}, 'other': 1}}")
            return Place(kind, name, f"self.slots_{name}['{name}']", f"{first}.slots_{name}['{name}']", init)
        elif roll > 0.76:
            self.init_lines.append(f"self.box_{name} = [{init}, 'spare']")
            return Place(kind, name, f"self.box_{name}[0]", f"{first}.box_{name}[0]", init)
        else:
            self.init_lines.append(f"self.{name} = {init}")
        return Place(kind, name, f"self.{name}", f"{first}.{name}", init)

    def _methods(self, places, chosen):
        rng, methods = self.rng, []
        names = rng.sample(METHODS, rng.randint(2, 4))
        homes = {idiom.name: rng.randrange(len(names)) for idiom in chosen}
        for number, name in enumerate(names):
            extra = [idiom.body for idiom in chosen if homes[idiom.name] == number]
            shape = rng.choice([s for s in SHAPES if s in ("vector", "batch")] if extra else SHAPES)
            if any(idiom.shape for idiom in chosen if homes[idiom.name] == number):
                shape = "batch"
            seen = rng.sample(places, rng.randint(1, len(places)))
            seen += rng.sample(self.outer, min(len(self.outer), rng.choice((0, 0, 1))))
            count = rng.choice((0, 1, 1, 2)) if extra else None
            lines = self._aliased(self.body(shape, seen, count, extra))
            same = [m for m in methods if m[1] == shape]
            if same and rng.random() < 0.3:
                argument = "" if shape == "nothing" else rng.choice(("x", "x", "x + 1"))
                lines.insert(-1, f"self.{rng.choice(same)[0]}({argument})")
            methods.append((name, shape, lines, rng.random() < 0.88 or number == 0))
        if rng.random() < 0.4:
            kept = rng.sample(places, rng.randint(1, len(places)))
            lines = [f"{p.inside} = {p.init}" for p in kept]
            methods.append(("reset", "nothing", lines, rng.random() < 0.7))
        return methods

    def _aliased(self, lines):
        """With a local name for a part of the object, as people write it."""
        for text, name in (("self.part.", "part"), ("self.layers[0].", "layer"), ("self.layers[-1].", "layer")):
            if any(text in line for line in lines) and self.rng.random() < 0.4:
                return [f"{name} = {text[:-1]}", *(line.replace(text, f"{name}.") for line in lines)]
        return lines

    def _write(self, style, methods, chosen, places):
        rng = self.rng
        for idiom in chosen:
            self.top += ["", *idiom.top, ""] if idiom.top else []
            self.init_lines += idiom.init
        if self.part:
            if "layers" in "".join(p.inside for p in places) or rng.random() < 0.3:
                self.init_lines.append(f"self.layers = [{self.part}(), {self.part}()]")
            self.init_lines.append(f"self.part = {self.part}()")
            self.top += [
                f"class {self.part}:",
                "    def __init__(self):",
                *indented(self.part_lines or ["self.k = 1"], 2),
                "",
            ]
        init, base = self.init_lines or ["pass"], ""
        if style == "inherits":
            base = self.namer.name("Base")
            half = len(init) // 2
            hook = rng.choice(("calls_of_base", "touched"))
            self.top += [
                f"class {base}:",
                "    def __init__(self):",
                *indented([f"self.{hook} = 0", *init[:half]], 2),
                "",
            ]
            decorator = rng.choice((["@traced"], []))
            self.top += indented(
                [*decorator, "def touch(self, x):", f"    self.{hook} += 1", "    return x * self." + hook], 1
            )
            self.top += [""]
            init = ["super().__init__()", *init[half:]]
            if "touch" not in "".join(name for name, *_ in methods):
                self.calls.append((f"{self.objects[0]}.touch({{x}})", "vector"))
            if rng.random() < 0.4:
                lines = ["y = super().touch(x) + 1", *self.body("vector", places[:2])[1:]]
                methods.append(("touch", "vector", lines, rng.random() < 0.8))
        if style == "ABC":
            base = self.namer.name("Base")
            self.top += [
                f"class {base}(ABC):",
                "    @abstractmethod",
                f"    def {methods[0][0]}(self, x):",
                "        ...",
                "",
            ]
        lines = [*self.class_lines]
        if style == "slots" and not self.class_lines:
            names = sorted(set(re.findall(r"self\.(\w+)(?:, self\.\w+)* =", "\n".join(init))) | {"__weakref__"})
            names += sorted({n for m in methods for n in re.findall(r"self\.(\w+)\b", "\n".join(m[2]))} - set(names))
            taken = {m[0] for m in methods} | set(re.findall(r"def (\w+)\(self", "\n".join(self.properties)))
            taken |= {re.split(r"[ (.]", key)[1] for idiom in chosen for key in idiom.methods}
            lines.append(f"__slots__ = {tuple(n for n in names if n not in taken)}")
        if style == "dataclass":
            match = [re.fullmatch(r"self\.(\w+) = (.*)", line) for line in init]
            fields = [m for m in match if m and not re.search(r"\bself\b", m[2])]
            rest = [line for line, m in zip(init, match, strict=True) if m not in fields]
            lines += [f"{m[1]}: object = field(default_factory=lambda: {m[2]})" for m in fields]
            lines += ["", "def __post_init__(self):", *indented(rest or ["pass"])]
        else:
            lines += ["", "def __init__(self):", *indented(init)]
        lines += ["", *self.properties]
        for name, shape, body, decorated in methods:
            argument = "" if shape == "nothing" else ", x"
            lines += ["@traced"] if decorated else []
            lines += [f"def {name}(self{argument}):", *indented(self.with_globals(body)), ""]
            self.calls.append((f"{self.objects[0]}.{name}({'{x}' if argument else ''})", shape))
        for idiom in chosen:
            lines += self._idiom_methods(idiom)
        heading = f"class {self.name}({base}):" if base else f"class {self.name}:"
        self.code += [*(["@dataclass"] if style == "dataclass" else []), heading, *indented(lines), "", ""]
        self._objects(places, chosen)

    def _idiom_methods(self, idiom):
        lines = []
        for key, body in idiom.methods.items():
            word, _, name = key.partition(" ")
            name, _, arguments = name.partition("(")
            arguments = arguments.rstrip(")")
            if word == "property":
                name, _, setter = name.partition(".")
                lines += [f"@{name}.setter" if setter else "@property"]
                lines += [f"def {name}(self{', value' if setter else ''}):", *indented(body), ""]
                continue
            lines += ["@traced"] if word == "method" and self.rng.random() < 0.85 else []
            lines += [f"def {name}(self{', ' + arguments if arguments else ''}):", *indented(body), ""]
            if word == "method":
                self.calls.append((f"{self.objects[0]}.{name}()", "nothing"))
        return lines

    def _objects(self, places, chosen):
        first = self.objects[0]
        self.code.append(f"{first} = {self.name}()")
        if self.rng.random() < 0.3:
            second = self.namer.name("m")
            self.code.append(f"{second} = {self.name}()")
            shared = [p for p in places if p.outside.startswith(f"{first}.")]
            if shared and self.rng.random() < 0.6:
                place = self.rng.choice(shared).outside
                self.code.append(f"{place.replace(first, second, 1)} = {place}")
            self.calls += [(call.replace(first, second, 1), shape) for call, shape in self.calls]
            if self.rng.random() < 0.3:
                self.changes.append((None, f"{second} = {self.name}()"))
        if self.rng.random() < 0.15:
            self.changes.append((None, f"{first} = {self.name}()"))
        if self.rng.random() < 0.08:
            self.changes.append((None, f"{first} = copy.deepcopy({first})"))
        self.changes += [(p, p.outside) for p in places]
        self.changes += [(None, text.replace("<o>", first)) for idiom in chosen for text in idiom.change]
