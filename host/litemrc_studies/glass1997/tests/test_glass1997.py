# SPDX-License-Identifier: BSD-2-Clause
"""Glass and Cao 1997: its programs and traces are those of the page, and its claims are computed right."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from litemrc.traces.summary import Summary, space_time
from litemrc_studies.glass1997.results.capture import COMMANDS, INPUTS, SOURCES
from litemrc_studies.glass1997.results.claims import knee, most_to_opt, plateau, quarter_to_half, seq_to_lru
from litemrc_studies.glass1997.results.further import GENERATED
from litemrc_studies.glass1997.results.parameters import Varied
from litemrc_studies.glass1997.results.programs import (
    OF_PAPER,
    PROGRAMS,
    TRACES,
    Measured,
    Paper,
    Program,
    executable_bytes,
    measured,
    opened,
)

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "host/litemrc_studies/glass1997/page.md").read_text("utf-8")
C_PROGRAMS = sorted(path.stem for path in SOURCES.glob("*.c"))


def table(text: str, name: str) -> list[list[str]]:
    (found,) = re.findall(rf"<!-- table {name} -->\n(.*?)<!-- end -->", text, re.DOTALL)
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in found.splitlines()[2:]]


def test_each_program_of_the_paper_has_one_of_ours_with_a_source_or_a_command():
    assert len(OF_PAPER) == len(PROGRAMS) == 16
    assert [program.stands_for for program in PROGRAMS] == sorted(OF_PAPER)
    assert sorted([*C_PROGRAMS, *COMMANDS]) == sorted(program.name for program in PROGRAMS)
    assert INPUTS.keys() <= COMMANDS.keys()
    assert executable_bytes().keys() == {program.name for program in PROGRAMS}


def test_the_sixteen_traces_are_those_of_their_readme_and_take_little_room():
    rows = table((TRACES / "README.md").read_text("utf-8"), "captured")
    assert [row[0] for row in rows] == [f"`{program.path.name}`" for program in PROGRAMS]
    assert {path.name for path in TRACES.glob("*.zst")} == {program.path.name for program in PROGRAMS}
    for program, row in zip(PROGRAMS, rows, strict=True):
        assert int(row[4].replace(",", "")) == program.path.stat().st_size
    assert sum(program.path.stat().st_size for program in PROGRAMS) < 4_000_000


@pytest.mark.parametrize("name", ["electrostatics", "shallow"])
def test_a_trace_and_table_1_have_the_instructions_and_pages_of_the_readme(name):
    summary = Summary()
    with opened(next(program for program in PROGRAMS if program.name == name)) as trace:
        for chunk in trace:
            summary.add(chunk)
    assert trace.interval == 1_000_000
    (row,) = [row for row in table((TRACES / "README.md").read_text("utf-8"), "captured") if name in row[0]]
    assert [int(cell.replace(",", "")) for cell in row[2:4]] == [
        summary.last_time,
        summary.pages.numbers().size,
    ]
    (shown,) = [row for row in table(PAGE, "table1") if f"`{name}`" in row[0]]
    assert shown[2].split(" / ")[0] == f"{summary.last_time / 1e6:,.0f}"
    assert shown[3].split(" / ")[0] == f"{4 * summary.pages.numbers().size:,}"
    assert shown[5].split(" / ")[0] == f"{4 * trace.minimum_pages:,}"


@pytest.mark.parametrize("name", C_PROGRAMS)
def test_a_program_compiles_without_a_warning_and_names_the_one_it_stands_for(name, tmp_path):
    source = SOURCES / f"{name}.c"
    (program,) = [program for program in PROGRAMS if program.name == name]
    assert f"Stands for {program.stands_for} " in source.read_text("utf-8")
    command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-c", "-o", str(tmp_path / "out.o"), str(source)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_page_has_electrostatics_as_it_is_measured():
    of = measured(OF_PAPER["es"])
    (row,) = [row for row in table(PAGE, "claims") if row[0] == "electrostatics (es)"]
    assert row[3] == f"{most_to_opt(of):.1f}" and row[4] == f"{100 * plateau(of):.0f} %"
    # A loop larger than memory: LRU faults on every page, OPT and nearly SEQ on those beyond the memory.
    assert plateau(of) > 0.9 and quarter_to_half(of) == pytest.approx(1)
    assert max(of.faults["seq"]) <= max(of.faults["lru"]) and min(seq_to_lru(of)) < 0.2


def made_up(lru: list[int], seq: list[int], opt: list[int]) -> Measured:
    """A program of 100 pages in memories of 25, 50, 75 and 100."""
    with opened(OF_PAPER["es"]) as trace:
        graph = space_time([], _summary(next(iter(trace))))
    program = Program("a", "b", "c", 3, Paper(1, 1, 1, 1, 1))
    faults = {"lru": lru, "seq": seq, "opt": opt}
    return Measured(program, 100, 1_000_000, 25, 20, [25, 50, 75, 100], faults, [(20, 110)], graph)


def _summary(chunk) -> Summary:
    summary = Summary()
    summary.add(chunk)
    return summary


def test_claims_of_four_memories():
    of = made_up([400, 400, 390, 0], [200, 440, 390, 0], [100, 80, 1, 0])
    assert most_to_opt(of) == 5  # 400 / 80; one fault of OPT in 75 pages is rare
    assert seq_to_lru(of) == [0.5, 1.1, 1.0]
    assert plateau(of) == 0.5  # 25 to 75 pages
    assert quarter_to_half(of) == 1
    assert quarter_to_half(made_up([300, 100, 9, 0], [0] * 4, [1] * 4)) == 3


def test_a_knee_is_where_faults_fall_at_once_and_then_no_more():
    # Inter-fault time / memory, in 1 / (faults x pages): 1/10000, 1/500, 1/750: the knee is at 50 pages.
    assert knee(made_up([400, 10, 10, 0], [1] * 4, [1] * 4), "lru") == 0.5
    assert knee(made_up([400, 200, 100, 0], [1] * 4, [1] * 4), "lru") is None  # 10000, 10000, 7500: it rises


def varied(name: str, **curves: list[int]) -> Varied:
    """A program of 100 pages whose default curve is 100, 100 and whose LRU curve is 120, 100."""
    faults = {
        "": [100, 100],
        "lru": [120, 100],
        "L 50, M 20": [100, 100],
        "L 50, M 50": [100, 100],
        "X 50": [100, 100],
    }
    faults |= {key.replace("_M", ", M").replace("_", " "): of for key, of in curves.items()}
    return Varied(OF_PAPER[name], [50, 75], 100, {key: np.array(of) for key, of in faults.items()}, 0)


def test_a_setting_agrees_with_the_paper_only_if_its_curve_moves_in_the_papers_direction():
    # applu: with L = 50 on LRU's curve, with X = 50 slightly worse.
    applu = varied("applu", X_50=[93, 100])
    assert not applu.agrees("X 50") and varied("applu", X_50=[101, 100]).agrees("X 50")
    assert not applu.agrees("L 50, M 20")  # where the default is, 20 % from LRU
    # fgm: M 50 visibly worse; a visible gain is no agreement.
    assert varied("fgm", L_50_M_50=[106, 100]).agrees("L 50, M 50")
    assert not varied("fgm", L_50_M_50=[94, 100]).agrees("L 50, M 50")
    # wave5: nothing changes.
    assert varied("wave5").agrees("X 50") and not varied("wave5", X_50=[106, 100]).agrees("X 50")


def test_rows_of_generated_traces_are_reproduced_as_printed():
    names = [row[0].strip("`") for row in table(PAGE, "local") if row[0].startswith("`gen:")]
    assert sorted(set(names)) == sorted(GENERATED)
