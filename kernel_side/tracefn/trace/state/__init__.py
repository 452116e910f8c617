"""State: every place outside the locals of a call that it reads or writes.

`place.py` is one place and `journal.py` the writes of a trace; `paths.py` is the way on which later calls find a place.
Reads come from the code (`reads.py`, `resolve.py`) and from the hooks of rewritten code while it runs (`observe.py`).
"""
