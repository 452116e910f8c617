"""Variables in a trace: what they hold, and how they act as arrays."""
