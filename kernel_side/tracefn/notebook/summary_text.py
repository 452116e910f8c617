"""The summary of a cell as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracefn.events.units import count, duration, shortened

if TYPE_CHECKING:
    from tracefn.notebook.summary import FunctionBlock, SignatureLine, Summary

# Of more signatures than these together, the first and the last are shown.
SHOWN_FIRST, SHOWN_LAST = 4, 8


def summary_text(summary: Summary) -> str:
    """A few lines: each function, its signatures in columns, below each the remarks about it."""
    lines = [summary.headline()]
    for block in summary.functions.values():
        lines.append(block.name)
        first, left_out, last = shown(block)
        rows = [facts(line) for line in first + last]
        widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
        for number, (line, row) in enumerate(zip(first + last, rows, strict=True)):
            if left_out and number == len(first):
                lines.append(f"  {left_out}")
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            lines.append(("  " + "  ".join(cell for cell in cells if cell)).rstrip())
            lines += [f"       {text}" for text in remarks(line)]
    lines += [f"{timing.name}: {timing.text}" for timing in summary.timings]
    return "\n".join([*lines, *summary.notes])


def shown(block: FunctionBlock) -> tuple[list[SignatureLine], str, list[SignatureLine]]:
    """The signatures to show, in the order of their traces: some, a note of those left out between, and the others."""
    lines = sorted(block.signatures.values(), key=lambda line: line.trace)
    if len(lines) <= SHOWN_FIRST + SHOWN_LAST:
        return lines, "", []
    between = lines[SHOWN_FIRST:-SHOWN_LAST]
    cost = duration(sum(line.cost_ns or 0 for line in between if line.traced_here))
    calls = count(sum(line.calls for line in between), "call")
    return lines[:SHOWN_FIRST], f"… {len(between)} more signatures: {cost}, {calls}", lines[-SHOWN_LAST:]


def facts(line: SignatureLine) -> list[str]:
    """The columns: number, cost of the trace, nodes before and after the passes (or time of eager calls), calls,
    signature."""
    is_eager = line.eager is not None
    before = "" if is_eager else "traced before"
    return [
        "eager" if is_eager else f"#{line.trace}",
        duration(line.cost_ns) if line.traced_here and line.cost_ns is not None else before,
        f"{line.nodes[0]} → {line.nodes[1]} nodes" if line.nodes else duration(line.spent_ns) if is_eager else "",
        count(line.calls, "call"),
        shortened(line.text),
    ]


def remarks(line: SignatureLine) -> list[str]:
    """Why the signature was traced although others were there, and its failures."""
    why = f"{line.reason}. {line.verdict}" if line.reason and line.verdict else line.reason
    said = (("retraced", why), ("failed", line.error), ("runs eagerly", line.eager))
    return [f"{what}: {text}" for what, text in said if text]
