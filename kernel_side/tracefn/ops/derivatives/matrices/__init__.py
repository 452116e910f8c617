"""Derivatives of linear algebra: inverses and equations, decompositions, norms."""
