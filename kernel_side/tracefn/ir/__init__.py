"""The intermediate representation: types, ops, graphs, and what can be said about them without knowing any op."""
