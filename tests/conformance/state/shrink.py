"""Makes a program that disagrees smaller: leaves out statements and steps while it disagrees in the same way."""

import ast
import re
import signal

from conformance.state.compare import compare_source, pattern

SECONDS = 2
"""How long a smaller program may take."""

KEPT = ("from tracefn import", "STEPS")


def shrunk(source, name="shrunk", tries=400, same=None):
    """The smallest source that was found, and its outcome. `same(outcome)` tells whether it is still of the kind that
    is looked for."""
    outcome = compare_source(source, name)
    same = same or like(outcome)
    count, done = 0, 0
    if (step := re.match(r"step (\d+)", outcome.difference)) is not None:
        head, _, steps = source.partition("STEPS = [")
        steps = ast.literal_eval(f"[{steps}")[: int(step[1])]
        source = f"{head}STEPS = {steps!r}\n"
    while count < tries:
        for at, smaller in enumerate(candidates(source)):
            if at < done:
                continue
            count += 1
            found = _outcome(smaller, f"{name}_{count}")
            if found is not None and same(found):
                source, outcome, done = smaller, found, at
                break
            if count == tries:
                break
        else:
            if done == 0:
                break
            done = 0
    return source, outcome


def like(outcome):
    """Whether another outcome is of the same kind; which value differs may change."""

    def kind(outcome):
        if outcome.kind == "agrees":
            return {pattern(reason) for reason in outcome.fallbacks[:1]}
        if outcome.kind == "wrong":
            return "does not raise" in outcome.what, "traced has none" in outcome.difference
        return outcome.what

    return lambda other: other.kind == outcome.kind and kind(other) == kind(outcome)


def _outcome(source, name):
    """What comes of a smaller program; None where it does not end soon: a loop may have lost what ends it."""

    def too_long(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 0.2)
    try:
        return compare_source(source, name)
    except Exception:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def candidates(source):
    """Programs with less in them, those that lose most first."""
    tree = ast.parse(source)
    bodies = [
        (node, field)
        for node in ast.walk(tree)
        for field in ("body", "orelse", "finalbody", "decorator_list", "elts")
        if isinstance(getattr(node, field, None), list) and (field != "elts" or _is_steps(tree, node))
    ]
    bodies.sort(key=lambda found: found[1] != "elts")
    for node, field in bodies:
        items = getattr(node, field)
        size = len(items)
        while size:
            for start in reversed(range(0, len(items), size)):
                left = items[:start] + items[start + size :]
                if any(_kept(item) for item in items[start : start + size]) or (field == "elts" and not left):
                    continue
                setattr(node, field, left or ([ast.Pass()] if field == "body" else []))
                yield ast.unparse(ast.fix_missing_locations(tree))
                setattr(node, field, items)
            size //= 2
    for node, field in bodies:  # what is inside of a block instead of the block
        items = getattr(node, field)
        for at, item in enumerate(items):
            if isinstance(item, ast.If | ast.For | ast.While | ast.Try | ast.With):
                setattr(node, field, [*items[:at], *item.body, *items[at + 1 :]])
                yield ast.unparse(ast.fix_missing_locations(tree))
                setattr(node, field, items)


def _kept(item):
    return not isinstance(item, ast.expr) and ast.unparse(item).startswith(KEPT)


def _is_steps(tree, node):
    return any(isinstance(s, ast.Assign) and s.value is node and s.targets[0].id == "STEPS" for s in tree.body
               if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name))  # fmt: skip


def without_imports(source):
    """The program without the imports that it does not need, as it is shown."""
    lines = source.splitlines()
    used = "\n".join(line for line in lines if not re.match(r"(from|import) ", line))
    kept = []
    for line in lines:
        if re.match(r"(from|import) ", line) and not any(
            re.search(rf"\b{n}\b", used) for n in re.findall(r"\w+", line.split("import")[1].split(" as ")[-1])
        ):
            continue
        kept.append(line)
    return "\n".join(kept)
