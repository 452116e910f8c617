"""Native programs: regions of a graph as machine code, made with llvmlite."""
