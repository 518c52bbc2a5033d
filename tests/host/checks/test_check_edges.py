# SPDX-License-Identifier: BSD-2-Clause
"""Checks at their edges: epochs that only one side has, empty contexts, events of one clock."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.checks import rank_record
from litemrc.checks.counters import Account, accuracy, balance, replay
from litemrc.checks.following import check_following, check_ownership
from litemrc.checks.rank_record import Command, snapshots_of
from litemrc.device.simulation.recording import Settings
from litemrc.epochs.columns import COLUMNS
from litemrc.epochs.processes import Process
from litemrc.golden.monitor.monitor import MonitorModel
from litemrc.ranks.activity import RankActivity

from tests.host.checks.test_rank_record import activities, record
from tests.host.recordings import recording_of, table_of, whole_memory

FRAMES = 16


def model():
    return MonitorModel(FRAMES, 4, 4, "group_stack", recent_pages=1)


def made(events, settings=None, setting=1):
    """A recording of (op, frame, context) in which each inner list is an epoch, and the table of a device."""
    ends = [place == len(epoch) - 1 for epoch in events for place in range(len(epoch))]
    listed = [(*event, False) for epoch in events for event in epoch]
    recording = recording_of(listed, ends=ends, settings=settings or whole_memory(FRAMES), setting=setting)
    return recording, table_of(recording, model(), "group_stack")


def of_epochs(table, *epochs):
    kept = np.isin(table.epoch, epochs)
    return replace(table, **{name: getattr(table, name)[kept] for name in COLUMNS})


@pytest.fixture
def run():
    """3 accesses in epoch 0, 1 in epoch 1, 2 in epoch 2."""
    return made(
        [
            [("access", 1, 1), ("access", 1, 2), ("access", 2, 2)],
            [("access", 1, 3)],
            [("access", 3, 1), ("access", 3, 1)],
        ]
    )


def test_only_epochs_in_the_table_are_accounted_for(run):
    recording, table = run
    assert balance(recording, table) == Account(6, 6)
    assert balance(recording, of_epochs(table, 1)) == Account(1, 1)
    late = replace(of_epochs(table, 2), epoch=[7])
    assert balance(recording, late) == Account(0, 2, "epoch 7: 0 recorded, 2 counted")
    nothing = of_epochs(table)
    assert balance(recording, nothing) == Account(0, 0) and not balance(recording, nothing).balanced
    twice = replace(table, accesses=table.accesses + 1, overflow=[True] * table.epoch.size)
    assert balance(recording, twice).difference == "epoch 0: 3 recorded, 5 counted", "the first"


def test_accesses_before_a_clear_of_their_epoch_do_not_count():
    events = [[("access", 1, 0), ("clear", 0, 0), ("access", 2, 0)], [("access", 1, 0), ("access", 2, 0)]]
    recording, table = made(events)
    assert balance(recording, table) == Account(3, 3)
    found = check_ownership(recording, table)
    assert (found.difference, found.fresh, found.reused) == ("", 2, 0)


def test_only_epochs_in_the_table_are_compared(run):
    recording, table = run
    for kept in ((0,), (1,), (2,), (0, 2)):
        part = of_epochs(table, *kept)
        found = check_ownership(recording, part)
        assert (found.compared, found.difference) == (3 * part.epoch.size, "")


def test_an_owner_that_the_device_left_out_differs(run):
    recording, table = run
    kept = np.array([1, 0, 1, 1], bool)  # without context 2 in epoch 0
    found = check_ownership(
        recording, replace(table, **{name: getattr(table, name)[kept] for name in COLUMNS})
    )
    assert found.compared == 3 * 4
    assert found.difference == (
        "epoch 0, context 2: (accesses, misses, touched) recounted [1, 1, 1], device [0, 0, 0]"
    )


@pytest.mark.parametrize(
    "settings", [Settings(1, FRAMES - 1, 0), Settings(0, FRAMES - 2, 0), Settings(0, FRAMES - 1, 1)]
)
def test_ownership_needs_every_page(run, settings):
    recording, table = run
    with pytest.raises(ValueError, match="every page"):
        check_ownership(replace(recording, settings=[Settings(0, 0, 0), settings]), table)
    assert check_ownership(replace(recording, settings=[settings, *recording.settings[1:]]), table).compared


def test_claims_belong_to_processes_from_their_first_to_their_last_epoch():
    claims = [
        [("claim", 1, 1), ("claim", 2, 3), ("access", 3, 0)],
        [("claim", 4, 1)],
        [("claim", 5, 1), ("claim", 2, 2)],
    ]
    claims[1].append(("claim", 6, 3))  # in the epoch that its end began
    recording, _ = made(claims)
    processes = [Process(1, 1, "a", 0, 2), Process(2, 2, "b", 2, 2), Process(3, 3, "c", 0, 2, ended_after=0)]
    found = check_following(recording, processes)
    assert list(found.claims.values()) == [3, 1, 2]
    assert (found.late, found.strangers, found.first_stranger) == (1, 0, "")
    found = check_following(recording, [Process(1, 1, "a", 1, 2), Process(2, 2, "b", 0, 2)])
    assert (found.late, found.strangers, found.first_stranger) == (0, 3, "epoch 0, context 1, cycle 0")


def test_settings_are_in_force_from_the_first_event_on():
    narrow = [Settings(0, 1, 0), Settings(0, FRAMES - 1, 0)]
    for setting, outside in ((0, 2), (1, 0)):
        recording, _ = made([[("access", 1, 0), ("access", 5, 0), ("access", 6, 0)]], narrow, setting)
        assert replay(recording, model()).epochs[0].outside == outside


def test_progress_counts_epochs(run):
    seen = []
    replay(run[0], model(), seen.append)
    assert seen == [1, 2, 3]


def test_contexts_without_accesses_have_no_error():
    recording, _ = made([[("access", frame % 5, 2) for frame in range(20)]])
    exact = replay(recording, model())
    assert [each.context for each in accuracy(exact, exact, FRAMES // 4)] == [2]
    empty = replace(exact, epochs=[])
    assert accuracy(empty, empty, FRAMES // 4) == []


def test_commands_have_the_numbers_of_their_pins():
    """RAS#, CAS# and WE#: the truth table of JESD79-3."""
    names = ("MODE", "REFRESH", "PRECHARGE", "ACTIVATE", "WRITE", "READ", "CALIBRATE", "NONE", "SNAPSHOT")
    assert {name: Command[name].value for name in names} == {name: n for n, name in enumerate(names)}


