"""Rewrites of graphs that come before kernels: composite operations in terms of those that kernels know."""
