"""Profiles: the time and memory of each step of a program, and of each line of the user's code."""
