# SPDX-License-Identifier: BSD-2-Clause
"""Checks a demo's collection against the simulator's record: comparison, data files and verdict."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from litemrc.checks.comparison import Comparison, ContextAccuracy
from litemrc.checks.counters import Account, Replay, accuracy, balance, compare, model_of, replay
from litemrc.checks.pages import check_accessed, check_hot, replay_hot
from litemrc.checks.traffic import check_traffic
from litemrc.cli.device.page_files import PageFiles
from litemrc.cli.shared.progress import counting
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.page_epochs import AccessedEpoch
from litemrc.device.hot import HotSettings
from litemrc.device.link.protocol import Message
from litemrc.device.simulation.recording import Recording, read_recording
from litemrc.epochs.files import write_epochs
from litemrc.epochs.table import EpochTable
from litemrc.pages.files import read_page_bitmaps
from litemrc.pages.hot_file import read_hot_lists

EXIT_DIFFERENT = 1
EXACT_ENGINE = "group_stack"


@dataclass(frozen=True)
class Results:
    """A collection, the simulator's record of the same accesses, and the result of their comparison.

    Attributes
    ----------
    hello
        the device's description of itself.
    cycles
        name, context and run time in cycles of each program.
    remarks
        a demo's own results, by name.
    wrong
        a demo's own failures, for the verdict.
    misattributed
        accesses in contexts that tracked no process, where processes are followed.
    early_ends
        epochs that a program in the guest ended.
    hls
        the compiler that made units of the monitor from hls/, and these units, or None.
    """

    hello: Message
    cycles: Sequence[tuple[str, int, int]]
    table: EpochTable
    recording: Recording
    comparison: Comparison
    account: Account
    estimates: Sequence[ContextAccuracy] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)
    wrong: Sequence[str] = ()
    misattributed: int = 0
    early_ends: int = 0
    hls: str | None = None


def check(
    out: Path,
    record: Path,
    hello: Message,
    collector: Collector,
    *,
    exact: bool = True,
    late: bool = False,
) -> Results:
    """Save the collection and the record in the folder `out`, and compare every counter.

    Parameters
    ----------
    record
        the recorder's file.
    exact
        compute exact stacks as well if the device's engine estimates.
    late
        the collection began after the first epochs; these are not compared.

    Raises
    ------
    UserError
        a file cannot be read or written.
    """
    table = collector.table()
    write_epochs(out / "curves.parquet", table)
    recording = read_recording(record, hello.page_shift)
    remarks, wrong = _check_traffic(record, recording, collector)
    recording.save(out / "accesses.parquet", 1 << hello.page_shift)
    golden = _replay(recording, table, table.engine)
    first_epoch = int(table.epoch[0]) if late and table.epoch.size else 0
    estimates = []
    if exact and table.engine != EXACT_ENGINE:
        estimates = accuracy(
            golden, _replay(recording, table, EXACT_ENGINE), table.group_pages, table.page_bytes
        )
    return Results(
        hello=hello,
        cycles=collector.cycles,
        table=table,
        recording=recording,
        comparison=compare(table, golden, recording.counts()["access"], first_epoch),
        account=balance(recording, table),
        estimates=estimates,
        remarks=remarks,
        wrong=wrong,
    )


def _check_traffic(
    record: Path, recording: Recording, collector: Collector
) -> tuple[dict[str, str], list[str]]:
    """Compare the DRAM commands of the epochs, if they were collected: a remark, and what is wrong."""
    if not collector.traffic:
        return {}, []
    check = check_traffic(record, recording, collector.traffic)
    if check.difference:
        return {}, [f"DRAM commands: {check.difference}"]
    remark = f"{check.counters:,} counters of {check.epochs} epochs are those of the recorded commands"
    return {"DRAM commands": remark}, []


def verdict(results: Results) -> int:
    """Print each failure on stderr; return the exit code, 0 without a failure."""
    found = failures(results)
    for line in found:
        print(f"litemrc: FAILED: {line}", file=sys.stderr)
    return EXIT_DIFFERENT if found else 0


def failures(results: Results) -> list[str]:
    """Return what is wrong, a line for each."""
    recording, table, comparison = results.recording, results.table, results.comparison
    wrong = list(results.wrong)
    if not recording.tap.exact:
        wrong.append(f"the tap {tap_text(recording)}")
    if not comparison.equal:
        wrong.append(
            f"the counters are wrong: {golden_text(comparison)}; first: {comparison.first_difference}"
        )
    if not results.account.balanced:
        wrong.append(f"the accesses do not add up: {account_text(results.account)}")
    if lost := table.link_statistics["epoch_messages_lost"]:
        wrong.append(f"{lost} epochs were lost on the link")
    if further := sum(each.further_off for each in results.estimates):
        wrong.append(f"the estimates of {further:,} accesses are more than one group off")
    return wrong


def _replay(recording: Recording, table: EpochTable, engine: str) -> Replay:
    with counting(f"epochs replayed by the golden {engine}", int(recording.epoch[-1]) + 1) as show_progress:
        return replay(recording, model_of(table, engine), lambda epochs: show_progress(epochs, ""))


def tap_text(recording: Recording) -> str:
    """Describe how the tap's accesses compare with those of the DRAM model."""
    tap = recording.tap
    if tap.exact:
        cycles = "1 cycle" if tap.clocks == 1 else f"{tap.clocks} cycles"
        return f"reported exactly the {tap.accesses:,} accesses to the DRAM model's arrays, {cycles} later"
    return (
        f"missed {tap.missed:,} of the {tap.accesses:,} accesses to the DRAM model's arrays"
        f" and reported {tap.invented:,} that did not happen"
    )


