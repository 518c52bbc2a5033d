"""The tables of energy on the page of results, made of short programs."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from energy_programs import hot_region, phased_programs
from patience import patience

ROOT = Path(__file__).parents[2]
PICTURES = ("figure5.png", "figure6-epoch.png", "figure6-chip.png")


def test_the_page_gets_its_tables_and_its_pictures(tmp_path):
    page = tmp_path / "zhou2004.md"
    shutil.copy(ROOT / "docs" / "results" / page.name, page)
    (tmp_path / "zhou2004").mkdir()
    traces = ROOT / "tests" / "data" / "traces"
    options = ["--docs", tmp_path, "--traces", traces, "--references", "4000"]
    command = [sys.executable, ROOT / "scripts" / "results" / "zhou2004_energy.py", *options]
    subprocess.run(list(map(str, command)), check=True, timeout=patience(120))
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
    assert [row[0] for row in tables["figure5"][2:6]] == ["bzip2", "sort", "python", "grid"]
    assert all(len(tables[name]) > 4 for name in ("figure6", "predictive", "energy-parts"))
    for name in PICTURES:
        assert (tmp_path / "zhou2004" / name).read_bytes().startswith(b"\x89PNG")


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
