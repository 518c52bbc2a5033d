"""Intents: the paper's example, and what is refused with its line."""

import json

import pytest
from litemrc.cli.main import main
from litemrc.errors import UserError
from litemrc_studies.jantz2013.policies.intents import COLD, HOT, ColorIntent, intents_text, parse_intents

# Jantz et al. 2013, section 4.1: the declarations of its steps 1 and 2, then step 3 as it stands there.
PAPER = """\
INTENT MEM-INTENSITY
INTENT MEM-CAPACITY
MEM-INTENSITY RED 0 //hot pages
MEM-CAPACITY RED 5 //hint- 5% of RSS
MEM-INTENSITY BLUE 1 //cold pages
MEM-CAPACITY BLUE 3 //hint- 3% of RSS
"""


def test_the_papers_example_is_read():
    assert parse_intents(PAPER) == {
        "RED": ColorIntent("RED", intensity=HOT, capacity_percent=5),
        "BLUE": ColorIntent("BLUE", intensity=COLD, capacity_percent=3),
    }


def test_comments_and_empty_lines_say_nothing():
    assert parse_intents("// nothing\n\n   // INTENT X\n") == {}
    spaced = "\n\tINTENT  MEM-CAPACITY//x\n MEM-CAPACITY\tRED  7 // y // z\n"
    assert parse_intents(spaced)["RED"].capacity_percent == 7


def test_a_text_of_intents_is_read_as_the_same():
    colors = parse_intents(PAPER + "INTENT MEM-ISOLATION\nMEM-ISOLATION RED 1\nINTENT MEM-AFFINITY\n")
    assert parse_intents(intents_text(colors)) == colors


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("MEM-INTENSITY RED 0\n", 1, "MEM-INTENSITY is not declared"),
        ("INTENT MEM-INTENSITY\n\nMEM-INTENSITY RED 2\n", 3, "cannot be '2'"),
        ("INTENT MEM-INTENSITY\nMEM-INTENSITY RED -1\n", 2, "cannot be '-1'"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY RED 101\n", 2, "cannot be '101'"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY RED 5%\n", 2, "cannot be '5%'"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY RED \u0665\n", 2, "cannot be"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY RED\n", 2, "1 words after MEM-CAPACITY"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY RED 5 hint\n", 2, "3 words after MEM-CAPACITY"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY 5 RED\n", 2, "'5' is not a color name"),
        ("INTENT\n", 1, "0 words after INTENT"),
        ("INTENT MEM-SPEED\n", 1, "unknown intent 'MEM-SPEED'"),
        ("INTENT MEM-CAPACITY\nMEM-SPEED RED 1\n", 2, "unknown intent 'MEM-SPEED'"),
        ("intent MEM-CAPACITY\n", 1, "unknown intent 'intent'"),
        ("INTENT MEM-CAPACITY\nINTENT MEM-CAPACITY\n", 2, "declared twice, first in line 1"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY RED 5\nMEM-CAPACITY RED 5\n", 3, "stated twice; it was 5 before"),
        ("INTENT MEM-CAPACITY\nMEM-CAPACITY A 60\nMEM-CAPACITY B 41\n", 3, "101 % of the resident set"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line_and_a_remedy(text, line, what):
    with pytest.raises(UserError) as error:
        parse_intents(text, "app.intents")
    assert error.value.where == f"app.intents:{line}"
    assert what in error.value.what
    assert error.value.remedy


def test_the_command_shows_colors(tmp_path, capsys):
    file = tmp_path / "app.intents"
    file.write_text(PAPER)
    assert main(["intents", "check", str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "color  MEM-INTENSITY   MEM-CAPACITY",
        "RED                0              5",
        "BLUE               1              3",
    ]
    assert main(["intents", "check", str(file), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["colors"][0]
    assert (first["color"], first["intensity"], first["capacity_percent"]) == ("RED", 0, 5)


@pytest.mark.parametrize("content", [b"INTENT X\n", b"\nMEM-CAPACITY \xff 3\n"])
def test_the_command_ends_with_2_for_a_bad_file(tmp_path, capsys, content):
    file = tmp_path / "bad.intents"
    file.write_bytes(content)
    assert main(["intents", "check", str(file)]) == 2
    shown = capsys.readouterr().err
    assert f"bad.intents:{content.count(b'X') or 2}" in shown
    assert "remedy" in shown
    assert main(["intents", "check", str(tmp_path / "none")]) == 2
