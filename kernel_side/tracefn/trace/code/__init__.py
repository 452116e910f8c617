"""The code that is traced, as Python describes it: its instructions, its source, and functions behind decorators."""
