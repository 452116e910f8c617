"""NumPy's functions on traced values."""
