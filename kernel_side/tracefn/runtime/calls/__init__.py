"""Calls of traced functions: their checks, and the functions that check them and run a program."""
