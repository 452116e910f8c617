"""Calls that run the Python function itself, and the way back to traces."""
