"""Traced values that are no plain arrays: lengths, texts, lists, TensorArrays, random generators, tagged numbers."""
