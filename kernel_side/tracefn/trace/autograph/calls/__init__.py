"""Calls in rewritten code: the user's functions, Python's own, NumPy's makers, other libraries."""
