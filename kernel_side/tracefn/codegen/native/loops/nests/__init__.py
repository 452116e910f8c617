"""Loop nests over arrays inside kernels of loops."""
