"""`litemrc demo`, as a user runs it, and its files against a recomputation that shares no code with it."""

import json
import re
import subprocess
import sys
from bisect import bisect_left
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from litemrc.cli.demo import verdict
from litemrc.device.recording import read_recording
from litemrc.epoch_table import COLUMNS
from litemrc.epochs import read_epochs
from litemrc.golden_check import compare, golden_epochs

pytestmark = pytest.mark.soc

WORKLOADS = ["zipf", "loop", "phases", "chase", "matmul"]
FRAMES, GROUPS, PAGE_BYTES = 8192, 64, 4096  # 32 MB in 4 KB pages, 64 groups
GROUP_PAGES = FRAMES // GROUPS


@pytest.fixture(scope="module")
def demo(tmp_path_factory, build_arguments, cli_environment):
    """(folder, finished process) of one whole demo."""
    out = tmp_path_factory.mktemp("demo")
    return out, litemrc(["demo", *build_arguments, "--out", out], cli_environment)


def litemrc(arguments, environment):
    return subprocess.run(
        [sys.executable, "-m", "litemrc.cli.main", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=1200,
    )


def recompute(events):
    """{context: [hits of each group, misses]}, from times of last use instead of a stack.

    The pages used since a page's last use are those with a later time: its distance in its owner's list.
    """
    last_use, owner, counts, uses = {}, {}, {}, {}
    for time, (op, frame, context) in enumerate(events):
        if op == "invalidate" and frame in owner:
            uses[owner.pop(frame)].remove(last_use.pop(frame))
        elif op == "clear":
            last_use, owner, counts, uses = {}, {}, {}, {}
        elif op == "access":
            whose = owner.setdefault(frame, context)
            row = counts.setdefault(whose, [0] * (GROUPS + 1))
            times = uses.setdefault(whose, [])  # ascending
            if frame in last_use:
                place = bisect_left(times, last_use[frame])
                row[(len(times) - 1 - place) // GROUP_PAGES] += 1
                del times[place]
            else:
                row[GROUPS] += 1
            last_use[frame] = time
            times.append(time)
    return counts


def test_the_demo_succeeds_and_says_where_the_report_is(demo):
    out, process = demo
    assert process.returncode == 0, process.stderr
    for name in WORKLOADS:
        assert name in process.stdout
    assert "none missed, none invented" in process.stdout
    assert re.search(r"all [\d,]+ counters equal", process.stdout)
    assert f"report: {out / 'report.html'}" in process.stdout


def test_every_curve_equals_a_recomputation_from_the_recorded_accesses(demo, cli_environment):
    out, _ = demo
    table = pq.read_table(out / "accesses.parquet")
    assert table.column_names[:5] == ["cycle", "op", "frame", "write", "context"]
    cycles = table["cycle"].to_numpy()
    assert (cycles[1:] > cycles[:-1]).all()
    columns = (table[name].to_pylist() for name in ("op", "frame", "context"))
    expected = recompute(list(zip(*columns, strict=True)))
    assert sorted(expected) == [1, 2, 3, 4, 5]

    for context, row in expected.items():
        process = litemrc(["curve", out / "curves.parquet", "--context", context, "--json"], cli_environment)
        curve = json.loads(process.stdout)
        accesses = sum(row)
        assert curve["context"] == context
        assert curve["accesses"] == accesses
        assert curve["misses"] == row[GROUPS]
        assert curve["dropped"] == 0
        assert curve["sizes_pages"] == [GROUP_PAGES * (m + 1) for m in range(GROUPS)]
        ratios = [1 - sum(row[: m + 1]) / accesses for m in range(GROUPS)]
        assert curve["miss_ratio"] == pytest.approx(ratios, abs=1e-12)


def test_the_curves_have_the_shapes_of_their_workloads(demo, cli_environment):
    """Footprints in pages as in firmware/baremetal/workloads: cliffs where a loop's pages fit."""
    out, _ = demo

    def curve(name):
        process = litemrc(["curve", out / "curves.parquet", "--context", name, "--json"], cli_environment)
        return json.loads(process.stdout)

    for name, pages, accesses_a_page in (("loop", 1536, 24), ("chase", 1024, 36)):
        found = curve(name)
        fits = pages // GROUP_PAGES
        ratio = dict(zip(found["sizes_pages"], found["miss_ratio"], strict=True))
        assert found["misses"] == pages
        # Every page is back after all others: without room each round misses each page, with room none.
        assert ratio[fits * GROUP_PAGES] == pytest.approx(pages / found["accesses"])
        assert ratio[GROUP_PAGES] * found["accesses"] > 0.9 * pages * accesses_a_page
    assert curve("zipf")["misses"] <= 2048


def test_the_report_is_there_and_self_contained(demo):
    out, _ = demo
    page = Path(out / "report.html").read_text()
    assert not re.search(r"""(src|href)=["']https?:""", page)
    for name in WORKLOADS:
        assert name in page


def test_a_wrong_counter_fails_the_demo_and_is_named(demo, capsys):
    """The demo's own verdict, over a table with one counter changed, and over one with a row lost."""
    out, _ = demo
    table = read_epochs(out / "curves.parquet")
    recording = read_recording(out / "run" / "record.npy", page_shift=12)
    golden = golden_epochs(recording, table.engine, table.frames, table.groups, table.contexts)
    assert compare(table, golden, 1).differences == 0

    hits, misses = table.hits.copy(), table.misses.copy()
    hits[3, 7] += 1
    misses[3] -= 1
    wrong = replace(table, hits=hits, misses=misses)
    assert compare(wrong, golden, 1).differences == 2
    assert verdict(recording, wrong, compare(wrong, golden, 1)) == 1
    assert f"epoch {table.epoch[3]}, context {table.context[3]}" in capsys.readouterr().err

    lost = replace(table, **{name: getattr(table, name)[1:] for name in COLUMNS})
    assert verdict(recording, lost, compare(lost, golden, 1)) == 1
