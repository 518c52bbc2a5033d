# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc demo soc`, as a user runs it, and its files against an independent recomputation."""

import csv
import io
import json
import re
import subprocess
import sys
from argparse import Namespace
from bisect import bisect_left
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from litemrc.checks.counters import accuracy, balance, compare, model_of, replay
from litemrc.cli.soc.demo_output import show
from litemrc.cli.soc.demo_results import Results, verdict
from litemrc.device.simulation.recording import read_recording
from litemrc.epochs.columns import COLUMNS
from litemrc.epochs.files import read_epochs
from litemrc.errors import OutputError

from scripts.docs.demo_pages import PAGES, blocks
from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.soc

WORKLOADS = ["zipf", "loop", "phases", "chase", "matmul"]
FRAMES, GROUPS, PAGE_BYTES = 8192, 64, 4096  # 32 MB in 4 KB pages, 64 groups
GROUP_PAGES = FRAMES // GROUPS


@pytest.fixture(scope="module")
def demo(tmp_path_factory, build_arguments, cli_environment):
    """(folder, finished process) of one whole demo."""
    out = tmp_path_factory.mktemp("demo")
    return out, litemrc(["demo", "soc", *build_arguments, "--out", out], cli_environment)


@pytest.fixture(scope="module")
def replayed(demo):
    """{engine: what its model makes of the demo's recorded events}."""
    out, _ = demo
    table = read_epochs(out / "curves.parquet")
    recording = read_recording(out / "run" / "record.npy", page_shift=12)
    return {engine: replay(recording, model_of(table, engine)) for engine in ("bucket_stack", "group_stack")}


