# SPDX-License-Identifier: BSD-2-Clause
"""A collection message by message: what is kept, what ends it, and what a device cannot have sent."""

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.epoch_messages import TaskRows, rank_table, watch_ranks
from litemrc.device.errors import DeviceFaultError, DeviceGoneError, SilentDeviceError
from litemrc.device.rank_commands import Dram
from litemrc.device.running import Run
from litemrc.epochs.processes import Process

from tests.host.scripted_device import ScriptedLink, ack, device_at, hello, told

DRAM = Dram(2, False, ("awake",), "part", chips=1, phases=4, kept=0)


@pytest.fixture
def start(monkeypatch):
    """start(dram, **hello) -> (link, collector) of a device with these parameters."""

    def start(dram=None, link=None, **parameters):
        link = link or ScriptedLink()
        link.answers["hello"] = lambda: hello(**parameters)
        return link, Collector(device_at(link, monkeypatch), dram)

    return start


def epoch(index, number, context=1, remaining=0, **counters):
    """A message of 3 accesses: 2 hits in the first group and a miss."""
    counters = {"accesses": 3, "misses": 1, "hits": [2, 0, 0, 0]} | counters
    return told("epoch", index=index, epoch=number, context=context, remaining=remaining, **counters)


def empty(index, number, **counters):
    return epoch(index, number, 0, **{"accesses": 0, "misses": 0, "hits": [0] * 4} | counters)


def event(kind, workload=0, context=1, **more):
    return told("event", kind=kind, workload=workload, context=context, **more)


def rank(index, number, domain, **more):
    counters = [0] * 16
    counters[5] = 1000  # precharge standby
    return told("rank", index=index, epoch=number, domain=domain, clocks=1000, counters=counters, **more)


def process(state, context, pid=0, comm="", sent=0):
    return told("process", state=state, context=context, pid=pid, comm=comm, epoch_messages=sent)


def keys(collector):
    return [(row.epoch, row.context) for row in collector.rows]


def test_as_many_epochs_as_asked_for_are_collected_whatever_was_sent_before(start):
    link, collector = start(epoch_messages=100)
    link.inbox.extend([epoch(100, 7, 1, 1), epoch(101, 7, 2), epoch(102, 8), told("log"), epoch(103, 9)])
    assert [message.name for message in collector.collect(2)] == ["epoch"] * 3
    assert (collector.epochs, keys(collector)) == (2, [(7, 1), (7, 2), (8, 1)])
    assert [message.name for message in collector.collect(1)] == ["log", "epoch"]
    assert keys(collector)[-1] == (9, 1)
    statistics = collector.link_statistics
    assert (statistics["epoch_messages"], statistics["epoch_messages_lost"]) == (4, 0)
    assert (statistics["frames"], statistics["lost"]) == (5, 2), "those of the link"


def test_an_epoch_beyond_those_asked_for_only_ends_the_last(start):
    link, collector = start()
    link.inbox.extend([epoch(0, 3, 1, 1), epoch(2, 4, 1, 1)])  # index 1 is lost
    assert len(list(collector.collect(1))) == 2
    assert (collector.epochs, keys(collector)) == (1, [(3, 1)])
    assert collector.link_statistics["epoch_messages_lost"] == 1


def test_the_table_has_what_was_collected_of_which_monitor(start):
    link, collector = start(pages=32, page_shift=10, recent_pages=2, contexts=3)
    link.inbox.extend([event("workload_started", 1, 2), epoch(0, 0, 2, scale_log2=1)])
    list(collector.collect(1))
    table = collector.table()
    found = (table.page_bytes, table.frames, table.engine, table.pages, table.groups, table.contexts)
    assert found == (1024, 64, "group_stack", 32, 4, 3)
    assert (table.recent_pages, table.system, table.interrupted) == (2, "", False)
    assert (dict(table.context_names), collector.cycles) == ({2: "loop"}, [])
    assert table.hits.tolist() == [[2, 0, 0, 0]] and collector.table(interrupted=True).interrupted


def test_a_tail_is_kept_and_those_that_send_none_have_none(start):
    link, collector = start()
    tail = {"resident": 30, "evicted": 9, "unidentified": 1, "tail": [0, 0, 0, 0, 1]}
    link.inbox.extend([epoch(0, 0, 0, 1), epoch(1, 0, 1, **tail)])
    list(collector.collect(1))
    table = collector.table()
    assert table.tail.tolist() == [[0] * 5, [0, 0, 0, 0, 1]]
    assert (table.resident.tolist(), table.evicted.tolist(), table.unidentified.tolist()) == (
        [0, 30], [0, 9], [0, 1],
    )  # fmt: skip
    # 3 accesses: 2 hits in the first group, and a miss that is a refault in the fifth.
    assert table.curve(1).miss_ratio.tolist() == [1 / 3, 1 / 3, 1 / 3, 1 / 3, 0]
    assert table.accesses_in_all == 3 + 3


