"""Derivatives of ops that move elements: the cotangents move back."""
