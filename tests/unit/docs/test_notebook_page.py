"""The cells of docs/notebook.md run, in order, in a real kernel."""

from __future__ import annotations

import re
from pathlib import Path

from unit.notebook.real_kernel import real_kernel

PAGE = Path(__file__).resolve().parents[3] / "docs" / "notebook.md"


def test_the_cells_of_the_page_run():
    cells = re.findall(r"^```ipython\n(.*?)^```", PAGE.read_text(), flags=re.M | re.S)
    assert len(cells) > 5
    shown = []
    with real_kernel() as kernel:
        for cell in cells:
            published = kernel.run(cell)
            assert kernel.reply["content"]["status"] == "ok", (cell, kernel.reply["content"].get("evalue"))
            data = [m["content"]["data"] for m in published if m["msg_type"] in ("display_data", "execute_result")]
            shown.append([each["text/plain"] for each in data])
    summaries = [text for texts in shown for text in texts if text.startswith("tracefn: ")]
    assert len(summaries) == sum("%tracefn" in cell for cell in cells)
    first = without_times(summaries[0])
    printed = "\n".join(line[4:] for line in PAGE.read_text().splitlines() if line.startswith("    "))
    assert first in without_times(printed)


def without_times(text):
    """The text with all times alike, and one space where columns are aligned by them."""
    return re.sub(r" +", " ", re.sub(r"[\d.]+ [mµ]s", "…", text))
