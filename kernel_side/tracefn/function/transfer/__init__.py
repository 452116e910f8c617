"""Traces that were made for some objects, taken over for others of the same classes: no instance waits for a trace."""