def test_a_collection_ends_with_its_programs(start):
    link, collector = start()
    done = event("workload_done", 0, 1, cycles=55, epoch_messages=1)
    link.inbox.extend([epoch(0, 0), done, epoch(1, 1), event("workload_done", 1, 4, epoch_messages=2)])
    messages = list(collector.collect(9, [Run("zipf"), Run("loop", 4)]))
    assert [message.name for message in messages] == ["epoch", "event"] * 2
    assert collector.cycles == [("zipf", 1, 55), ("loop", 4, 0)]
    assert dict(collector.context_names) == {1: "zipf", 4: "loop"}


def test_after_a_silence_hello_reports_what_was_missed(start):
    link, collector = start()
    link.inbox.append(epoch(0, 0, 1, 1))
    link.answers["hello"] = lambda: hello(epoch_messages=3, sequence=9)
    names = [message.name for message in collector.collect(9, [Run("zipf")])]
    assert names == ["epoch", "hello"], "the program has ended"
    assert link.now == 10 and collector.epochs == 1
    assert collector.link_statistics["epoch_messages_lost"] == 2


@pytest.mark.parametrize("counted", ["accesses", "dropped", "outside", "unsampled"])
def test_a_collection_is_finished_by_an_epoch_that_counted_nothing(start, counted):
    link, collector = start()
    more = {counted: 1} | ({"misses": 1} if counted == "accesses" else {})
    link.inbox.extend([empty(0, 0, **more), empty(1, 1), told("log")])
    assert len(list(collector.finish())) == 2
    assert collector.epochs == 2
    assert [name for name, _ in link.sent] == ["monitor", "end_epoch", "end_epoch"]
    assert link.sent[0] == ("monitor", {"on": False})
    assert [message.name for message in collector._device.waiting()] == ["log"]


def test_a_collection_that_has_ended_waits_for_the_epoch_that_it_ends(start):
    link, collector = start()
    link.inbox.append(empty(0, 0))
    list(collector.collect(1))
    link.inbox.extend([told("log"), empty(1, 1), told("log")])
    assert [message.name for message in collector.finish()] == ["log", "epoch"]
    assert list(collector.finish()) == [told("log")], "then silence"
    assert link.now == 10


def test_the_ranks_of_the_last_epoch_belong_to_the_collection(start):
    link, collector = start(DRAM)
    link.inbox.extend([epoch(0, 5), rank(0, 5, 0), rank(1, 5, 1, live_pages=8), epoch(1, 6), rank(2, 6, 0)])
    assert [message.name for message in collector.collect(1)] == ["epoch", "rank", "rank"]
    assert [(row.epoch, row.domain, row.live_pages) for row in collector.ranks.rows] == [(5, 0, 0), (5, 1, 8)]
    assert (collector.ranks.last_epoch, collector.ranks.received, collector.ranks.lost) == (5, 2, 0)
    table = rank_table(collector._device, DRAM, collector.ranks.rows)
    assert (table.clock_hz, table.domains, table.phases, table.interrupted) == (1_000_000, 2, 4, False)
    link.inbox.append(told("log"))  # where the message of the second rank would be
    assert [message.name for message in collector.collect(1)] == ["epoch", "rank", "log"]
    assert keys(collector) == [(5, 1), (6, 1)] and collector.ranks.last_epoch == 5
    link.inbox.extend([epoch(2, 7), rank(3, 7, 0)])
    assert [message.name for message in collector.finish()] == ["epoch", "rank"]


def test_only_whole_epochs_of_ranks_are_rows(start):
    link, collector = start(DRAM)
    link.inbox.extend([rank(0, 1, 1), rank(1, 2, 0), rank(3, 3, 0), rank(4, 4, 1), rank(9, 5, 0)])
    link.inbox.extend([rank(10, 5, 0), rank(11, 5, 1), epoch(0, 5)])
    list(collector.collect(1))
    assert [(row.epoch, row.domain) for row in collector.ranks.rows] == [(5, 0), (5, 1)]
    assert (collector.ranks.received, collector.ranks.lost) == (7, 1 + 4)
    _, without = start()
    without._note(rank(0, 1, 5), None)
    assert without.ranks is None, "not requested"


