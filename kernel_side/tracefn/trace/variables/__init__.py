"""Variables in a trace: their values, and how they act as arrays."""
