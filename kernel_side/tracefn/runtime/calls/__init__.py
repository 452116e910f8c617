"""Calls of traced functions: what is checked of them, and the functions that check it and run a program."""
