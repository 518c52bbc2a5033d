# SPDX-License-Identifier: BSD-2-Clause
"""Which epochs are whose: processes side by side and one after the other, against plain bookkeeping."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.cli import main as cli
from litemrc.cli.curves.counter_table import counter_table
from litemrc.epochs.files import read_epochs, write_epochs
from litemrc.epochs.processes import Owner, Process, ProcessLog
from litemrc.epochs.table import EpochTable
from litemrc.plots.curves import curves_figure, epochs_figure, panels_figure
from litemrc.reports.run import write_report

from tests.host.epoch_rows import PARAMETERS, row

SORT, GZIP, SORT_AGAIN = (
    Process(1, 57, "sort", 0, 1),
    Process(2, 58, "gzip", 1, 3),
    Process(1, 60, "sort", 3, 3),
)


@pytest.fixture
def table() -> EpochTable:
    """sort, then another sort in the same context, gzip beside them; epoch 2 of context 1 is nobody's.

    Accesses: kernel 8 in each of 4 epochs; context 1: 10, 20, 5, 40; context 2: 0, 6, 6, 6.
    """
    rows = []
    for epoch, (one, two) in enumerate([(10, 0), (20, 6), (5, 6), (40, 6)]):
        for context, accesses in ((0, 8), (1, one), (2, two)):
            if accesses:
                hits = (accesses - 2, 0, 1, 0) if context == 1 else (accesses - 1, 0, 0, 0)
                rows.append(
                    row(
                        epoch=epoch, context=context, accesses=accesses, misses=1, touched=1 + context,
                        dropped=epoch, hits=hits,
                    )
                )  # fmt: skip
    names = {0: "kernel", 1: "sort"}
    return EpochTable.from_rows(
        rows, **PARAMETERS, context_names=names, processes=(SORT, GZIP, SORT_AGAIN), system="Linux 6.1.0"
    )


def test_processes_that_used_one_context_one_after_the_other_are_distinguished(table):
    owners = table.owners_with_data
    names = [table.name_of(owner) for owner in owners]
    assert names == ["kernel", "context 1, others", "sort (pid 57)", "sort (pid 60)", "gzip (pid 58)"]
    assert [table.curve(owner).accesses for owner in owners] == [32, 5, 30, 40, 18]
    assert [owner.context for owner in owners] == [0, 1, 1, 1, 2]
    assert [table.curve(owner).name for owner in owners] == names
    assert table.curve(1).accesses == 75
    assert table.curve(Owner(1, SORT)).dropped == 0 + 1, "of the epochs it was there"
    assert table.working_set(Owner(1, SORT_AGAIN)) == {3: 2}


epochs_and_contexts = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 12), st.integers(0, 6)), max_size=8
)


@given(spans=epochs_and_contexts, start=st.integers(0, 6), stop=st.integers(0, 14))
@settings(max_examples=200, deadline=None)
def test_every_counted_access_has_one_owner(spans, start, stop):
    processes, last = [], {}
    for pid, (context, first, length) in enumerate(sorted(spans)):
        first = max(first, last.get(context, -1) + 1)
        last[context] = first + length
        processes.append(Process(context, pid, "p", first, first + length))
    rows = [
        row(epoch=e, context=c, accesses=3 * (c + e + 1), misses=c + e + 1, touched=1, dropped=0,
            hits=(c + e + 1, 0, c + e + 1, 0))
        for e in range(14) for c in range(4)
    ]  # fmt: skip
    table = EpochTable.from_rows(rows, **PARAMETERS, processes=tuple(processes)).between(start, stop)

    owners = table.owners_with_data
    covered = sum((table.rows_of(owner).astype(int) for owner in owners), np.zeros(table.epoch.size))
    assert covered.tolist() == [1] * table.epoch.size
    assert len(set(owners)) == len(owners)
    if owners:
        parts, whole = [table.counters(owner) for owner in owners], table.counters()
        assert sum(part.hits for part in parts).tolist() == whole.hits.tolist()
        assert whole.hits.tolist() == table.counters(owners).hits.tolist()
        assert sum(part.misses for part in parts) == whole.misses


@pytest.mark.parametrize(
    ("processes", "why"),
    [
        ((Process(8, 1, "a", 0, 0),), "only 8 contexts"),
        ((Process(1, 1, "a", 0, 2), Process(1, 2, "b", 2, 3)), "in epoch 2"),
    ],
)
def test_processes_that_cannot_be_are_refused(table, processes, why):
    with pytest.raises(ValueError, match=why):
        replace(table, processes=processes)


def test_a_process_that_ends_before_it_begins_is_refused():
    for epochs in ((3, 2), (3, 4, 1), (3, 4, 5), (-1, 2)):
        with pytest.raises(ValueError, match="no such process"):
            Process(1, 1, "a", *epochs)
    assert Process(1, 1, "a", 0, 4, -1).ended_after == -1, "it ended before its first epoch did"


class Bookkeeping:
    """What a log must find, kept as a list of epochs per follower, of which there is a new one each time."""

    def __init__(self):
        self.all, self.now = [], {}

    def begin(self, context, pid, comm):
        self.leave(context)
        self.all.append({"context": context, "pid": pid, "comm": comm, "epochs": [], "ended": None})
        self.now[context] = self.all[-1]

    def leave(self, context):
        followed = self.now.pop(context, None)
        if followed and followed["ended"] is None:
            followed["ended"] = len(followed["epochs"])

    @staticmethod
    def end(each):
        """The last epoch before the end."""
        if each["ended"] is None:
            return None
        return each["epochs"][each["ended"] - 1] if each["ended"] else each["epochs"][0] - 1

    @property
    def processes(self):
        return sorted(
            (
                each["epochs"][0],
                each["context"],
                each["pid"],
                each["comm"],
                each["epochs"][-1],
                str(self.end(each)),
            )
            for each in self.all
            if each["epochs"]
        )


events = st.tuples(
    st.sampled_from(["follow", "end", "free", "epoch", "epoch", "rename"]),
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from(["sort", "gzip", "litemrcd"]),
)


@given(told=st.lists(events, max_size=60))
@settings(max_examples=400, deadline=None)
def test_a_log_of_any_messages_is_what_plain_bookkeeping_finds(told):
    """A new process begins anew, a name may change, and an ended process stays until freed or replaced."""
    log, book, epoch = ProcessLog(), Bookkeeping(), 5
    for what, context, pid, comm in told:
        followed = book.now.get(context)
        if what == "follow" and not (followed and followed["ended"] is None and followed["pid"] == pid):
            book.begin(context, pid, comm)
            log.follow(context, pid, comm)
        elif what == "rename" and followed and followed["ended"] is None:
            followed["comm"] = comm
            log.follow(context, followed["pid"], comm)
        elif what == "end" and followed and followed["ended"] is None:
            followed["ended"] = len(followed["epochs"])
            log.end(context, followed["pid"], followed["comm"])
        elif what == "free":
            book.leave(context)
            log.free(context)
        elif what == "epoch":
            epoch += 1
            for each in book.now.values():
                each["epochs"].append(epoch)
            log.note_epoch(epoch)
    found = [
        (p.first_epoch, p.context, p.pid, p.comm, p.last_epoch, str(p.ended_after)) for p in log.processes
    ]
    assert sorted(found) == book.processes


def test_a_process_found_at_the_start_has_the_epochs_from_then_on():
    log = ProcessLog()
    log.follow(1, 41, "sh")
    log.note_epoch(7)
    log.end(1, 41, "sh")
    log.note_epoch(8)
    assert log.processes == (Process(1, 41, "sh", 7, 8, 7),)


def test_cgroups_are_distinguished_by_name():
    log = ProcessLog()
    log.follow(1, 0, "jobs")
    log.note_epoch(0)
    log.follow(1, 0, "shells")
    log.note_epoch(1)
    assert [process.label for process in log.processes] == ["jobs (cgroup)", "shells (cgroup)"]


def test_processes_are_kept_in_the_file(table, tmp_path):
    write_epochs(tmp_path / "curves.parquet", table)
    again = read_epochs(tmp_path / "curves.parquet")
    assert (again.processes, again.system) == (table.processes, table.system)


@pytest.fixture
def file(table, tmp_path):
    write_epochs(tmp_path / "curves.parquet", table)
    return tmp_path / "curves.parquet"


def curve_json(capsys, *arguments):
    assert cli.main(["curve", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("wanted", "accesses", "pids"),
    [("57", 30, [57]), ("sort", 70, [57, 60]), ("gzip", 18, [58]), ("sort (pid 60)", 40, [60])],
)
def test_curve_selects_processes_by_pid_and_name(file, capsys, wanted, accesses, pids):
    found = curve_json(capsys, file, "--process", wanted)
    assert found["accesses"] == accesses
    assert [process["pid"] for process in found["processes"]] == pids


def test_curve_of_a_context_is_of_all_that_used_it(file, capsys):
    found = curve_json(capsys, file, "--context", "1")
    assert (found["context"], found["accesses"]) == (1, 75)
    assert curve_json(capsys, file, "--context", "kernel")["accesses"] == 32


def test_a_process_without_data_is_an_error_that_names_those_with(file, capsys):
    assert cli.main(["curve", str(file), "--process", "vi"]) == 2
    said = capsys.readouterr().err
    assert "process vi has no data" in said and "sort (pid 57), sort (pid 60), gzip (pid 58)" in said


def test_the_table_names_every_process(table):
    said = counter_table(table)
    for name in ("0 kernel", "1 sort (pid 57)", "1 sort (pid 60)", "2 gzip (pid 58)"):
        assert name in said


def test_figures_and_report_show_each_process_in_a_colour_of_its_own(table, tmp_path):
    axes = curves_figure(table).axes[0]
    drawn = [line for line in axes.lines if line.get_drawstyle() == "steps-post"]
    assert len({line.get_color() for line in drawn}) == len(drawn) == 5
    assert sum(panel.get_visible() for panel in panels_figure(table).axes) == 5
    assert epochs_figure(table)

    write_report(tmp_path / "report.html", table, title="Linux")
    page = (tmp_path / "report.html").read_text()
    for name in ("sort (pid 57)", "sort (pid 60)", "gzip (pid 58)", "kernel"):
        assert name in page


def test_a_name_cannot_play_tricks_with_the_report(table, tmp_path):
    evil = replace(table, processes=(Process(1, 57, "<b>$x$", 0, 3),))
    write_report(tmp_path / "report.html", evil, title="Linux")
    page = (tmp_path / "report.html").read_text()
    assert "<b>$x$" not in page and "&lt;b&gt;$x$ (pid 57)" in page
