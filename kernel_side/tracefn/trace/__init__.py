"""Tracing: symbolic arrays that record what NumPy code does to them."""
