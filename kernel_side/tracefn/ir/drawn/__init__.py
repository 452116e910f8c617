"""Graphs as front ends draw them: JSON-able data, DOT, and pictures."""
