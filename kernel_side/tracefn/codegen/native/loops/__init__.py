"""Kernels of Python loops: from a staged loop to machine code."""
