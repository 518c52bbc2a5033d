# SPDX-License-Identifier: BSD-2-Clause
"""The account of all accesses, the contexts of processes and owners of frames, against counting by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.checks.counters import balance, compare, replay
from litemrc.checks.following import check_following, check_ownership
from litemrc.cli.soc.demo_results import Results, verdict
from litemrc.cli.soc.linux_demo import examine
from litemrc.device.simulation.recording import Settings
from litemrc.epochs.processes import Process
from litemrc.golden.monitor.monitor import MonitorModel

from tests.host.recordings import recording_of, table_of, whole_memory

FRAMES, GROUPS, CONTEXTS = 16, 4, 4

operations = st.sampled_from(
    ["access"] * 12 + ["invalidate"] * 3 + ["claim"] * 3 + ["dropped", "clear", "mark"]
)
events = st.tuples(operations, st.integers(0, FRAMES - 1), st.integers(0, CONTEXTS - 1), st.booleans())
recorded = st.lists(st.tuples(events, st.integers(0, 9).map(lambda n: n == 0)), min_size=1, max_size=120)


def made(told):
    """A recording that ends with the end of an epoch, and the table a faultless device sends of it."""
    listed, ends = zip(*told, (("mark", 0, 0, False), True), strict=True)
    recording = recording_of(listed, ends=ends, settings=whole_memory(FRAMES), setting=1)
    model = MonitorModel(FRAMES, GROUPS, CONTEXTS, "group_stack", recent_pages=1)
    return recording, table_of(recording, model, "group_stack")


def seen(recording, table):
    """Accesses, lost ones included, of the epochs in the table, by plain counting."""
    count, epochs = {}, set(table.epoch.tolist())
    columns = (recording.op, recording.frozen, recording.epoch)
    for op, frozen, epoch in zip(*(column.tolist() for column in columns), strict=True):
        if op == 2:  # clear
            count[epoch] = 0
        elif op in (0, 4) and not frozen:  # access, dropped
            count[epoch] = count.get(epoch, 0) + 1
    return sum(number for epoch, number in count.items() if epoch in epochs)


@given(told=recorded)
@settings(max_examples=200, deadline=None)
def test_what_was_recorded_is_what_a_faultless_device_counted(told):
    recording, table = made(told)
    account = balance(recording, table)
    assert account.recorded == account.counted == seen(recording, table)
    assert account.difference == ""
    assert account.balanced == (account.counted > 0)


@given(told=recorded)
@settings(max_examples=200, deadline=None)
def test_the_recount_of_owners_agrees_with_a_faultless_device(told):
    recording, table = made(told)
    found = check_ownership(recording, table)
    assert found.difference == ""
    assert found.compared == 3 * table.epoch.size


@pytest.fixture
def run():
    """Context 1 has frames 1 and 2, of which 2 was the kernel's before; later the kernel takes 1."""
    told = [
        (("access", 2, 0, False), False),
        (("access", 3, 0, False), True),
        (("invalidate", 2, 0, False), False),
        (("access", 2, 1, False), False),
        (("access", 1, 1, False), False),
        (("access", 2, 0, False), True),  # the kernel reads a page of context 1
        (("access", 1, 1, False), False),
        (("invalidate", 1, 0, False), False),
        (("access", 1, 0, False), False),
    ]
    return made(told)


def test_first_touches_are_classified_by_how_the_frame_became_free(run):
    found = check_ownership(*run)
    # 2 and 3 by the kernel, 1 by context 1: never used before; 2 by context 1, 1 by the kernel: given back.
    assert (found.fresh, found.reused, found.difference) == (3, 2, "")


def test_a_claimed_frame_is_counted_for_the_context_that_claimed_it():
    told = [
        (("access", 2, 0, False), False),
        (("claim", 2, 1, False), False),
        (("claim", 3, 1, False), False),
        (("access", 2, 0, False), False),
        (("access", 3, 2, False), False),
        (("access", 2, 0, False), True),
        (("claim", 3, 2, False), False),
        (("invalidate", 3, 0, False), False),
        (("access", 3, 3, False), False),
        (("claim", 4, 1, False), False),
        (("clear", 0, 0, False), False),
        (("access", 4, 2, False), False),
    ]
    recording, table = made(told)
    counted = zip(table.epoch, table.context, table.accesses, table.misses, table.touched, strict=True)
    # The claims of frame 3 for context 2 and of frame 4 end before their first access.
    assert [tuple(map(int, row)) for row in counted if row[2]] == [
        (0, 0, 1, 1, 1),
        (0, 1, 3, 2, 2),
        (1, 2, 1, 1, 1),
    ]
    assert check_ownership(recording, table).difference == ""


