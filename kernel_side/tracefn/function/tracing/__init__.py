"""Making one trace: from the Python function on Tensors to a graph, its program, and the writes of each call."""
