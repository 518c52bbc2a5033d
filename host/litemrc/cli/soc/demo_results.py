"""Checks a demo's collection against the simulator's record: comparison, data files and verdict."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from litemrc.checks.account import Account, balance
from litemrc.checks.accuracy import accuracy
from litemrc.checks.comparison import Comparison, ContextAccuracy
from litemrc.checks.counters import compare, model_of
from litemrc.checks.replay import Replay, replay
from litemrc.cli.shared.progress import counting
from litemrc.device.collecting.collector import Collector
from litemrc.device.link.protocol import Message
from litemrc.device.simulation.recording import Recording, read_recording
from litemrc.epochs.files import EpochTable, write_epochs

EXIT_DIFFERENT = 1
EXACT_ENGINE = "group_stack"


@dataclass(frozen=True)
class Results:
    """A collection, the simulator's record of the same accesses, and the result of their comparison.

    Attributes:
        hello: the device's description of itself.
        cycles: name, context and run time in cycles of each program.
        remarks: a demo's own results, by name.
        wrong: a demo's own failures, for the verdict.
        hls: the compiler that made units of the monitor from hls/, and these units, or None.
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

    Parameters:
        record: the recorder's file.
        exact: compute exact stacks as well if the device's engine estimates.
        late: the collection began after the first epochs; these are not compared.

    Raises:
        UserError: a file cannot be read or written.
    """
    table = collector.table()
    write_epochs(out / "curves.parquet", table)
    recording = read_recording(record, hello.page_shift)
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
    )


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
        wrong.append(f"{lost} epoch messages were lost on the link")
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
