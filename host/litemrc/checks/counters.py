# SPDX-License-Identifier: BSD-2-Clause
"""Compares what the simulated SoC counted with its record and the golden model; accuracy of estimates."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litemrc.checks.comparison import Comparison, ContextAccuracy, ContextComparison
from litemrc.curves.hit_counters import HitCounters
from litemrc.curves.sizes import PAGE_BYTES
from litemrc.device.simulation.recording import OPS, Recording
from litemrc.epochs.columns import OF_THE_EPOCH
from litemrc.epochs.table import EpochTable
from litemrc.golden.monitor.hit_counters import EpochCounters
from litemrc.golden.monitor.monitor import MonitorModel
from litemrc.golden.monitor.positions import NONE, Position

_SEEN = (OPS.index("access"), OPS.index("dropped"))
_LEFT_OUT = ("dropped", "outside", "unsampled")
_OF_THE_CONTEXT = ("accesses", "misses", "touched")


@dataclass(frozen=True, eq=False)
class Replay:
    """Results of the model.

    Attributes
    ----------
    epochs
        counters of every finished epoch.
    scale_log2
        for each epoch, log2 of the pages of memory that a page in the stacks stands for.
    split
        for each epoch, whether writes counted apart.
    kind, group, context
        uint8[n], the position of each event (`golden.monitor.positions`).
    """

    epochs: list[EpochCounters]
    scale_log2: list[int]
    split: list[bool]
    kind: NDArray[np.uint8]
    group: NDArray[np.uint8]
    context: NDArray[np.uint8]


def replay(
    recording: Recording, model: MonitorModel, progress: Callable[[int], object] = lambda epochs: None
) -> Replay:
    """Run a new model over all events; `progress` is called with the number of epochs finished."""

    def drop(frame: int, context: int, write: bool) -> Position:
        model.drop()
        return NONE

    actions = {
        "access": model.access,
        "dropped": drop,
        "invalidate": lambda frame, context, write: model.invalidate(frame),
        "claim": lambda frame, context, write: model.claim(frame, context),
        "clear": lambda frame, context, write: model.clear(),
        "mark": lambda frame, context, write: model.mark(),
    }
    do = [actions[op] for op in OPS]
    epochs, scales, splits, positions = [], [], [], bytearray()
    in_force = None
    columns = ("op", "frame", "context", "write", "frozen", "epoch_end", "setting")
    for op, frame, context, write, frozen, epoch_end, setting in recording.events(*columns):
        if setting != in_force:
            in_force = setting
            settings = recording.settings[setting]
            model.set_range(settings.lower, settings.upper)
            model.set_sampling(settings.sampling)
            model.set_split(bool(settings.split))
        model.freeze = bool(frozen)
        positions.extend(do[op](frame, context, write))
        if epoch_end:
            scales.append(model.filter.scale_log2)
            splits.append(bool(model.filter.split))
            epochs.append(model.end_epoch())
            progress(len(epochs))
    kinds, groups, contexts = np.frombuffer(positions, dtype=np.uint8).reshape(-1, 3).T
    return Replay(epochs, scales, splits, kinds, groups, contexts)


@dataclass(frozen=True)
class Account:
    """Accesses of the DRAM in all epochs collected, as the simulator recorded and as the device counted them.

    Attributes
    ----------
    recorded
        accesses while the monitor was on and not frozen, after the last clear of their epoch.
    counted
        accesses of all contexts, and those dropped, out of range and not sampled.
    difference
        the first epoch in which they differ, with both numbers; empty if there is none.
    """

    recorded: int
    counted: int
    difference: str = ""

    @property
    def balanced(self) -> bool:
        """True if something was counted, and nothing is missing or too many."""
        return self.counted > 0 and not self.difference


def balance(recording: Recording, table: EpochTable) -> Account:
    """Compare, epoch by epoch, the accesses a device counted with those recorded.

    The recording's accesses are those of the observer in the DRAM model, if its tap is exact.
    """
    clear = np.flatnonzero(recording.op == OPS.index("clear"))
    seen = np.isin(recording.op, _SEEN) & ~recording.frozen
    # A clear restarts its epoch: no counter holds earlier accesses of the same epoch.
    last_clear = np.zeros(int(recording.epoch[-1]) + 1 if recording.epoch.size else 0, dtype=np.int64)
    np.maximum.at(last_clear, recording.epoch[clear], clear)
    seen &= np.arange(recording.op.size) >= last_clear[recording.epoch]
    of_epoch = np.bincount(recording.epoch[seen], minlength=last_clear.size)

    recorded = counted = 0
    difference = ""
    for epoch in np.unique(table.epoch).tolist():
        rows = table.epoch == epoch
        there = int(of_epoch[epoch]) if epoch < of_epoch.size else 0
        not_counted = sum(int(getattr(table, name)[rows][0]) for name in _LEFT_OUT)
        counted_here = int(table.accesses[rows].sum()) + not_counted
        if there != counted_here:
            difference = difference or f"epoch {epoch}: {there:,} recorded, {counted_here:,} counted"
        recorded, counted = recorded + there, counted + counted_here
    return Account(recorded, counted, difference)


def accuracy(
    estimated: Replay, exact: Replay, group_pages: int, page_bytes: int = PAGE_BYTES
) -> list[ContextAccuracy]:
    """Compare two models that ran over the same events, for each context that had accesses.

    Parameters
    ----------
    estimated, exact
        replays that differ only in the stack engine.
    group_pages
        pages of the memory in a group.

    Raises
    ------
    ValueError
        they disagree on which accesses hit, or on the owner of a page: neither is estimated.
    """
    if (estimated.kind != exact.kind).any() or (estimated.context != exact.context).any():
        raise ValueError("the models differ in hits, misses or owners")
    off = np.abs(estimated.group.astype(int) - exact.group)
    found = []
    for context in range(len(exact.epochs[0].accesses)) if exact.epochs else ():
        curves = [_counters(replay, context, group_pages).curve(page_bytes) for replay in (estimated, exact)]
        if not curves[1].accesses:
            continue
        errors = np.abs(curves[0].miss_ratio - curves[1].miss_ratio)
        in_use = max(max(curve.reuse_pages for curve in curves) // group_pages, 1)
        of_context = off[exact.context == context]
        found.append(
            ContextAccuracy(
                context,
                curves[1],
                float(errors.mean()),
                float(errors[:in_use].mean()),
                float(errors.max()),
                int((of_context == 1).sum()),
                int((of_context > 1).sum()),
            )
        )
    return found


def _counters(replay: Replay, context: int, group_pages: int) -> HitCounters:
    hits = np.sum([epoch.hits[context] for epoch in replay.epochs], axis=0, dtype=np.uint64)
    misses = sum(epoch.misses[context] for epoch in replay.epochs)
    return HitCounters.of(hits, misses, group_pages)


def model_of(table: EpochTable, engine: str | None = None) -> MonitorModel:
    """Return the golden model of the monitor that counted a table, or the same with another engine.

    Raises
    ------
    KeyError
        an engine without a model.
    """
    recent_pages = table.recent_pages if engine in (None, table.engine) else None
    return MonitorModel(
        table.frames, table.groups, table.contexts, engine or table.engine, table.pages, recent_pages
    )


def compare(collected: EpochTable, golden: Replay, accesses: int, first_epoch: int = 0) -> Comparison:
    """Compare every counter of every finished epoch and context, including those that must be zero.

    A context without a row in an epoch counts as zeros: the device sends no row without accesses. A row of
    an epoch that the model did not finish differs in all its counters.

    Parameters
    ----------
    collected
        table from the device.
    golden
        replay of the recorded events.
    accesses
        recorded accesses, for the report.
    first_epoch
        earlier epochs are left out, as the collection began later.
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
