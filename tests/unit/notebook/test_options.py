"""The options of the magics."""

import pytest
from tracefn.notebook.options import Options, parse_options, split_expression


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("", Options()),
        ("--time --quiet", Options(time=True, quiet=True)),
        ("--no-wrap  # a comment", Options(no_wrap=True)),
        ("--only f --only g", Options(only=("f", "g"))),
    ],
)
def test_options(line: str, options: Options) -> None:
    assert parse_options(line) == options


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--tme", "unknown option '--tme'"),
        ("f(x)", "Code goes on the lines below"),
        ("--only", "--only NAME"),
        ("--only --time", "--only NAME"),
        ("--only 'f(x)'", "--only NAME"),
        ("--no-wrap --only f", "give one of them"),
        ("'open", "cannot read the options"),
    ],
)
def test_what_is_no_option_gets_one_line(line: str, says: str) -> None:
    with pytest.raises(ValueError, match="^%%tracefn: ") as raised:
        parse_options(line)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("f(x)", (Options(), "f(x)")),
        ("  --quiet --time f(x, y='--time')  ", (Options(time=True, quiet=True), "f(x, y='--time')")),
        ("-x", (Options(), "-x")),
    ],
)
def test_expressions(line: str, expected: tuple[Options, str]) -> None:
    assert split_expression(line) == expected


@pytest.mark.parametrize(("line", "says"), [("", "needs an expression"), ("--time", "needs"), ("--only f", "--only")])
def test_what_is_no_expression_gets_one_line(line: str, says: str) -> None:
    with pytest.raises(ValueError, match="^%tracefn: ") as raised:
        split_expression(line)
    assert says in str(raised.value)
