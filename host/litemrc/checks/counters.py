"""Compares what a device collected with the golden model, counter by counter."""

from collections.abc import Mapping

from litemrc.checks.comparison import Comparison, ContextComparison
from litemrc.checks.replay import Replay
from litemrc.epochs.table import OF_THE_EPOCH, EpochTable
from litemrc.golden.monitor.monitor import MonitorModel

_OF_THE_CONTEXT = ("accesses", "misses", "touched")


def model_of(table: EpochTable, engine: str | None = None) -> MonitorModel:
    """Return the golden model of the monitor that counted a table, or the same with another engine.

    Raises:
        KeyError: an engine without a model.
    """
    recent_pages = table.recent_pages if engine in (None, table.engine) else None
    return MonitorModel(
        table.frames, table.groups, table.contexts, engine or table.engine, table.pages, recent_pages
    )


def compare(collected: EpochTable, golden: Replay, accesses: int, first_epoch: int = 0) -> Comparison:
    """Compare every counter of every finished epoch and context, including those that must be zero.

    A context without a row in an epoch counts as zeros: the device sends no row without accesses. A row of
    an epoch that the model did not finish differs in all its counters.

    Parameters:
        collected: table from the device.
        golden: replay of the recorded events.
        accesses: recorded accesses, for the report.
        first_epoch: earlier epochs are left out, as the collection began later.
    """
    device = {
        (int(collected.epoch[row]), int(collected.context[row])): _device_counters(collected, row)
        for row in range(collected.epoch.size)
    }
    model = {
        (epoch.epoch, context): _model_counters(golden, number, context)
        for number, epoch in enumerate(golden.epochs)
        if epoch.epoch >= first_epoch
        for context in range(collected.contexts)
    }
    counters = [0] * collected.contexts
    differences = [0] * collected.contexts
    first = ""
    for epoch, context in sorted(device.keys() | model.keys()):
        expected = dict(model.get((epoch, context), {}))
        found = device.get((epoch, context))
        if found is None:  # what belongs to the whole epoch is compared in the rows there are
            found = dict.fromkeys(expected.keys() - set(OF_THE_EPOCH), 0)
            expected = {name: expected[name] for name in found}
        for name in expected.keys() | found.keys():
            counters[context] += 1
            if expected.get(name) != found.get(name):
                differences[context] += 1
                where = f"epoch {epoch}, context {context}, {name}"
                first = first or f"{where}: device {found.get(name)}, golden model {expected.get(name)}"
    contexts = tuple(
        ContextComparison(context, counters[context], differences[context])
        for context in range(collected.contexts)
        if counters[context]
    )
    return Comparison(contexts, accesses, first)


def _device_counters(table: EpochTable, row: int) -> Mapping[str, int]:
    totals = {name: int(getattr(table, name)[row]) for name in (*_OF_THE_CONTEXT, *OF_THE_EPOCH)}
    return totals | {f"hit[{group}]": int(hit) for group, hit in enumerate(table.hits[row])}


def _model_counters(golden: Replay, number: int, context: int) -> Mapping[str, int]:
    epoch = golden.epochs[number]
    of_the_epoch = {"scale_log2": golden.scale_log2[number], "split": int(golden.split[number])}
    of_the_epoch |= {name: getattr(epoch, name) for name in OF_THE_EPOCH if name not in of_the_epoch}
    of_the_context = {name: getattr(epoch, name)[context] for name in _OF_THE_CONTEXT}
    hits = {f"hit[{group}]": hit for group, hit in enumerate(epoch.hits[context])}
    return of_the_context | of_the_epoch | hits
