"""Lines of code to notebook cells."""

from tracefn.events import Cell, CellRegistry, Location


def test_a_file_is_no_cell() -> None:
    assert CellRegistry().locate("model.py", 3) == Location("model.py", 3)


def test_a_cell_gives_id_number_and_the_line_in_the_cell() -> None:
    registry = CellRegistry()
    registry.register_cell("/tmp/1.py", Cell("abc", 7, line_offset=2))
    place = registry.locate("/tmp/1.py", 1)
    assert place == Location("/tmp/1.py", 3, "abc", 7)
    assert registry.line_in_file(place) == 1
    assert registry.line_in_file(Location("/tmp/1.py", 3, "other")) == 3


def test_a_cell_that_ran_again_is_where_it_ran_last() -> None:
    registry = CellRegistry()
    registry.register_cell("/tmp/1.py", Cell("abc", 7))
    registry.register_cell("/tmp/1.py", Cell("def", 8))
    assert registry.locate("/tmp/1.py", 1) == Location("/tmp/1.py", 1, "def", 8)


def test_the_numbering_fills_in_what_was_not_registered() -> None:
    registry = CellRegistry()
    registry.register_cell("/tmp/1.py", Cell("abc"))
    registry.set_numbering({"/tmp/1.py": 4, "/tmp/2.py": 5}.get)
    assert registry.locate("/tmp/1.py", 1) == Location("/tmp/1.py", 1, "abc", 4)
    assert registry.locate("/tmp/2.py", 1) == Location("/tmp/2.py", 1, None, 5)
    assert registry.locate("model.py", 1) == Location("model.py", 1)


def test_a_place_has_the_number_that_its_cell_has_now() -> None:
    registry = CellRegistry()
    registry.register_cell("a", Cell("cell", 3, 1))
    place = registry.locate("a", 2)
    registry.register_cell("a", Cell("cell", 5, 1))
    assert registry.renumbered(place) == Location("a", 3, "cell", 5)
    assert registry.located == {"a"}
    elsewhere = Location("model.py", 2)
    assert registry.renumbered(elsewhere) is elsewhere
