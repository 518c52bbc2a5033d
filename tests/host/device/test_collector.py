# SPDX-License-Identifier: BSD-2-Clause
"""A collection message by message: what is kept, what ends it, and what a device cannot have sent."""

import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.collecting.page_epochs import cost_per_access
from litemrc.device.collecting.record_rows import watch_ranks
from litemrc.device.errors import DeviceFaultError, DeviceGoneError, SilentDeviceError
from litemrc.device.link.schema import schema
from litemrc.device.rank_commands import Dram
from litemrc.device.running import Run
from litemrc.epochs.processes import Process

from tests.host.scripted_device import ScriptedLink, ack, counted, device_at, ended, hello, told

STATES = schema().enums["context_state"]
DRAM = Dram(2, False, ("awake",), "part", chips=1, phases=4, kept=0)


@pytest.fixture
def start(monkeypatch):
    """start(dram, **hello) -> (link, collector) of a device with these parameters."""

    def start(dram=None, link=None, **parameters):
        link = link or ScriptedLink()
        link.answers["hello"] = lambda: hello(**parameters)
        return link, Collector(device_at(link, monkeypatch), dram)

    return start


def epoch(number, *contexts, tail_groups=0, **more):
    """An epoch of 3 accesses of each context: 2 hits in the first group and a miss."""
    rows = [counted(context, 2, misses=1) for context in contexts or (1,)]
    return ended(number, *rows, tail_groups=tail_groups, **more)


def event(kind, workload=0, context=1, **more):
    return told("event", kind=kind, workload=workload, context=context, **more)


def rank(**more):
    counters = [0] * 16
    counters[5] = 1000  # precharge standby
    return {"cycles": 1000, "counters": counters} | more


def follows(context, state, pid=0, comm=""):
    """A row of a context that counted nothing."""
    return {"context": context, "state": STATES[state], "pid": pid, "comm": comm.encode()}


def keys(collector):
    return [pair for rows in collector.counts for pair in rows[["epoch", "context"]].tolist()]


def test_as_many_epochs_as_asked_for_are_collected_whatever_was_sent_before(start):
    link, collector = start(epoch=7)
    link.inbox.extend([epoch(7, 1, 2), epoch(8), told("log"), epoch(9)])
    assert [message.name for message in collector.collect(2)] == ["epoch"] * 2
    assert (collector.epochs, keys(collector)) == (2, [(7, 1), (7, 2), (8, 1)])
    assert [message.name for message in collector.collect(1)] == ["log", "epoch"]
    assert keys(collector)[-1] == (9, 1)
    statistics = collector.link_statistics
    assert (statistics["epoch_messages"], statistics["epoch_messages_lost"]) == (3, 0)
    assert (statistics["frames"], statistics["lost"]) == (5, 2), "those of the link"


def test_epochs_that_did_not_arrive_are_lost(start):
    link, collector = start(epoch=2**32 - 2)
    link.inbox.extend([epoch(2**32 - 1), epoch(0), epoch(3)])  # numbers wrap
    assert len(list(collector.collect(3))) == 3
    assert (collector.epochs, collector.link_statistics["epoch_messages_lost"]) == (3, 1 + 2)


def test_an_epoch_in_which_nothing_counted_is_a_row_of_zeros(start):
    link = ScriptedLink(get_process=lambda **_: ack(1, 0))
    link, collector = start(link=link, system="Linux", contexts=2)
    link.inbox.extend(
        [ended(0), ended(1, follows(1, "following", 9)), ended(2, follows(1, "free") | {"refaults": 1})]
    )
    list(collector.collect(3))
    assert keys(collector) == [(0, 0), (1, 0), (2, 1)]
    assert collector.table().accesses.tolist() == [0] * 3


def test_the_table_has_what_was_collected_of_which_monitor(start):
    link, collector = start(pages=32, page_shift=10, recent_pages=2, contexts=3)
    link.inbox.extend([event("workload_started", 1, 2), epoch(0, 2, scale_log2=1)])
    list(collector.collect(1))
    table = collector.table()
    found = (table.page_bytes, table.frames, table.engine, table.pages, table.groups, table.contexts)
    assert found == (1024, 64, "group_stack", 32, 4, 3)
    assert (table.recent_pages, table.system, table.interrupted) == (2, "", False)
    assert (dict(table.context_names), collector.cycles) == ({2: "loop"}, [])
    assert table.hits.tolist() == [[2, 0, 0, 0]] and collector.table(interrupted=True).interrupted