@pytest.mark.parametrize("piece", [1, 2, 3, 65536])
def test_a_record_is_counted_alike_however_it_is_cut(monkeypatch, piece):
    monkeypatch.setattr(rank_record, "_PIECE", piece)
    rows = record((10, Command.ACTIVATE), (15, Command.READ), (20, Command.PRECHARGE), (30, Command.NONE, 0))
    (snapshot,) = snapshots_of(rows, 1, end=40, activity_clocks=0)
    counts = {"reads": 1, "activates": 1, "active_standby": 10, "precharge_standby": 20, "power_down": 10}
    assert activities(snapshot) == [RankActivity(**counts, entered_power_down=1)]


def test_a_command_comes_before_the_clock_enable_of_its_clock():
    rows = record(
        (10, Command.ACTIVATE), (20, Command.PRECHARGE), (20, Command.NONE, 0), (30, Command.READ, 0)
    )
    (snapshot,) = snapshots_of(rows, 1, end=30, activity_clocks=0)
    counts = {"activates": 1, "active_standby": 10, "precharge_standby": 10, "power_down": 10}
    assert activities(snapshot) == [RankActivity(**counts, entered_power_down=1)]


def test_events_from_the_end_on_are_left_out():
    rows = record((10, Command.REFRESH), (20, Command.REFRESH), (20, Command.SNAPSHOT))
    for end, refreshes in ((20, 1), (21, 2)):
        found = snapshots_of(rows, 1, end=end, activity_clocks=0)
        assert sum(activities(each)[0].refreshes for each in found) == refreshes
        assert len(found) == refreshes
    assert len(snapshots_of(rows, 1)) == 1, "without an end, what the record marks"