def with_one_more(table, name, row):
    """A table in which a counter is wrong; marked as overflown, for else no such table can be made."""
    column = getattr(table, name).copy()
    column[row] += 1
    return replace(table, overflow=np.ones(table.epoch.size, dtype=bool), **{name: column})


@pytest.mark.parametrize("name", ["accesses", "misses", "touched"])
def test_a_counter_of_the_wrong_owner_is_found(run, name):
    recording, table = run
    row = int(np.flatnonzero((table.epoch == 1) & (table.context == 1))[0])
    assert "epoch 1, context 1" in check_ownership(recording, with_one_more(table, name, row)).difference


def test_an_access_too_many_in_the_account_is_found(run):
    recording, table = run
    account = balance(recording, with_one_more(table, "accesses", 0))
    assert not account.balanced
    assert (account.recorded, account.counted) == (7, 8)
    assert account.difference == "epoch 0: 2 recorded, 3 counted"


def test_a_recording_that_leaves_pages_out_is_not_recounted(run):
    recording, table = run
    sampled = replace(recording, settings=[Settings(0, 0, 0), Settings(0, FRAMES - 1, 1)])
    with pytest.raises(ValueError, match="every page"):
        check_ownership(sampled, table)


@pytest.mark.parametrize("op", ["claim", "access"])
@pytest.mark.parametrize(
    ("process", "strangers", "first"),
    [
        (Process(1, 57, "sort", 1, 2, ended_after=1), 0, ""),
        (Process(1, 57, "sort", 1, 1), 1, "epoch 2, context 1, cycle 6"),
        (Process(1, 57, "sort", 2, 2), 2, "epoch 1, context 1, cycle 3"),
        (Process(2, 57, "sort", 1, 2), 3, "epoch 1, context 1, cycle 3"),
    ],
)
def test_claims_and_accesses_for_a_context_that_followed_nobody_are_strangers(op, process, strangers, first):
    told = [
        (("access", 2, 0, False), False),
        (("access", 3, 0, False), True),
        (("invalidate", 2, 0, False), False),
        ((op, 2, 1, False), False),
        ((op, 1, 1, False), False),
        (("access", 2, 0, False), True),
        ((op, 1, 1, False), False),
    ]
    recording, _ = made(told)
    found = check_following(recording, [process])
    assert (found.strangers, found.first_stranger) == (strangers, first)
    assert found.claims[process] == (3 - strangers) * (op == "claim")


def results_of(recording, table):
    """As a demo has them before it looks at processes."""
    golden = replay(recording, MonitorModel(FRAMES, GROUPS, CONTEXTS, "group_stack", recent_pages=1))
    return Results(
        hello=None, cycles=(), table=table, recording=recording,
        comparison=compare(table, golden, 8), account=balance(recording, table),
    )  # fmt: skip


def test_the_linux_demo_passes_when_contexts_followed_processes(capsys):
    told = [
        (("access", 2, 0, False), True),
        (("invalidate", 2, 0, False), False),
        (("claim", 2, 1, False), False),
        (("access", 2, 0, False), False),
        (("claim", 1, 1, False), False),
        (("access", 1, 0, False), True),
        (("claim", 3, 1, False), False),
        (("access", 3, 0, False), False),
    ]
    recording, table = made(told)
    sort = Process(1, 57, "sort", 1, 2, ended_after=1)
    found = examine(
        results_of(recording, replace(table, processes=(sort,), link_statistics={"epoch_messages_lost": 0}))
    )
    assert verdict(found) == 0, capsys.readouterr().err
    assert (
        "sort (pid 57) 3" in found.remarks["contexts"]
        and "1 just after a process ended" in found.remarks["contexts"]
    )
    assert "1 of frames that were freed and invalidated" in found.remarks["ownership"]


def test_the_linux_demo_fails_when_a_context_ran_without_a_process(run, capsys):
    recording, table = run
    lost = {"epoch_messages_lost": 0}
    found = examine(results_of(recording, replace(table, processes=(), link_statistics=lost)))
    assert verdict(found) == 1
    assert "3 claims or accesses for contexts that tracked no process" in capsys.readouterr().err


def test_the_linux_demo_fails_when_frames_are_counted_for_others(run, capsys):
    recording, table = run
    wrong = replace(with_one_more(table, "misses", 0), link_statistics={"epoch_messages_lost": 0})
    assert verdict(examine(results_of(recording, wrong))) == 1
    said = capsys.readouterr().err
    assert "the device reports wrong owners of frames: epoch 0, context 0" in said
