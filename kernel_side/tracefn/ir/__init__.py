"""The intermediate representation: types, ops, graphs, and facts about them that hold for any op."""

from . import writer  # noqa: F401 – provides the form that graphs print in
from .drawn import draw, json_form, json_parts  # noqa: F401 – provide the forms that they are drawn in
