"""What the tests of this folder share: the reports of side effects, and the lines of marked statements."""

import inspect

import tracefn


def side_effects(function, *args):
    """The side effects that a call reports: (kind, line, alternative) of each, in order."""
    with tracefn.events.record() as events:
        function(*args)
    return [(e.kind, e.location.line, e.alternative) for e in events if e.type == "side_effect"]


def line_of(function, mark):
    """The line number of the statement that ends in the comment `# mark`."""
    lines, first = inspect.getsourcelines(getattr(function, "python_function", function))
    (found,) = (first + i for i, line in enumerate(lines) if line.rstrip().endswith(f"# {mark}"))
    return found


def size(function, *args):
    """The number of nodes in the graph of a signature."""
    return len(function.get_concrete_function(*args).graph)
