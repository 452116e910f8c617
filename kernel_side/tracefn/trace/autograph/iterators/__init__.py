"""Iterators and generators in rewritten code."""
