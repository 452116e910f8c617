"""Recording: how a call of an op becomes a node of the graph."""
