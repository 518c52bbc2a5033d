# SPDX-License-Identifier: BSD-2-Clause
"""Tasks of a device's pager over the link: rows of tasks, budgets and leases."""

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.record_rows import task_totals
from litemrc.device.contexts import get_budget, set_budget
from litemrc.device.device import Device
from litemrc.device.errors import RequestRefusedError
from litemrc.device.governed import take_lease
from litemrc.device.running import Run

CONTEXT = 3
CYCLES_OF_EPOCH = 1_000_000  # of the peer, as of a lease


@pytest.fixture
def device(start_peer):
    with Device(start_peer(tasks=1, period_ms=100).url) as device:
        yield device


def faults(resident):
    """Faults, computed as in peer_parts.py: a tenth of the frames that a task lacks of 1,000."""
    return (1000 - resident) // 10


def test_every_epoch_of_a_program_has_a_row_of_each_task_and_totals_are_their_sums(device):
    collector = Collector(device)
    for _ in collector.collect(None, [Run("zipf", CONTEXT)]):
        pass
    rows = collector.tasks
    assert [row["context"] for row in rows] == [CONTEXT, CONTEXT + 1] * 3
    assert {(row["memory"], row["budget"], row["resident"]) for row in rows} == {(1024, None, 512)}
    first, second = task_totals(collector.tasks)
    assert (first["references"], first["faults"], first["iterations"]) == (3 * 2000, 3 * faults(512), 3 * 2)
    assert first["response_cycles"] == faults(512) * 1000 / 2
    assert (first["writes"], second["writes"]) == (0, 3)


def test_a_budget_holds_a_task_down(device):
    collector = Collector(device)
    for message in collector.collect(None, [Run("zipf", CONTEXT, 2)]):
        if message.name == "event" and message.kind == "workload_started":
            assert set_budget(device, CONTEXT, 100).used == 100
    assert {row["resident"] for row in collector.tasks if row["context"] == CONTEXT} == {100}
    assert {row["faults"] for row in collector.tasks if row["context"] == CONTEXT} == {faults(100)}


def test_without_tasks_nobody_has_a_budget(device):
    assert get_budget(device, CONTEXT) is None
    with pytest.raises(RequestRefusedError, match="busy"):
        set_budget(device, CONTEXT, 100)


@pytest.mark.parametrize("prolonged", [False, True])
def test_budgets_hold_as_long_as_the_lease(device, prolonged):
    """A lease of three epochs, taken after the first of nine: the budget is lifted unless it is renewed."""
    collector, warnings = Collector(device), []
    for message in collector.collect(None, [Run("zipf", CONTEXT, 3)]):
        due = collector.epochs == 1 or (prolonged and collector.epochs <= 7)
        if due and message.name == "epoch":
            take_lease(device, 3 * CYCLES_OF_EPOCH)
            set_budget(device, CONTEXT, 100)
        if message.name == "log":
            warnings.append(message.line)
    budgets = [row["budget"] for row in collector.tasks if row["context"] == CONTEXT]
    assert len(budgets) == 9
    assert budgets[-1] == (100 if prolonged else None)
    assert warnings == ([] if prolonged else ["the lease ended"])