def test_a_tail_is_kept_and_those_that_send_none_have_none(start):
    link, collector = start()
    row = counted(1, 2, misses=1, resident=30, evicted=9, unidentified=1, refaults=1, tail=[0, 0, 0, 0, 1])
    link.inbox.append(ended(0, counted(0, 2, misses=1), row, tail_groups=8))
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
    done = event("workload_done", 0, 1, cycles=55, epoch=1)
    link.inbox.extend([epoch(0), done, epoch(1), event("workload_done", 1, 4, epoch=2)])
    messages = list(collector.collect(9, [Run("zipf"), Run("loop", 4)]))
    assert [message.name for message in messages] == ["epoch", "event"] * 2
    assert collector.cycles == [("zipf", 1, 55), ("loop", 4, 0)]
    assert dict(collector.context_names) == {1: "zipf", 4: "loop"}


def test_after_a_silence_hello_reports_what_was_missed(start):
    link, collector = start()
    link.inbox.append(epoch(0))
    link.answers["hello"] = lambda: hello(epoch=3, sequence=9)
    names = [message.name for message in collector.collect(9, [Run("zipf")])]
    assert names == ["epoch", "hello"], "the program has ended"
    assert link.now == 10 and collector.epochs == 1
    assert collector.link_statistics["epoch_messages_lost"] == 2


@pytest.mark.parametrize("anything", ["accesses", "dropped", "outside", "unsampled"])
def test_a_collection_is_finished_by_an_epoch_that_counted_nothing(start, anything):
    link, collector = start()
    first = ended(0, counted(0, misses=1)) if anything == "accesses" else ended(0, **{anything: 1})
    link.inbox.extend([first, ended(1), told("log")])
    assert len(list(collector.finish())) == 2
    assert collector.epochs == 2
    assert [name for name, _ in link.sent] == ["monitor", "end_epoch", "end_epoch"]
    assert link.sent[0] == ("monitor", {"on": False})
    assert [message.name for message in collector._device.waiting()] == ["log"]


def test_a_collection_that_has_ended_waits_for_the_epoch_that_it_ends(start):
    link, collector = start()
    link.inbox.append(ended(0))
    list(collector.collect(1))
    link.inbox.extend([told("log"), ended(1), told("log")])
    assert [message.name for message in collector.finish()] == ["log", "epoch"]
    assert list(collector.finish()) == [told("log")], "then silence"
    assert link.now == 10


def test_the_ranks_of_an_epoch_belong_to_the_collection(start):
    link, collector = start(DRAM, ranks=2)
    link.inbox.extend([epoch(0, ranks=[rank(), rank(live_pages=8)]), epoch(1, ranks=[rank(state=3), rank()])])
    list(collector.collect(1))
    (rows,) = collector.ranks
    assert rows[["epoch", "domain", "live_pages"]].tolist() == [(0, 0, 0), (0, 1, 8)]
    table = DRAM.table(collector.ranks, 1_000_000)
    assert (table.clock_hz, table.domains, table.phases, table.interrupted) == (1_000_000, 2, 4, False)
    list(collector.collect(1))
    assert [rows["state"].tolist() for rows in collector.ranks] == [[0, 0], [3, 0]]
    link, without = start(ranks=2)
    link.inbox.append(epoch(0, ranks=[rank(), rank()]))
    list(without.collect(1))
    assert without.ranks is None, "not requested"


def test_ranks_are_watched_epoch_by_epoch(start):
    link, collector = start(ranks=2)
    device = collector._device
    link.inbox.extend(
        [epoch(1, ranks=[rank(), rank()]), told("log"), epoch(2), epoch(3, ranks=[rank(), rank()])]
    )
    rows = watch_ranks(device)
    assert [next(rows)[["epoch", "domain"]].tolist() for _ in range(2)] == [
        [(number, domain) for domain in range(2)] for number in (1, 3)
    ]
    with pytest.raises(SilentDeviceError, match="no epoch ended within 10 s"):
        next(rows)
    saturated = rank(cycles=7, flags=schema().constants["rank_overflow"])
    link.inbox.append(epoch(4, ranks=[saturated, saturated]))
    assert next(watch_ranks(device))["overflow"].tolist() == [True, True]
    link.inbox.append(epoch(5, ranks=[saturated, rank(cycles=7)]))
    with pytest.raises(DeviceFaultError, match="epoch 5, domain 1: 1000 clocks in all states, but 7"):
        next(watch_ranks(device))


