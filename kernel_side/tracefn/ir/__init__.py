"""The intermediate representation: types, ops, graphs, and what can be said about them without knowing any op."""

from . import draw, json_form, json_parts, writer  # noqa: F401 – provide the forms that graphs print in