def account_text(account: Account) -> str:
    """Describe how the counted accesses compare with those recorded."""
    counted = f"{account.counted:,} accesses counted or dropped"
    if account.balanced:
        return f"{counted}, equal to the accesses of the DRAM model in these epochs"
    first = f"; first difference: {account.difference}" if account.difference else ""
    return f"{counted}, but the DRAM model had {account.recorded:,} in these epochs{first}"


def golden_text(comparison: Comparison) -> str:
    """Describe how the counters compare with those of the golden model."""
    if comparison.equal:
        return (
            f"all {comparison.counters:,} counters are equal over {comparison.accesses:,} recorded accesses"
        )
    return f"{comparison.differences:,} of {comparison.counters:,} counters differ"


def event_text(message: Message, workloads: Sequence[str]) -> str:
    """Return a device's event as text, such as "workload started: zipf"; empty for other messages."""
    if message.name != "event":
        return ""
    return f"{message.kind}: {workloads[message.workload]}".replace("_", " ")


def page_files(out: Path, hello: Message) -> PageFiles:
    """Return the files in the folder `out`, of what the device has."""
    return PageFiles(_bitmaps(out) if hello.page_bitmap else None, _lists(out) if hello.hot_pages else None)


def with_pages(results: Results, out: Path) -> Results:
    """Return the results with the comparison of the files in the folder `out`.

    Linux has the bits and the list of the last epoch only. An epoch ends early when a process is followed,
    when it ends, and on command, so as many epochs may be overwritten before they are read.
    """
    frames, recording = results.hello.frames, results.recording
    epochs = len(set(results.table.epoch.tolist()))
    may_miss = 2 * len(results.table.processes) + results.early_ends
    found = {}
    if results.hello.page_bitmap:
        read = read_page_bitmaps(_bitmaps(out))
        bits = zip(read.epoch.tolist(), read.accessed, read.written, strict=True)
        rows = (AccessedEpoch(epoch, bytes(accessed), bytes(written)) for epoch, accessed, written in bits)
        found["page bitmap"] = check_accessed(recording, rows, frames)
    if results.hello.hot_pages:
        lists = read_hot_lists(_lists(out))
        golden = replay_hot(recording, HotSettings(**lists.settings), frames)
        found["hot pages"] = check_hot(golden, lists.rows)
    remarks, wrong = dict(results.remarks), list(results.wrong)
    for name, check in found.items():
        missing = epochs - check.epochs
        remarks[name] = f"{check.epochs} epochs are those of the golden model"
        if missing:
            remarks[name] += f"; {missing} were overwritten before they were read"
        if check.difference or not 0 <= missing <= may_miss:
            remarks[name] = f"wrong or missing after {check.epochs} of {epochs} epochs"
            wrong.append(f"{name}: {check.difference or remarks[name]}")
    return replace(results, remarks=remarks, wrong=wrong)


def _bitmaps(out: Path) -> Path:
    return out / "pages.parquet"


def _lists(out: Path) -> Path:
    return out / "hot.parquet"