def test_ranks_are_watched_epoch_by_epoch(start):
    link, collector = start()
    device = collector._device
    link.inbox.extend([rank(0, 1, 0), told("log"), rank(1, 1, 1), epoch(0, 2), rank(2, 2, 0), rank(3, 2, 1)])
    rows = watch_ranks(device, DRAM)
    assert [[(row.epoch, row.domain) for row in next(rows)] for _ in range(2)] == [
        [(number, domain) for domain in range(2)] for number in (1, 2)
    ]
    with pytest.raises(SilentDeviceError, match="no epoch ended within 10 s"):
        next(rows)
    link.inbox.append(rank(4, 3, 2))
    with pytest.raises(DeviceFaultError, match="rank 2 of 2"):
        next(watch_ranks(device, DRAM))


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        ([epoch(0, 0, accesses=4)], "sum"),
        ([epoch(0, 0, hits=[2, 0, 0])], "3 groups of context 1"),
        ([epoch(0, 0, 8)], "4 groups of context 8"),
        ([epoch(0, 0, scale_log2=1, hits=[0, 0, 2, 0])], "epoch 0, context 1: hits deeper than the memory"),
        ([epoch(0, 3), epoch(1, 3)], "epoch 3, context 1 after 3, 1"),
        ([epoch(0, 3), epoch(1, 2, 2)], "epoch 2, context 2 after 3, 1"),
        ([epoch(0, 3, 1, 1), epoch(1, 3, 2, dropped=1)], "epoch 3: dropped is 0 and 1"),
        ([epoch(0, 3, 1, 1), epoch(1, 3, 2, outside=1)], "outside is 0 and 1"),
        ([rank(0, 0, 2)], "rank 2 of 2"),
        ([told("task", context=8)], "a task in context 8 of 8"),
        ([event("workload_started", 2)], "program 2 of 2"),
        ([process("free", 8)], "a process in context 8 of 8"),
    ],
)
def test_what_a_device_cannot_have_sent_is_named(start, messages, why):
    link, collector = start(DRAM)
    link.inbox.extend(messages)
    with pytest.raises(DeviceFaultError, match=f"the device sent nonsense: .*{why}"):
        list(collector.collect(9))


def test_the_last_of_each_that_a_device_has_is_accepted(start):
    link, collector = start(DRAM)
    deepest = epoch(0, 0, 7, scale_log2=1, hits=[0, 2, 0, 0])
    link.inbox.extend([told("task", context=7), event("workload_started", 1, 7), deepest])
    link.inbox.extend([process("free", 7, sent=1), epoch(1, 1)])
    list(collector.collect(2))
    assert len(collector.tasks.rows) == 1 and len(collector.rows) == 2


@pytest.mark.parametrize(
    ("frames", "pages", "groups", "right"),
    [(64, 64, 64, True), (64, 63, 4, False), (64, 128, 4, False), (64, 4, 8, False), (64, 0, 4, False)],
)
def test_parameters_that_contradict_each_other_are_refused(start, frames, pages, groups, right):
    if right:
        start(frames=frames, pages=pages, groups=groups)
        return
    with pytest.raises(DeviceFaultError, match=f"{frames} frames, {pages} pages in {groups} groups"):
        start(frames=frames, pages=pages, groups=groups)


@pytest.mark.parametrize("message", [epoch(4, 9), event("workload_done"), hello(), process("free", 1)])
def test_a_device_that_counts_anew_was_restarted(start, message):
    link, collector = start(epoch_messages=5)
    link.inbox.append(message)
    with pytest.raises(DeviceGoneError, match="epoch messages sent, of which 5"):
        list(collector.collect(1))


def test_pages_and_tasks_are_kept_with_their_losses(start):
    link, collector = start()
    link.inbox.extend([told("pages", index=4, cost=900, references=30, home=15), told("pages", index=7)])
    link.inbox.extend([told("task", index=2**32 - 1, budget=2**32 - 1), told("task", index=0, budget=9)])
    link.inbox.append(epoch(0, 0))
    list(collector.collect(1))
    assert (collector.pages.lost, collector.tasks.lost) == (2, 0)
    assert [row.cost_per_access for row in collector.pages.rows] == [20, None]
    assert [row.budget for row in collector.tasks.rows] == [None, 9]


def test_the_last_rows_of_tasks_are_those_of_the_latest_epochs():
    """The older ones of 512 rows, two epochs of 256 contexts, are not looked at."""
    rows = TaskRows()
    rows.note(told("task", epoch=9, context=5))
    for context in (3, 1):
        rows.note(told("task", epoch=7, context=context))
    assert set(rows.since(8)) == {5} and set(rows.since(7)) == {1, 3, 5}
    rows.note(told("task", epoch=8, context=5, faults=2))
    assert rows.since(8)[5].faults == 2


def test_processes_are_found_and_reported(start):
    """Context 1 changes while it is asked for: the answer is newer. That of 2 changes before it is asked."""
    link = ScriptedLink()

    def found(context):
        if context == 1:
            link.inbox.extend([process("following", 1, 9, "old"), process("following", 2, 9, "old")])
        if context == 2:
            link.inbox.append(process("following", 1, 42, "vi"))
        state, pid, comm = {1: (2, 41, b"sh"), 2: (3, 50, b"gzip"), 3: (1, 0, b"")}[context]
        return ack(state, pid, payload=comm)

    link.answers["get_process"] = found
    link, collector = start(link=link, system="Linux\x07", contexts=4)
    assert [fields["context"] for _, fields in link.sent] == [1, 2, 3]
    link.inbox.extend([epoch(0, 0), process("following", 3, 60, "ba\x1bsh", 1), epoch(1, 1)])
    link.inbox.extend([process("free", 2, sent=2), process("ended", 1, 42, "vi", 2), epoch(2, 2)])
    list(collector.collect(3))
    assert collector.processes.processes == (
        Process(1, 42, "vi", 0, 2, 1),
        Process(2, 50, "gzip", 0, 1, -1),
        Process(3, 60, "ba?sh", 1, 2),
    )
    assert collector.table().system == "Linux?"
    assert collector.context_names == {0: "kernel"}
