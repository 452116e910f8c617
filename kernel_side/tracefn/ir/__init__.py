"""The intermediate representation: types, ops, graphs, and facts about them that hold for any op."""

from . import draw, json_form, json_parts, writer  # noqa: F401 – provide the forms that graphs print in
