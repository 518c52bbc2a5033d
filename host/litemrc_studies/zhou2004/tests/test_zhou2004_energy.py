"""The tables of energy on the page of results, made of short programs."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from litemrc_studies.shared.chip_power import find_power
from litemrc_studies.zhou2004.machine.chips import ChipMachine, compare
from litemrc_studies.zhou2004.policies import SCHEMES
from litemrc_studies.zhou2004.results.energy_programs import (
    CAPTURED,
    captured,
    hot_region,
    phased_programs,
    touched_before,
)
from litemrc_studies.zhou2004.results.energy_sweeps import far_share, over_chips, powerdown_table

from scripts.docs.page_tables import values_of
from tests.timeouts import scaled_timeout

ROOT = Path(__file__).parents[4]
TRACES = ROOT / "tests" / "data" / "traces"
MINUS = "\N{MINUS SIGN}"
PICTURES = ("figure5.png", "figure6-epoch.png", "figure6-chip.png")


def test_the_page_gets_its_tables_and_its_pictures(tmp_path):
    page = tmp_path / "page.md"
    shutil.copy(Path(__file__).parents[1] / page.name, page)
    (tmp_path / "pictures").mkdir()
    traces = tmp_path / "traces"
    traces.mkdir()
    for name in CAPTURED.values():
        pq.write_table(pq.read_table(TRACES / f"{name}.parquet").slice(0, 8_000), traces / f"{name}.parquet")
    options = ["--docs", tmp_path, "--traces", traces, "--references", "4000"]
    command = [sys.executable, "-m", "litemrc_studies.zhou2004.results.energy", *options]
    subprocess.run(list(map(str, command)), check=True, cwd=ROOT, timeout=scaled_timeout(120))
    text = page.read_text()
    tables = {
        name: [row.strip("| ").split(" | ") for row in table.splitlines() if row.startswith("| ")]
        for name, table in re.findall(r"<!-- table (\S+) -->\n(.*?)<!-- end -->", text, re.DOTALL)
    }
    paper = [["300 mW", "60 ns"], ["180 mW", "-"], ["30 mW", "-"], ["3 mW", "-"]]
    paper += [["240 mW", "+6 ns"], ["160 mW", "+60 ns"], ["150 mW", "+600 ns"]]
    assert [row[1:] for row in tables["table4"][2:]] == paper
    assert ["generated programs", "4,000 references, 100 cycles between them, seed 2004"] in tables[
        "energy-parameters"
    ]
    assert [row[0] for row in tables["figure5"][2:7]] == ["bzip2", "gcc", "python", "sort", "grid"]
    names = (
        "hot-regions",
        "powerdown",
        "energy-choices",
        "figure6-epoch",
        "figure6-chip",
        "figure6-grid",
        "predictive",
    )
    assert all(len(tables[name]) > 4 for name in (*names, "energy-parts"))
    values = values_of(page)
    saved = {row[0]: row for row in tables["figure5"]}
    assert values["figure5"].startswith(f"bzip2 {saved['bzip2'][6]} and {saved['bzip2'][7]}; gcc ")
    assert values["epoch"].startswith(f"bzip2 {tables['figure6-epoch'][2][2]} to ")
    for name in PICTURES:
        assert (tmp_path / "pictures" / name).read_bytes().startswith(b"\x89PNG")


def test_captured_programs_fill_8_to_64_chips_of_64_pages_as_in_the_paper():
    assert all(8 * 64 <= program.footprint_pages <= 64 * 64 for program in captured(TRACES).values())


def test_grid_returns_to_pages_of_the_sweep_before_in_more_than_1_of_100_accesses():
    """64 lines of a page are read; those of a page of the new grid are also written: 2 of 192 are first."""
    grid = captured(TRACES)["grid"]
    assert far_share(grid, 512) == pytest.approx(1 / 96, rel=0.01)


def test_pages_touched_before_leave_no_first_touch():
    program = hot_region(100, 0.5, 1_000, elsewhere=0.0)
    longer = touched_before(program)
    assert longer.pages[:100].tolist() == list(range(100))
    assert (longer.pages[100:] == program.pages).all() and (longer.gaps[100:] == program.gaps).all()
    assert len(longer) == len(longer.gaps) == len(longer.writes) == 1_200
    assert far_share(longer, 0) == 1  # the second half has no first touch


def test_a_memory_is_divided_into_8_to_64_chips():
    program = hot_region(1_629, 0.3, 2_000, elsewhere=0.0)
    (runs,) = over_chips({"p": program}, ChipMachine(find_power("rdram"))).values()
    assert [run.chips for run in runs] == [63, 32, 16, 8]


def test_powerdown_of_the_dynamic_scheme_takes_the_savings_of_the_mrc():
    machine = ChipMachine(find_power("rdram"), monitor_mw=0)
    program = hot_region(1_024, 0.25, 20_000, elsewhere=0.0)
    rows = powerdown_table({"p": program}, machine).splitlines()
    cells = [float(cell[:-2].replace(MINUS, "-")) for cell in rows[2].strip("| ").split(" | ")[1:]]
    assert cells == sorted(cells, reverse=True)
    never = compare(program, machine, [SCHEMES["mrc-dynamic-nap"]]).relative("mrc-dynamic-nap")
    assert cells[-1] == pytest.approx(100 * (never - 1), abs=0.06) and cells[0] > -5 > cells[-1]


def test_a_hot_region_is_what_the_page_says():
    program = hot_region(300, 1 / 3, 5_000, elsewhere=0.1)
    assert program.footprint_pages == 300 and len(program) == 300 + 5_000
    assert program.pages[:300].tolist() == list(range(300))
    assert 0.9 < np.mean(program.pages[300:] < 100) < 0.97  # and a third of the tenth that goes anywhere
    assert (hot_region(300, 1 / 3, 5_000, elsewhere=0.0).pages[300:] < 100).all()


def test_each_phase_has_its_pages_and_comes_twice():
    for program in phased_programs(16_000).values():
        assert program.footprint_pages <= 4_096
        first, again = program.pages[:8_000].reshape(8, -1), program.pages[8_000:].reshape(8, -1)
        regions = [set(phase.tolist()) for phase in first]
        assert sum(map(len, regions)) == len(set.union(*regions))
        assert all(regions[number] & set(phase.tolist()) for number, phase in enumerate(again))
