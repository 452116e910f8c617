"""Traces on disk: a later process takes them over where it proves that all they rest on is as it was."""
