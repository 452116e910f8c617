"""Running programs: devices, and the fast path of a cached call."""
