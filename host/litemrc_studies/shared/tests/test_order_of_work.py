# SPDX-License-Identifier: BSD-2-Clause
"""Every machine checks, then works, then prints, then draws; what is done is never lost."""

import csv
import json
from dataclasses import dataclass
from importlib import import_module

import pytest
from litemrc.errors import UserError
from litemrc_studies.shared.tests.small_scenarios import MM, TRAYS

from tests.host.in_process import interrupt_replace, litemrc

BANKS = ("--workload", "light", "--ticks", "3", "--memory", "64M", "--banks", "16")


@dataclass
class Case:
    """A command whose work is several runs.

    Attributes
    ----------
    line
        its arguments; MM and TRAYS stand for files of scenarios.
    work
        module and name of the function that makes one run.
    column
        of --csv, which names the run.
    runs
        names of the runs, in order.
    """

    line: tuple[str, ...]
    work: tuple[str, str]
    column: str
    runs: tuple[str, ...]


CASES = {
    "mm": Case(
        ("simulate", "mm", "MM"),
        ("zhou2004.machine.multiprogram", "simulate"),
        "policy",
        ("global-clock", "equal"),
    ),
    "trays": Case(
        ("simulate", "trays", "TRAYS"),
        ("jantz2013.machine.scenario", "run_case"),
        "configuration",
        ("default", "colors"),
    ),
    "energy": Case(
        (
            "simulate",
            "energy",
            "gen:loop?pages=300&n=2000",
            "--chip-pages",
            "32,64",
            "--scheme",
            "mrc-static",
        ),
        ("zhou2004.machine.chips", "compare"),
        "chip_pages",
        ("32", "64"),
    ),
    "numa": Case(
        ("simulate", "numa", "gen:fft?n=2000", "--protocol", "self-tuned,always-remote"),
        ("reference_counters.machine.numa", "NumaSimulation.run"),
        "protocol",
        ("self-tuned", "always-remote"),
    ),
    "placement": Case(
        ("simulate", "placement", *BANKS, "--allocator", "buddy,tray"),
        ("panwar2015.machine.placement", "simulate"),
        "allocator",
        ("buddy", "tray"),
    ),
    "replace": Case(
        ("replace", "--global", "gen:loop?pages=9&n=90", "--memory", "4,8", "--policy", "lru"),
        ("glass1997.machine.round_robin", "run_together"),
        "memory_pages",
        ("4", "8"),
    ),
}
EVERY = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@pytest.fixture
def run(tmp_path):
    """Runs a case with further arguments."""
    (tmp_path / "mm.toml").write_text(MM)
    (tmp_path / "trays.toml").write_text(TRAYS)
    files = {"MM": tmp_path / "mm.toml", "TRAYS": tmp_path / "trays.toml"}
    return lambda case, *more: litemrc(*(files.get(word, word) for word in case.line), *more)


def stopping(monkeypatch, case: Case, error: BaseException, after: int = 1) -> None:
    """Let the work raise an error once `after` runs are done."""
    module, name = case.work
    holder = import_module(f"litemrc_studies.{module}")
    if "." in name:
        kind, name = name.split(".")
        holder = getattr(holder, kind)
    work, done = getattr(holder, name), []

    def limited(*arguments, **options):
        if len(done) == after:
            raise error
        done.append(work(*arguments, **options))
        return done[-1]

    # The command may have imported the function already.
    command = case.line[1] if case.line[0] == "simulate" else case.line[0]
    for each in (holder, import_module(f"litemrc_studies.{module.split('.')[0]}.command.{command}")):
        if getattr(each, name, None) is work:
            monkeypatch.setattr(each, name, limited)


def named(case: Case, text: str) -> list[str]:
    """The runs in a CSV text, each once."""
    return list(dict.fromkeys(row[case.column] for row in csv.DictReader(text.splitlines())))


@EVERY
def test_a_picture_that_fails_loses_no_result(run, case, tmp_path, monkeypatch):
    def fail(*_):
        raise UserError("cannot write: No space left on device")

    monkeypatch.setattr("litemrc.plots.files.save_figure", fail)
    done = run(case, "--csv", "--plot", tmp_path / "x.png")
    assert done.returncode != 0 and "No space left" in done.stderr
    assert named(case, done.stdout) == list(case.runs)


@EVERY
@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt, 130), (UserError, 2)])
def test_finished_runs_are_printed_and_marked(run, case, monkeypatch, error, code):
    with monkeypatch.context() as patch:
        stopping(patch, case, error("the trace is bad"))
        done = run(case, "--json")
    assert done.returncode == code
    assert "interrupted" in done.stderr or "the trace is bad" in done.stderr
    assert json.loads(done.stdout)["interrupted"] is True
    with monkeypatch.context() as patch:
        stopping(patch, case, error("the trace is bad"))
        assert named(case, run(case, "--csv").stdout) == [case.runs[0]]
    with monkeypatch.context() as patch:
        stopping(patch, case, error("the trace is bad"))
        assert run(case).stdout.endswith("interrupted: the results are incomplete\n")


@EVERY
def test_nothing_is_printed_if_nothing_was_finished(run, case, monkeypatch):
    stopping(monkeypatch, case, KeyboardInterrupt(), after=0)
    done = run(case)
    assert (done.returncode, done.stdout) == (130, "")


@EVERY
@pytest.mark.parametrize("fault", ["suffix", "folder", "matplotlib"])
def test_a_picture_that_cannot_be_is_refused_before_the_work(run, case, fault, tmp_path, monkeypatch):
    stopping(monkeypatch, case, AssertionError("the work began"), after=0)
    path = {"suffix": "x.gif", "folder": "none/x.png", "matplotlib": "x.png"}[fault]
    if fault == "matplotlib":
        monkeypatch.setattr("litemrc.extras.find_spec", lambda module: None)
    done = run(case, "--plot", tmp_path / path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "remedy:" in done.stderr


@EVERY
def test_json_and_csv_exclude_each_other(run, case):
    assert run(case, "--json", "--csv").returncode == 2


def test_an_interrupted_trace_gives_the_counts_so_far(tmp_path, monkeypatch):
    """The first chunk is replayed, then Ctrl-C: its references are counted, the later ones are not."""
    interrupt_replace(monkeypatch)
    trace = "gen:loop?pages=50&n=300000"
    done = litemrc("replace", trace, "--memory", "49", "--policy", "lru,opt", "--json")
    assert done.returncode == 130
    found = json.loads(done.stdout)
    assert found["interrupted"] is True
    lru = found["results"][0]
    # A loop over one page more than the memory: LRU always misses.
    assert 0 < found["references"] < 300_000 and lru["faults"] == found["references"]
