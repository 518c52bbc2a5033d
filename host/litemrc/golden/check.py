"""Compares collected epochs with what the golden model makes of the recorded accesses, counter by counter."""

from collections.abc import Mapping

from litemrc.comparison import Comparison, ContextComparison
from litemrc.epoch_table import EpochRow, EpochTable


def compare(collected: EpochTable, golden: Mapping[tuple[int, int], EpochRow], accesses: int) -> Comparison:
    """Compares every counter of every finished epoch and context, those that must be zero included.

    A row that was not collected stands for zeros: the device sends no context without accesses.

    Parameters:
        collected: from the device.
        golden: rows by (epoch, context), for all contexts of all finished epochs.
        accesses: recorded accesses the golden rows come from, for the report.
    """
    rows = {(int(collected.epoch[n]), int(collected.context[n])): n for n in range(collected.epoch.size)}
    counters = [0] * collected.contexts
    differences = [0] * collected.contexts
    first = ""
    for key in sorted(golden.keys() | rows.keys()):
        epoch, context = key
        device = _counters_of(collected, rows.get(key))
        model = _counters_of_row(golden.get(key), collected.groups)
        for name in device.keys() | model.keys():
            counters[context] += 1
            if device.get(name, 0) != model.get(name, 0):
                differences[context] += 1
                first = first or (
                    f"epoch {epoch}, context {context}, {name}: "
                    f"device {device.get(name, 0)}, golden model {model.get(name, 0)}"
                )
    contexts = tuple(
        ContextComparison(context, counters[context], differences[context])
        for context in range(collected.contexts)
        if counters[context]
    )
    return Comparison(contexts, accesses, first)


def _counters_of(table, row):
    if row is None:
        return {}
    hits = {f"hit[{group}]": int(hit) for group, hit in enumerate(table.hits[row])}
    return hits | {"misses": int(table.misses[row]), "accesses": int(table.accesses[row])}


def _counters_of_row(row, groups):
    if row is None:
        return {f"hit[{group}]": -1 for group in range(groups)}  # an epoch the model never finished
    hits = {f"hit[{group}]": hit for group, hit in enumerate(row.hits)}
    return hits | {"misses": row.misses, "accesses": row.accesses}
