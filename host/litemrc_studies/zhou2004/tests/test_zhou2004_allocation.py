"""The tables of allocation on the page of results, made of few sets."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from litemrc_studies.zhou2004.results.allocation import KINDS, UNITS, curve_sets

from tests.timeouts import scaled_timeout

ROOT = Path(__file__).parents[4]


def test_the_page_gets_its_tables_and_its_picture(tmp_path):
    page = tmp_path / "page.md"
    shutil.copy(Path(__file__).parents[1] / page.name, page)
    (tmp_path / "pictures").mkdir()
    command = [
        sys.executable,
        "-m",
        "litemrc_studies.zhou2004.results.allocation",
        "--docs",
        tmp_path,
        "--sets",
        "9",
    ]
    subprocess.run(command, check=True, cwd=ROOT, timeout=scaled_timeout(120))
    rows = re.findall(r"^\| (concave|steps|mixed|all) \| (\d) \| (.*) \|$", page.read_text(), re.MULTILINE)
    assert [(kind, sets) for kind, sets, _ in rows] == [*((kind, "3") for kind in KINDS), ("all", "9")]
    # On concave curves all methods are the optimum.
    assert rows[0][2].split(" | ") == ["1.0000"] * 6
    assert (tmp_path / "pictures" / "allocation.png").read_bytes().startswith(b"\x89PNG")


def test_sets_are_what_the_page_says():
    sets = list(curve_sets(60, seed=1))
    assert [each.kind for each in sets[:4]] == ["concave", "steps", "mixed", "concave"]
    assert {len(each.demands) for each in sets} == set(range(2, 9))
    for each in sets:
        assert (each.memory_pages + 1) / UNITS / len(each.demands) >= 0.1
        assert each.memory_pages / UNITS / len(each.demands) <= 0.9
        for demand in each.demands:
            hits = -(demand.miss_ratio[1:] - demand.miss_ratio[:-1])
            assert 1 - demand.miss_ratio[-1] + 1e-9 >= 0.3 and 1 / 4 <= demand.weight <= 4
            if each.kind == "steps":
                assert 1 <= (hits > 1e-12).sum() + (demand.miss_ratio[0] < 1) <= 4
            if each.kind == "concave":
                assert (hits[1:] <= hits[:-1] + 1e-12).all()
    again, other = next(curve_sets(3, seed=1)), next(curve_sets(3, seed=2))
    first = sets[0].demands[0].miss_ratio
    assert (again.demands[0].miss_ratio == first).all()
    assert (other.demands[0].miss_ratio != first).any()
