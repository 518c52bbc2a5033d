"""--set of the machines with a TOML file: the results are those of a file with the value in it."""

import json
from pathlib import Path

import pytest
from litemrc_studies.reference_counters.machine.costs import PAPER
from litemrc_studies.shared.tests.small_scenarios import MM, TRAYS

from tests.host.in_process import litemrc

NUMA = PAPER.read_text()
SHARED = "gen:speech?n=30000&seed=2"


def result(*line: object) -> dict[str, object]:
    done = litemrc(*line, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("command", "options", "text", "before", "after", "change"),
    [
        ("mm", (), MM, "memory_pages = 100", "memory_pages = 160", "memory_pages=160"),
        ("mm", (), MM, "touch = 10", "touch = 70", "process.job.touch=70"),
        ("trays", (), TRAYS, "units = 3", "units = 5", "compilation.units=5"),
        (
            "trays",
            (),
            TRAYS,
            'name = "colors"',
            'name = "colors"\npower_down = "fast"',
            "configuration.1.power_down=fast",
        ),
        ("numa", (SHARED, "--delay", "2"), NUMA, "remote_read", "remote_read", "costs.remote_read=99"),
    ],
    ids=["mm", "mm-process", "trays", "trays-configuration", "numa"],
)
def test_results_with_set_are_those_of_an_edited_file(
    tmp_path, command, options, text, before, after, change
):
    assert before in text
    if command == "numa":
        lines = [f"{before} = 99" if line.startswith(before) else line for line in text.splitlines()]
        edited_text = "\n".join(lines)
    else:
        edited_text = text.replace(before, after, 1)
    original, edited = tmp_path / "original.toml", tmp_path / "edited.toml"
    original.write_text(text)
    edited.write_text(edited_text)

    def line(file: Path) -> tuple[object, ...]:
        return ("simulate", command, *options, *(("--costs", file) if command == "numa" else (file,)))

    changed = result(*line(original), "--set", change)
    assert changed == result(*line(edited))
    assert changed != result(*line(original))


def test_a_wrong_change_is_refused_with_its_place(tmp_path):
    (tmp_path / "mm.toml").write_text(MM)
    done = litemrc("simulate", "mm", tmp_path / "mm.toml", "--set", "process.job.touch=0")
    assert done.returncode == 2
    assert "process.touch: is 0" in done.stderr and "--set process.job.touch=0" in done.stderr
    done = litemrc("simulate", "mm", tmp_path / "mm.toml", "--set", "touch")
    assert done.returncode == 2
    assert "argument --set: must be KEY=VALUE" in done.stderr
