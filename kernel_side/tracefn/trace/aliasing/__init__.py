"""Aliasing: views, writes into arrays, arrays from outside, layouts."""
