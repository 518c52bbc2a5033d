"""Runs the golden model over recorded events and compares what a device collected, counter by counter."""

from collections.abc import Callable, Mapping

from litemrc.comparison import Comparison, ContextComparison
from litemrc.device.recording import OPS, Recording
from litemrc.epoch_table import EpochTable
from litemrc.golden.hit_counters import EpochCounters
from litemrc.golden.monitor import MonitorModel


def golden_epochs(
    recording: Recording,
    engine: str,
    frames: int,
    groups: int,
    contexts: int,
    progress: Callable[[int], object] = lambda epoch: None,
) -> list[EpochCounters]:
    """Runs the golden model of a monitor of that engine and size, with default settings, over the events.

    Returns:
        Every finished epoch.

    Raises:
        KeyError: an engine without a model.
    """
    model = MonitorModel(frames, groups, contexts, engine)
    actions = {
        "access": model.access,
        "dropped": lambda frame, context: model.drop(),
        "invalidate": lambda frame, context: model.invalidate(frame),
        "clear": lambda frame, context: model.clear(),
        "mark": lambda frame, context: model.mark(),
    }
    do = [actions[op] for op in OPS]
    finished = []
    columns = (recording.op, recording.frame, recording.context, recording.epoch_end)
    for op, frame, context, epoch_end in zip(*(column.tolist() for column in columns), strict=True):
        do[op](frame, context)
        if epoch_end:
            finished.append(model.end_epoch())
            progress(len(finished))
    return finished


def compare(collected: EpochTable, golden: list[EpochCounters], accesses: int) -> Comparison:
    """Compares every counter of every finished epoch and context, those that must be zero included.

    A context without a row in an epoch stands for zeros: the device sends none without accesses. A row of
    an epoch that the model did not finish differs in all its counters.

    Parameters:
        collected: from the device.
        golden: the model's epochs.
        accesses: recorded accesses the golden epochs come from, for the report.
    """
    device = {
        (int(collected.epoch[row]), int(collected.context[row])): _device_counters(collected, row)
        for row in range(collected.epoch.size)
    }
    model = {
        (epoch.epoch, context): _model_counters(epoch, context)
        for epoch in golden
        for context in range(collected.contexts)
    }
    counters = [0] * collected.contexts
    differences = [0] * collected.contexts
    first = ""
    for epoch, context in sorted(device.keys() | model.keys()):
        expected = model.get((epoch, context), {})
        found = device.get((epoch, context), {"dropped": expected.get("dropped", 0)})
        for name in expected.keys() | found.keys():
            values = found.get(name, 0), expected.get(name, 0 if expected else None)
            counters[context] += 1
            if values[0] != values[1]:
                differences[context] += 1
                where = f"epoch {epoch}, context {context}, {name}"
                first = first or f"{where}: device {values[0]}, golden model {values[1]}"
    contexts = tuple(
        ContextComparison(context, counters[context], differences[context])
        for context in range(collected.contexts)
        if counters[context]
    )
    return Comparison(contexts, accesses, first)


def _device_counters(table: EpochTable, row: int) -> Mapping[str, int]:
    totals = {name: int(getattr(table, name)[row]) for name in ("accesses", "misses", "dropped")}
    return totals | {f"hit[{group}]": int(hit) for group, hit in enumerate(table.hits[row])}


def _model_counters(epoch: EpochCounters, context: int) -> Mapping[str, int]:
    totals = {"accesses": epoch.accesses[context], "misses": epoch.misses[context], "dropped": epoch.dropped}
    return totals | {f"hit[{group}]": hit for group, hit in enumerate(epoch.hits[context])}
