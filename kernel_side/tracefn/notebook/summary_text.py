"""The summary of a cell as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracefn.timing.units import count, duration

if TYPE_CHECKING:
    from tracefn.notebook.summary import SignatureLine, Summary


def summary_text(summary: Summary) -> str:
    """A few lines: each function, its signatures in columns, below each what there is to say about it."""
    lines = [summary.headline()]
    for block in summary.functions.values():
        lines.append(block.name)
        signatures = sorted(block.signatures.values(), key=lambda line: line.trace)
        rows = [facts(line) for line in signatures]
        widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
        for line, row in zip(signatures, rows, strict=True):
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            lines.append(("  " + "  ".join(cell for cell in cells if cell)).rstrip())
            lines += [f"       {text}" for text in remarks(line)]
    lines += [f"{timing.name}: {timing.text}" for timing in summary.timings]
    return "\n".join([*lines, *summary.notes])


def facts(line: SignatureLine) -> list[str]:
    """What the columns show: number, cost of the trace, nodes before and after the passes, calls, signature."""
    return [
        f"#{line.trace}",
        duration(line.cost_ns) if line.traced_here and line.cost_ns is not None else "traced before",
        f"{line.nodes[0]} → {line.nodes[1]} nodes" if line.nodes else "",
        count(line.calls, "call"),
        line.text,
    ]


def remarks(line: SignatureLine) -> list[str]:
    """Why the signature was traced although others were there, and what failed."""
    said = (("retraced", line.reason), ("failed", line.error))
    return [f"{what}: {text}" for what, text in said if text]
