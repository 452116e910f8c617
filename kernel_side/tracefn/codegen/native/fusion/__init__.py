"""Which nodes of a graph become one kernel, and the kernel's body."""
