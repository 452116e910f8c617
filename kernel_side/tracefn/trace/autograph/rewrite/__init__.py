"""Rewriting, when a function is defined: from its source to code that calls hooks."""