def litemrc(arguments, environment):
    return subprocess.run(
        [sys.executable, "-m", "litemrc.cli.main", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=scaled_timeout(1200),
    )


def recompute(events):
    """{context: [hits of each group, misses]} and {context: {epoch: pages touched}}.

    From times of last use instead of a stack: the pages used since a page's last use are those with a later
    time, its distance in its owner's list. A page is touched in an epoch if its last use is no older.
    """
    last_use, owner, counts, uses = {}, {}, {}, {}
    touched, epoch_of = {}, {}
    for time, (op, frame, context, epoch) in enumerate(events):
        if op == "invalidate" and frame in owner:
            uses[owner.pop(frame)].remove(last_use.pop(frame))
            epoch_of.pop(frame)
        elif op == "clear":
            last_use, owner, counts, uses = {}, {}, {}, {}
            touched, epoch_of = {}, {}
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
            of_context = touched.setdefault(whose, {})
            of_context[epoch] = of_context.get(epoch, 0) + (epoch_of.get(frame) != epoch)
            epoch_of[frame] = epoch
    return counts, touched


def test_the_demo_succeeds_and_says_where_the_report_is(demo):
    out, process = demo
    assert process.returncode == 0, process.stderr
    for name in WORKLOADS:
        assert name in process.stdout
    assert re.search(r"tap: reported exactly the [\d,]+ accesses .*, 1 cycle later", process.stdout)
    assert re.search(r"all [\d,]+ counters are equal", process.stdout)
    assert f"report: {out / 'report.html'}" in process.stdout


@pytest.mark.parametrize("name", ["soc", "soc-accuracy"])
def test_the_pages_have_the_figures_of_the_demo(demo, name):
    """`make results-demo` writes them. A host that answers later moves some accesses into another epoch."""
    out, process = demo
    shown = re.search(
        rf"<!-- table {name} -->\n```\n(.*?)\n```\n<!-- end -->", PAGES[name].read_text("utf-8"), re.DOTALL
    )
    ours, theirs = blocks(process.stdout, out)[name].splitlines(), shown[1].splitlines()
    assert [re.sub(r"[\d,.]+", "0", line).split() for line in ours] == [
        re.sub(r"[\d,.]+", "0", line).split() for line in theirs
    ]
    figures = [
        [float(each.replace(",", "")) for each in re.findall(r"\d[\d,.]*", "\n".join(lines))]
        for lines in (ours, theirs)
    ]
    assert figures[1] == pytest.approx(figures[0], rel=0.02)


def test_every_curve_is_that_recomputed_from_the_recorded_accesses(demo, replayed, cli_environment):
    """The exact curves to the bit; the device's within its engine's error, which is what the demo says."""
    out, process = demo
    table = pq.read_table(out / "accesses.parquet")
    assert table.column_names == ["cycle", "op", "frame", "write", "context", "frozen", "epoch"]
    cycles = table["cycle"].to_numpy()
    assert (cycles[1:] > cycles[:-1]).all()
    columns = (table[name].to_pylist() for name in ("op", "frame", "context", "epoch"))
    expected, touched = recompute(list(zip(*columns, strict=True)))
    assert sorted(expected) == [1, 2, 3, 4, 5]
    told = {each.context: each for each in accuracy(*replayed.values(), GROUP_PAGES)}

    for context, row in expected.items():
        shown = litemrc(["curve", out / "curves.parquet", "--context", context, "--json"], cli_environment)
        curve = json.loads(shown.stdout)
        accesses = sum(row)
        assert curve["context"] == context
        assert curve["accesses"] == accesses
        assert curve["misses"] == row[GROUPS]
        assert curve["dropped"] == 0
        assert curve["sizes_pages"] == [GROUP_PAGES * (m + 1) for m in range(GROUPS)]
        assert dict(zip(curve["epochs"], curve["working_set_pages"], strict=True)) == touched[context]
        exact = told[context].exact
        assert (exact.accesses, exact.misses) == (accesses, row[GROUPS])
        # Equal to the bit only if every hit counter is equal.
        assert exact.miss_ratio.tolist() == [(accesses - sum(row[: m + 1])) / accesses for m in range(GROUPS)]
        ratios = [1 - sum(row[: m + 1]) / accesses for m in range(GROUPS)]
        errors = [abs(m - e) for m, e in zip(curve["miss_ratio"], ratios, strict=True)]
        assert told[context].mean_error == pytest.approx(sum(errors) / GROUPS, abs=1e-12)
        assert told[context].largest_error == pytest.approx(max(errors), abs=1e-12)
        mean, largest = 0.0002, 0.01
        if context == 5:
            # matmul's loop ends beside a group's border, and a bucket's first three hits are placed in its
            # middle. Any two neighbouring buckets hold more than half a group: a quarter each, on average.
            largest = 3 / (GROUP_PAGES / 4) * max(a - b for a, b in pairwise(exact.miss_ratio.tolist()))
            mean = largest / GROUPS
        assert told[context].mean_error < mean and told[context].largest_error < largest
        assert told[context].one_group_off > 0 and told[context].further_off == 0
        shown = told[context].mean_error, told[context].mean_error_in_use, told[context].largest_error
        assert re.search(r"\s+".join(f"{error:.6f}" for error in shown), process.stdout)


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
        assert ratio[fits * GROUP_PAGES] == pytest.approx(pages / found["accesses"], abs=0.001)
        assert ratio[GROUP_PAGES] * found["accesses"] > 0.9 * pages * accesses_a_page
    assert curve("zipf")["misses"] <= 2048


def test_the_report_is_there_and_self_contained(demo):
    out, _ = demo
    page = Path(out / "report.html").read_text()
    assert not re.search(r"""(src|href)=["']https?:""", page)
    for name in WORKLOADS:
        assert name in page


def test_a_wrong_counter_fails_the_demo_and_is_named(demo, replayed, capsys):
    """The demo's own verdict, over a table with one counter changed, and over one with a row lost."""
    out, _ = demo
    table = read_epochs(out / "curves.parquet")
    recording = read_recording(out / "run" / "record.npy", page_shift=12)
    golden = replayed["bucket_stack"]

    def results(found):
        return Results(
            hello=None, cycles=(), table=found, recording=recording,
            comparison=compare(found, golden, 1), account=balance(recording, found),
        )  # fmt: skip

    assert compare(table, golden, 1).differences == 0

    hits, misses = table.hits.copy(), table.misses.copy()
    hits[3, 7] += 1
    misses[3] -= 1
    wrong = replace(table, hits=hits, misses=misses)
    assert compare(wrong, golden, 1).differences == 2
    assert verdict(results(wrong)) == 1
    assert f"epoch {table.epoch[3]}, context {table.context[3]}" in capsys.readouterr().err

    doubtful = [replace(each, further_off=1) for each in accuracy(*replayed.values(), GROUP_PAGES)]
    assert verdict(replace(results(table), estimates=doubtful)) == 1
    assert "the estimates of 5 accesses are more than one group off" in capsys.readouterr().err

    lost = replace(table, **{name: getattr(table, name)[1:] for name in COLUMNS})
    assert verdict(results(lost)) == 1

    account = replace(results(table).account, difference="epoch 3: 5 recorded, 4 counted")
    assert verdict(replace(results(table), account=account)) == 1
    assert "epoch 3: 5 recorded, 4 counted" in capsys.readouterr().err
    assert verdict(replace(results(table), wrong=["the sky fell"])) == 1
    assert verdict(results(table)) == 0


@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_a_report_that_cannot_be_written_loses_no_result(demo, replayed, tmp_path, capsys, form):
    out, _ = demo
    table = read_epochs(out / "curves.parquet")
    recording = read_recording(out / "run" / "record.npy", page_shift=12)
    results = Results(
        hello=SimpleNamespace(queue_depth=512),
        cycles=(("zipf", 1, 12),),
        table=table,
        recording=recording,
        comparison=compare(table, replayed["bucket_stack"], 1),
        account=balance(recording, table),
        estimates=accuracy(*replayed.values(), GROUP_PAGES),
        hls="Bambu 2024.10: group_stack",
    )
    (tmp_path / "report.html").symlink_to("/dev/full")
    args = Namespace(out=tmp_path, json=form == "json", csv=form == "csv")
    with pytest.raises(OutputError, match="No space left on device"):
        show(args, results, title="", device="", texts={}, began=0.0, ended=1.0)

    printed = capsys.readouterr().out
    if form == "text":
        assert all(name in printed for name in WORKLOADS) and "counters are equal" in printed
        assert printed.startswith("HLS: Bambu 2024.10: group_stack\n")
        return
    described = json.loads(printed) if form == "json" else {}
    rows = described["contexts"] if described else list(csv.DictReader(io.StringIO(printed)))
    assert [row["name"] for row in rows] == WORKLOADS
    contexts = range(1, len(WORKLOADS) + 1)
    assert [int(row["misses"]) for row in rows] == [table.curve(context).misses for context in contexts]
    if described:
        assert (described["failures"], described["counters_different"]) == ([], 0)
        assert described["hls"] == "Bambu 2024.10: group_stack"
