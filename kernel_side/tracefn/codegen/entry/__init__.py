"""Machine code that CPython calls: of a whole call of a traced function, and of its methods."""
