"""Kernels of elementwise operations, reductions and scans: loop nests over whole arrays."""
