"""What all parts of a program have in common: how the body of a function is made, and what it binds."""

import ast
import textwrap

from conformance.state.kinds import KINDS, pick
from conformance.state.statements import Scope

SHAPES = ("vector",) * 9 + ("batch",) * 6 + ("nothing",) * 3 + ("number",) * 2
METHODS = """forward backward step update observe push record value fit evaluate tick predict score accumulate
advance apply""".split()


def indented(lines, by=1):
    return [textwrap.indent(line, "    " * by) for line in lines]


def assigned(lines):
    """Names that a body binds or deletes."""
    tree = ast.parse("\n".join(lines))
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}


class Unit:
    """What a program gains by it: `top` and `code` for the module, `calls` for the driver (call and shape of its
    argument), `changes` between calls, `places` of the module that others may use."""

    def __init__(self, rng, namer, outer):
        self.rng, self.namer, self.outer = rng, namer, outer
        self.top, self.code, self.calls, self.changes, self.tags = [], [], [], [], []
        self.places = []

    def kinds(self, count):
        return self.rng.choices(list(KINDS), [kind.weight for kind in KINDS.values()], k=count)

    def init(self, kind):
        return pick(self.rng, KINDS[kind].init)

    def body(self, shape, places, count=None, extra=()):
        """The lines of a function."""
        scope = Scope(self.rng, places, shape)
        lines = scope.statements(self.rng.choice((1, 2, 2, 3, 3, 4)) if count is None else count)
        for part in extra:
            if scope.fits(part):
                filled = [line for text in part for line in scope.fill(text)]
                lines = filled + lines if self.rng.random() < 0.5 else lines + filled
        if self.rng.random() < 0.09:
            condition = self.rng.choice((scope.cond, scope.pcond))()
            at = self._between(lines)
            lines[at:at] = [f"if {condition}:", f"    raise {self.rng.choice(RAISED)}"]
        if self.rng.random() < 0.05:
            at = self._between(lines)
            lines[at:at] = [f"if {scope.pcond()}:", f"    return {scope.num()}"]
        if self.rng.random() < 0.05:
            lines = ["try:", *indented(lines), "except (ValueError, TypeError, KeyError):", "    y = -1.0"]
        self.tags += scope.tags
        return [scope.beginning(), *lines, scope.ending()]

    def _between(self, lines):
        starts = [i for i, line in enumerate(lines) if not line.startswith((" ", "else", "elif", "except", "finally"))]
        return self.rng.choice([*starts, len(lines)])

    def global_lines(self, lines, word, names):
        """`global` or `nonlocal` for the names of places that a body binds."""
        bound = sorted(assigned(lines) & names)
        return [f"{word} {', '.join(bound)}", *lines] if bound else lines

    def with_globals(self, lines):
        return self.global_lines(lines, "global", {p.inside for p in self.outer if p.inside.isidentifier()})


RAISED = (
    "ValueError('bad value')",
    "RuntimeError(f'bad {np.sum(y):.3f}')",
    "KeyError('missing')",
    "IndexError('out of range')",
)
