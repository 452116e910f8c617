"""Making one trace: from the Python function on Tensors to a graph, its program, and what each call writes."""
