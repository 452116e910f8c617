"""The values that a loop carries from round to round, and their state after the loop."""
