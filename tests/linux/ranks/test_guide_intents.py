# SPDX-License-Identifier: BSD-2-Clause
"""litemrc-guide, compiled for this machine, maps the colors of intents to ranks as the host's policies do."""

import random
import subprocess
from pathlib import Path

import pytest
from litemrc.errors import UserError
from litemrc_studies.jantz2013.policies.intents import INTENTS, ColorIntent, intents_text, parse_intents
from litemrc_studies.jantz2013.policies.trays import Tray, map_colors

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "firmware" / "linux" / "guide"
REFUSED = 2
# As host/litemrc_studies/jantz2013/tests/test_guidance.py has them; digits of other scripts are no digits.
WRONG = [
    "MEM-INTENSITY RED 0\n",
    "INTENT MEM-INTENSITY\n\nMEM-INTENSITY RED 2\n",
    "INTENT MEM-INTENSITY\nMEM-INTENSITY RED -1\n",
    "INTENT MEM-CAPACITY\nMEM-CAPACITY RED 101\n",
    "INTENT MEM-CAPACITY\nMEM-CAPACITY RED 5%\n",
    "INTENT MEM-CAPACITY\nMEM-CAPACITY RED \u0665\n",
    "INTENT MEM-CAPACITY\nMEM-CAPACITY RED\n",
    "INTENT MEM-CAPACITY\nMEM-CAPACITY RED 5 hint\n",
    "INTENT MEM-CAPACITY\nMEM-CAPACITY 5 RED\n",
    "INTENT MEM-CAPACITY\nMEM-CAPACITY RED 99999999999999999999\n",
    "INTENT\n",
    "INTENT MEM-SPEED\n",
    "INTENT MEM-CAPACITY\nMEM-SPEED RED 1\n",
    "intent MEM-CAPACITY\n",
    "INTENT MEM-CAPACITY\nINTENT MEM-CAPACITY\n",
    "INTENT MEM-CAPACITY\nMEM-CAPACITY RED 5\nMEM-CAPACITY RED 5\n",
    "INTENT MEM-CAPACITY\nMEM-CAPACITY A 60\nMEM-CAPACITY B 41\n",
]


@pytest.fixture(scope="module")
def guide(tmp_path_factory):
    """Run the program on a text; return status, output and error."""
    folder = tmp_path_factory.mktemp("guide")
    program, file = folder / "litemrc-guide", folder / "intents"
    sources = [GUIDE / name for name in ("litemrc-guide.c", "intents.c", "trays.c")]
    options = [
        "-std=c11",
        "-D_GNU_SOURCE",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsanitize=undefined,address",
        "-g",
    ]
    subprocess.run(["cc", *options, "-o", program, *sources], check=True)

    def run(text, *arguments):
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([program, *arguments, file], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr.replace(str(file), "intents")

    return run


def told(trays):
    return ["--trays", ",".join(f"{tray.free_pages}/{tray.used_pages}" for tray in trays)]


def expected(text, trays, resident_pages):
    """What the program must print, by the host's parser and policy."""
    choices = map_colors(parse_intents(text), trays, resident_pages)
    lines = []
    for color, choice in choices.items():
        how = "bind" if choice.bound else "prefer" if choice.preferred else "any"
        lines.append(" ".join(map(str, (color or "-", how, *choice.preferred))))
    return "\n".join(lines) + "\n"


TRAYS = [Tray(0, 0, 4096, 1500, 2596), *(Tray(number, number, 4096, 4096) for number in (1, 2, 3))]


@pytest.mark.parametrize("text", WRONG)
def test_the_guide_refuses_what_the_host_refuses_in_the_same_line(guide, text):
    with pytest.raises(UserError) as error:
        parse_intents(text)
    status, output, message = guide(text, *told(TRAYS))
    assert (status, output) == (REFUSED, "")
    assert message.startswith(f"{error.value.where}: ")
    assert ";" in message, "it has a remedy"


def test_the_papers_example_has_hot_pages_below_and_cold_ones_above(guide):
    paper = "INTENT MEM-INTENSITY\nINTENT MEM-CAPACITY\nMEM-INTENSITY RED 0 //hot pages\n"
    paper += "MEM-CAPACITY RED 5 //hint- 5% of RSS\nMEM-INTENSITY BLUE 1 //cold pages\nMEM-CAPACITY BLUE 3\n"
    assert guide(paper, *told(TRAYS)) == (0, "RED prefer 0 1 2 3\nBLUE prefer 3 2 1 0\n- any\n", "")


def test_the_scenarios_intents_are_mapped_as_on_the_host(guide):
    for file in sorted((ROOT / "host/litemrc_studies/jantz2013/scenarios").glob("*.intents")):
        text = file.read_text()
        assert guide(text, "--resident", "6000", *told(TRAYS))[:2] == (0, expected(text, TRAYS, 6000))


def test_any_intents_are_mapped_or_refused_as_on_the_host(guide):
    """Random intents, ranks and resident sets: 500 of them, of which many are refused."""
    dice = random.Random(23)
    mapped = refused = 0
    for _ in range(500):
        colors = {}
        for color in dice.sample("ABCDE", dice.randint(1, 4)):
            values = {
                kind.attribute: dice.choice([None, None, dice.randint(0, 1)]) for kind in INTENTS.values()
            }
            values["capacity_percent"] = dice.choice([None, dice.randint(0, 25)])
            values["node"] = dice.choice([None, None, None, dice.randint(0, 4)])
            if any(value is not None for value in values.values()):
                colors[color] = ColorIntent(color, **values)
        text = intents_text(colors)
        trays = [
            Tray(number, number, 4096, free, dice.choice([0, 4096 - free]))
            for number, free in enumerate(dice.choices(range(0, 4097, 256), k=dice.randint(1, 4)))
        ]
        resident = dice.randint(0, 12000)
        status, output, _ = guide(text, "--resident", str(resident), *told(trays))
        try:
            assert (status, output) == (0, expected(text, trays, resident)), text
            mapped += 1
        except UserError:
            assert (status, output) == (REFUSED, ""), text
            refused += 1
    assert mapped > 100 and refused > 50


@pytest.mark.parametrize(
    "arguments",
    [["--resident", "many"], ["--resident", "-1"], ["--trays", "1/2,"], ["--trays", "x"], ["--what"]],
)
def test_bad_options_are_refused(guide, arguments):
    status, output, message = guide("", *arguments)
    assert (status, output) == (REFUSED, "") and message
