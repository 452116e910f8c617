"""Sweeps: times over the size of the arguments, eager and graph, and how they grow."""
