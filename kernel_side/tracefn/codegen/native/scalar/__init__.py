"""Machine code for one element: a rule for each operation, and the functions that these call."""
