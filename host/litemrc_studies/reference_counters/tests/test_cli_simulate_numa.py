# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc simulate numa`: JSON, tables, sweeps and pictures; mistakes end with exit code 2."""

import json

import pytest
from litemrc.cli.main import main
from litemrc.errors import UserError
from litemrc_studies.reference_counters.machine.costs import PAPER
from litemrc_studies.reference_counters.machine.numa import PROTOCOLS, NumaSimulation

TRACE = "# page_bytes 1024\n0 0 0 0 w\n" + "1 1 0 7 r\n" * 4 + "2 0 0 9 w\n"
KEYS = {"protocol", "delay", "update", "page_bytes", "namc", "replications", "invalidations", "updates_sent"}


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text(TRACE)
    return str(path)


def run_json(capsys, *arguments):
    assert main(["simulate", "numa", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["results"]


def test_json_has_what_is_promised(capsys, trace):
    (row,) = run_json(
        capsys, trace, "--protocol", "upd", "--delay", "3", "--update", "1", "--page-size", "1k"
    )
    assert row.keys() >= KEYS
    # Two remote reads, a copy and two local reads; a write with an update, which drops the copy only if it
    # is more than the two accesses: it is not.
    cycles = 5 + 200 + 1524 + 2 * 5 + 15 + 500
    assert (row["cycles"], row["namc"]) == (cycles, cycles / 5 / 6)
    assert (row["replications"], row["invalidations"], row["updates_sent"]) == (1, 0, 1)


def test_every_protocol_runs(capsys, trace):
    rows = run_json(capsys, trace, "--protocol", "all")
    assert [row["protocol"] for row in rows] == list(PROTOCOLS)
    assert all(row["delay"] is None for row in rows if row["protocol"] in ("self-tuned", "optimum"))


def test_lists_make_a_sweep_and_a_picture(capsys, trace, tmp_path):
    picture = tmp_path / "sweep.png"
    sizes = ("--page-size", "512,1k", "--delay", "1,2,4")
    assert len(run_json(capsys, trace, *sizes, "--plot", str(picture))) == 6
    assert picture.stat().st_size > 10_000
    assert len(run_json(capsys, trace, "--delay", "1,2", "--update", "0,1,2", "--plot", str(picture))) == 6


@pytest.mark.parametrize(
    "counters",
    [
        (),
        ("--delay", "0,1"),
        ("--delay", "1,2,4", "--page-size", "512,1k"),
        ("--update", "0,8"),
        ("--delay", "1,2", "--update", "0,8"),
        ("--delay", "0,3", "--update", "0,8", "--page-size", "512,1k"),
    ],
)
def test_all_protocols_are_printed_and_drawn(capsys, trace, tmp_path, counters):
    """Today's default, one DELAY, was refused after the work, and the results were lost."""
    picture = tmp_path / "all.png"
    rows = run_json(capsys, trace, "--protocol", "all", *counters, "--plot", str(picture))
    assert {row["protocol"] for row in rows} == set(PROTOCOLS)
    assert picture.stat().st_size > 10_000


def test_results_are_printed_before_a_picture_that_fails(capsys, trace, tmp_path, monkeypatch):
    def fail(*_):
        raise UserError("cannot write: No space left on device")

    monkeypatch.setattr("litemrc.plots.files.save_figure", fail)
    assert main(["simulate", "numa", trace, "--plot", str(tmp_path / "x.png")]) != 0
    printed = capsys.readouterr()
    assert "upd" in printed.out and "No space left" in printed.err


def test_an_impossible_protocol_is_refused_before_the_trace_is_read(capsys, tmp_path):
    """`optimum` needs unlimited memory, the last protocol of `all`: nothing ran, so nothing can be lost."""
    assert (
        main(["simulate", "numa", str(tmp_path / "absent.txt"), "--protocol", "all", "--local-pages", "3"])
        == 2
    )
    assert "does not support a limit of local memory" in capsys.readouterr().err


def test_runs_before_an_interruption_are_printed(capsys, trace, monkeypatch):
    run = NumaSimulation.run

    def interrupted(self, protocol, *counters):
        if protocol == "invalidate":
            raise KeyboardInterrupt
        return run(self, protocol, *counters)

    monkeypatch.setattr(NumaSimulation, "run", interrupted)
    assert main(["simulate", "numa", trace, "--protocol", "all", "--json"]) == 130
    printed = json.loads(capsys.readouterr().out)
    assert [row["protocol"] for row in printed["results"]] == ["upd", "self-tuned"]
    assert printed["interrupted"] is True


def test_csv_has_a_header_and_a_line_a_run(capsys, trace):
    assert main(["simulate", "numa", trace, "--delay", "1,2", "--csv"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith("protocol,delay,update,page_bytes,namc,references,cycles")
    assert [line.split(",")[:4] for line in lines] == [["upd", "1", "0", "1024"], ["upd", "2", "0", "1024"]]


def test_the_table_has_a_line_a_run(capsys, trace):
    assert main(["simulate", "numa", trace, "--delay", "1,2", "--update", "0,8"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2 + 4


def test_homes_and_limits_are_taken(capsys, trace):
    (row,) = run_json(capsys, trace, "--home", "1", "--local-pages", "1", "--delay", "1")
    assert (row["local_reads"], row["remote_writes"]) == (4, 2)


@pytest.mark.parametrize(
    "arguments",
    [
        ("no.txt",),
        ("gen:zipf",),
        ("TRACE", "--home", "64"),
        ("TRACE", "--processors", "1"),
        ("TRACE", "--protocol", "optimum", "--local-pages", "1"),
        ("TRACE", "--plot", "x.gif"),
        ("TRACE", "--costs", "no.toml"),
    ],
)
def test_mistakes_end_with_2(capsys, trace, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", "numa", *(trace if word == "TRACE" else word for word in arguments)]) == 2
    assert "litemrc: error:" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--protocol", "none"),
        ("--delay", "-1"),
        ("--home", "x"),
        ("--delay", "16777216"),
        ("--page-size", "1000"),
        ("--page-size", "x"),
    ],
)
def test_values_that_are_none_end_with_2(trace, arguments):
    with pytest.raises(SystemExit) as ended:
        main(["simulate", "numa", trace, *arguments])
    assert ended.value.code == 2


def test_costs_can_be_others(capsys, trace, tmp_path):
    costs = tmp_path / "costs.toml"
    costs.write_text(PAPER.read_text().replace("remote_read = 100", "remote_read = 40"))
    (row,) = run_json(capsys, trace, "--protocol", "always-remote", "--costs", str(costs))
    assert row["cycles"] == 2 * 5 + 4 * 40
    costs.write_text("word_bytes = 4\n[costs]\nlocal_access = 0\n")
    assert main(["simulate", "numa", trace, "--costs", str(costs)]) == 2
