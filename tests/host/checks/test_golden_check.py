# SPDX-License-Identifier: BSD-2-Clause
"""Replays of recorded events, the comparison with collected counters, and the error of estimates."""

import random
from dataclasses import replace

import numpy as np
import pytest
from litemrc.checks.counters import accuracy, compare, model_of, replay
from litemrc.device.simulation.recording import Settings
from litemrc.epochs.columns import COLUMNS
from litemrc.golden.monitor.monitor import MonitorModel

from tests.host import recordings

FRAMES, GROUPS, CONTEXTS, EPOCH = 64, 8, 2, 400
ALL = Settings(0, FRAMES - 1, 0)


def recording_of(events, settings=(ALL,), setting=0):
    """A recording; an epoch ends behind every EPOCH events."""
    ends = np.arange(1, len(events) + 1) % EPOCH == 0
    return recordings.recording_of(events, ends=ends, settings=settings, setting=setting)


def accesses(seed, count=2000):
    dice = random.Random(seed)
    return [
        ("access", min(int(dice.expovariate(0.06)), FRAMES - 1), dice.randrange(2), False)
        for _ in range(count)
    ]


def table_of(recording, engine="bucket_stack"):
    return recordings.table_of(recording, MonitorModel(FRAMES, GROUPS, CONTEXTS, engine), engine)


def test_every_counter_of_the_table_is_compared():
    recording = recording_of(accesses(1))
    table = table_of(recording)
    golden = replay(recording, model_of(table))
    # 5 epochs of 2 contexts: 8 groups; accesses, misses, touched; dropped, outside, unsampled and the scale.
    assert compare(table, golden, 2000).counters == 5 * 2 * (8 + 3 + 5)
    assert compare(table, golden, 2000).equal
    for name in ("touched", "outside", "unsampled", "dropped"):
        column = getattr(table, name).copy()
        rows = slice(2, 3) if name == "touched" else slice(2, 4)  # of epoch 1; but for touched, both contexts
        column[rows] ^= 1
        found = compare(replace(table, **{name: column}), golden, 2000)
        assert found.differences == rows.stop - rows.start
        assert f"epoch 1, context 0, {name}" in found.first_difference
    assert compare(table, replace(golden, scale_log2=[1] * 5), 2000).differences == 5 * 2


def rows_of(table, kept):
    """The same table with some of its rows."""
    return replace(table, **{name: getattr(table, name)[kept] for name in COLUMNS})


def test_epochs_before_the_collection_are_left_out_and_no_others():
    recording = recording_of(accesses(1))
    table = table_of(recording)
    golden = replay(recording, model_of(table))
    late = compare(rows_of(table, table.epoch >= 2), golden, 2000, 2)
    assert late.equal
    assert late.counters == 3 * 2 * (8 + 3 + 5)
    for missing in (2, 3, 4):
        lost = rows_of(table, (table.epoch >= 2) & (table.epoch != missing))
        assert not compare(lost, golden, 2000, 2).equal


def test_a_missing_row_differs_wherever_the_model_counted():
    recording = recording_of(accesses(2))
    table = table_of(recording)
    golden = replay(recording, model_of(table))
    found = compare(rows_of(table, np.arange(table.epoch.size) != 3), golden, 2000)
    expected = table.hits[3].astype(bool).sum() + sum(int(column[3]) > 0 for column in (
        table.accesses, table.misses, table.touched
    ))  # fmt: skip
    assert found.differences == expected > 0


def test_a_replay_follows_settings_and_freezing():
    events = accesses(3, 800)
    events[400] = ("clear", 0, 0, False)
    events[450:500] = [(op, frame, context, True) for op, frame, context, _ in events[450:500]]
    setting = np.arange(800) >= 400
    made = replay(
        recording_of(events, (ALL, Settings(4, 31, 1)), setting), MonitorModel(FRAMES, GROUPS, CONTEXTS)
    )
    first, second = made.epochs
    assert made.scale_log2 == [0, 1]
    assert (sum(first.accesses), first.outside, first.unsampled) == (400, 0, 0)
    counted = [frame for _, frame, _, frozen in events[401:] if not frozen]
    outside = sum(not 4 <= frame <= 31 for frame in counted)
    assert second.outside == outside > 0
    assert sum(second.accesses) + second.unsampled == len(counted) - outside
    assert sum(second.accesses) > 0 and second.unsampled > 0


def test_the_error_of_estimates_is_that_of_their_curves_and_positions():
    recording = recording_of(accesses(4))
    estimated, exact = (
        replay(recording, MonitorModel(FRAMES, GROUPS, CONTEXTS, engine))
        for engine in ("bucket_stack", "group_stack")
    )
    found = accuracy(estimated, exact, FRAMES // GROUPS)
    assert [each.context for each in found] == [0, 1]
    for each in found:
        curves = []
        for made in (estimated, exact):
            hits = [sum(epoch.hits[each.context][g] for epoch in made.epochs) for g in range(GROUPS)]
            count = sum(epoch.accesses[each.context] for epoch in made.epochs)
            curves.append([1 - sum(hits[: m + 1]) / count for m in range(GROUPS)])
        assert each.exact.miss_ratio.tolist() == pytest.approx(curves[1])
        errors = [abs(a - b) for a, b in zip(*curves, strict=True)]
        assert each.mean_error == pytest.approx(sum(errors) / GROUPS)
        in_use = max(np.flatnonzero(np.diff(curve))[-1] + 2 for curve in curves)
        assert in_use < GROUPS and each.mean_error_in_use == pytest.approx(sum(errors) / in_use)
        assert each.largest_error == pytest.approx(max(errors)) and max(errors) > 0
        off = [
            abs(int(a) - int(b))
            for a, b, context, kind in zip(
                estimated.group, exact.group, exact.context, exact.kind, strict=True
            )
            if context == each.context and kind == 0
        ]
        assert (each.one_group_off, each.further_off) == (off.count(1), 0) and off.count(1) > 0


def test_two_groups_off_are_further_off():
    recording = recording_of(accesses(5))
    exact = replay(recording, MonitorModel(FRAMES, GROUPS, CONTEXTS))
    hit = np.flatnonzero((exact.kind == 0) & (exact.group < 4) & (exact.context == 1))[:3]
    group = exact.group.copy()
    group[hit] += 2
    found = accuracy(replace(exact, group=group), exact, FRAMES // GROUPS)
    assert [(each.one_group_off, each.further_off) for each in found] == [(0, 0), (0, 3)]


def test_models_that_differ_in_hits_are_no_estimates_of_each_other():
    exact = replay(recording_of(accesses(6)), MonitorModel(FRAMES, GROUPS, CONTEXTS))
    with pytest.raises(ValueError, match="differ in hits"):
        accuracy(replace(exact, kind=1 - exact.kind), exact, FRAMES // GROUPS)