def with_row(**changes):
    return ended(0, counted(1, 2, misses=1) | changes)


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        ([with_row(accesses=4)], "epoch 0, context 1: sum"),
        ([with_row(touched=4)], "epoch 0, context 1: more pages touched"),
        ([ended(0, counted(1, 2), groups=3)], "3 groups, and its hello has 4"),
        ([epoch(0, tail_groups=9)], "a tail with 9 groups"),
        ([ended(0, counted(1, 0, 0, 2), scale_log2=1)], "epoch 0, context 1: hits deeper than the memory"),
        ([epoch(0, 1, 1)], "contexts 1, 1"),
        ([epoch(0, 2, 1)], "contexts 2, 1"),
        ([epoch(0, scale_log2=32)], "scale_log2 is 32"),
        ([epoch(0, ranks=[rank(), rank(state=1)])], "a rank in state 1"),
    ],
)
def test_what_a_device_cannot_have_sent_is_named(start, messages, why):
    link, collector = start(DRAM, ranks=2)
    link.inbox.extend(messages)
    with pytest.raises(DeviceFaultError, match=f"the device sent nonsense: .*{why}"):
        list(collector.collect(9))


def test_the_last_of_each_that_a_device_has_is_accepted(start):
    link, collector = start()
    deepest = ended(0, counted(7, 0, 2), scale_log2=1, tasks=[{"context": 7}], tail_groups=8)
    link.inbox.extend([event("workload_started", 1, 7), deepest, epoch(1)])
    list(collector.collect(2))
    assert len(collector.tasks) == 1 and len(keys(collector)) == 2


@pytest.mark.parametrize("message", [epoch(4), event("workload_done"), hello()])
def test_a_device_that_counts_anew_was_restarted(start, message):
    link, collector = start(epoch=5)
    link.inbox.append(message)
    with pytest.raises(DeviceGoneError, match=r"restarted: epoch [04], and those before 5 had ended"):
        list(collector.collect(1))


def test_an_epoch_that_comes_again_is_that_of_a_restarted_device(start):
    link, collector = start()
    link.inbox.extend([epoch(0), epoch(0)])
    with pytest.raises(DeviceGoneError, match="epoch 0, and those before 1 had ended"):
        list(collector.collect(2))


def test_pages_and_tasks_are_kept(start):
    link, collector = start()
    copies = [{"context": 1, "cost": 900, "references": 30, "home": 15}]
    tasks = [{"context": 1, "budget": 2**32 - 1}, {"context": 2, "budget": 9, "response": 2**40}]
    link.inbox.extend([epoch(0, copies=copies, tasks=tasks), epoch(1, copies=[{"context": 1}])])
    list(collector.collect(2))
    assert [(row["epoch"], cost_per_access(row)) for row in collector.pages] == [(0, 20), (1, None)]
    assert [(row["epoch"], row["context"], row["budget"]) for row in collector.tasks] == [
        (0, 1, None),
        (0, 2, 9),
    ]
    assert collector.tasks[1]["response"] == 2**40


def test_processes_are_found_and_reported(start):
    """Context 1 changes while it is asked for: the answer is newer. That of 2 changes before it is asked."""
    link = ScriptedLink()

    def found(context):
        if context == 1:
            link.inbox.append(ended(0, follows(1, "following", 9, "old"), follows(2, "following", 9, "old")))
        if context == 2:
            link.inbox.append(ended(1, follows(1, "following", 42, "vi")))
        state, pid, comm = {1: (2, 41, b"sh"), 2: (3, 50, b"gzip"), 3: (1, 0, b"")}[context]
        return ack(state, pid, payload=comm)

    link.answers["get_process"] = found
    link, collector = start(link=link, system="Linux\x07", contexts=4, epoch=2)
    assert [fields["context"] for _, fields in link.sent] == [1, 2, 3]
    vi, gzip = follows(1, "following", 42, "vi"), follows(2, "ended", 50, "gzip")
    bash = follows(3, "following", 60, "ba\x1bsh")
    link.inbox.extend(
        [ended(2, vi, gzip, bash), ended(3, follows(1, "ended", 42, "vi"), bash), ended(4, bash)]
    )
    list(collector.collect(3))
    assert collector.processes.followed == {
        3: Process(3, 60, "ba?sh", 3, 4),
        1: Process(1, 42, "vi", 2, 4, 3),
    }
    assert collector.table().processes == (
        Process(1, 42, "vi", 2, 4, 3),
        Process(2, 50, "gzip", 2, 3, 1),
        Process(3, 60, "ba?sh", 3, 4),
    )
    assert collector.table().system == "Linux?"
    assert collector.context_names == {0: "kernel"}
