# SPDX-License-Identifier: BSD-2-Clause
"""Every finished epoch is one record, sent whole or not at all; its rows tell who is followed behind it."""

import os
import struct
import time
from dataclasses import replace

import pytest
from litemrc.device.collecting.collector import Collector

from tests.firmware.daemon.fake_driver import (
    ACCESS_BYTES,
    BANK_BYTES,
    GROUPS,
    HEADER_BYTES,
    PARTS,
    ROW_BYTES,
    STATES,
    TAIL_GROUPS,
    FakeDriver,
    Row,
    is_alive,
)
from tests.firmware.daemon.serving import receive
from tests.timeouts import scaled_timeout, wait_until

ROWS = {
    0: Row(misses=3, touched=4, hits=[10, 20, 0, 0, 5, 0, 0, 1]),
    2: Row(misses=7, touched=2, hits=[0, 0, 0, 0, 0, 0, 0, 2**31]),
}


def counters(record):
    return [
        (row["context"], row["hits"].tolist(), row["misses"], row["accesses"], row["touched"])
        for row in record.rows
    ]


def test_an_epoch_has_a_row_for_each_context_with_accesses(daemon, driver):
    """Of 1 page of 4, two groups of hits are as deep as the memory."""
    sampled = {context: replace(row, hits=[context + 10, 2**31] + [0] * 6) for context, row in ROWS.items()}
    head = {"dropped": 5, "outside": 6, "unsampled": 7, "scale_log2": 2, "begin_ns": 3, "end_ns": 10**9}
    with daemon.host() as device:
        number = driver.finish_epoch(sampled, **head)
        (message,) = receive(device, 1)

    record = message.record
    assert counters(record) == [
        (context, row.hits, row.misses, sum(row.hits) + row.misses, row.touched)
        for context, row in sampled.items()
    ]
    assert (message.epoch, record.flag("overflow")) == (number, False)
    assert {name: record.head[name] for name in head} == head


def test_epochs_that_end_faster_than_the_pace_wait_behind_the_first_few(start_daemon, driver):
    """Four may be ahead of it: the sixth is taken when it is a second since the first."""
    with start_daemon("--pace=1000").host() as device:
        begin = time.monotonic()
        for _ in range(6):
            driver.finish_epoch(ROWS)
            receive(device, 1)
        assert time.monotonic() - begin >= 1


def test_an_epoch_has_the_tail_of_refaults(daemon, driver):
    tail = [0, 3, 0, 2**31] + [0] * (TAIL_GROUPS - 4)
    rows = {0: Row(misses=1), 1: Row(misses=5, tail=tail, pages=(4096, 17, 2**31 + 3, 6))}
    with daemon.host() as device:
        driver.finish_epoch(rows)
        without, found = receive(device, 1)[0].record.rows

    names = ("resident", "evicted", "refaults", "unidentified")
    assert [without[name] for name in names] == [0] * 4 and not without["tail"].any()
    assert [found[name] for name in names] == [4096, 17, 2**31 + 3, 6]
    assert found["tail"].tolist() == tail


def test_refaults_before_their_accesses_are_sent(daemon, driver):
    """The epoch ended between the refault and the access that it causes."""
    tail = [1] + [0] * (TAIL_GROUPS - 1)
    with daemon.host() as device:
        driver.finish_epoch({0: Row(misses=1), 2: Row(tail=tail, pages=(300, 9, 1, 0))})
        _, found = receive(device, 1)[0].record.rows

    assert (found["context"], found["accesses"], found["tail"].tolist()) == (2, 0, tail)


def test_an_epoch_without_accesses_has_no_rows(daemon, driver):
    with daemon.host() as device:
        driver.finish_epoch({}, flags=1)
        (message,) = receive(device, 1)

    assert (len(message.record.rows), message.record.flag("overflow")) == (0, True)


def test_an_epoch_that_lacks_an_invalidation_is_followed_by_an_error(daemon, driver):
    with daemon.host() as device:
        number = driver.finish_epoch({}, flags=2)
        epoch, log = receive(device, 2)
        driver.finish_epoch({})
        (unspoilt,) = receive(device, 1)

    assert (epoch.epoch, epoch.record.flag("overflow")) == (number, False)
    assert (log.level, log.line) == (
        "error",
        f"epoch {number}: the gateware lost an invalidation or clear; counts are wrong",
    )
    assert unspoilt.epoch == number + 1


def test_the_collector_takes_epochs_as_those_of_bare_metal(daemon, driver):
    with daemon.host() as device:
        collector = Collector(device)
        for _ in range(20):
            driver.finish_epoch({1: Row(misses=1), 3: Row(misses=2, hits=[9] * GROUPS)})
        for _ in collector.collect(epochs=20):
            pass

    assert collector.epochs == 20
    assert collector.table().context.tolist() == [1, 3] * 20
    assert collector.link_statistics["epoch_messages_lost"] == 0


def test_epochs_that_the_driver_lost_are_missing_by_their_numbers(daemon, driver):
    with daemon.host() as device:
        driver.finish_epoch()
        driver._epoch += 9
        driver.finish_epoch(lost=9)
        before, after = receive(device, 2)
        assert device.say_hello().epoch == 11

    assert (before.epoch, after.epoch, after.record.head["lost"]) == (0, 10, 9)


def followers(message):
    return [
        (row["context"], row["state"], row["pid"], row["comm"].decode())
        for row in message.record.rows
        if row["state"] != STATES["free"]
    ]


def test_the_record_of_the_epoch_that_a_change_ends_tells_the_new_follower(daemon, driver):
    pid = os.getpid()
    with daemon.host() as device:
        driver.finish_epoch()
        driver.follow(2, "following", pid, "sort")
        driver.finish_epoch({2: Row(misses=1)})
        driver.follow(2, "ended", pid, "sort")
        driver.follow(2, "free")
        messages = receive(device, 5)

    following, ended = ((2, STATES[state], pid, "sort") for state in ("following", "ended"))
    assert [(m.name, m.epoch) for m in messages] == [("epoch", number) for number in range(5)]
    assert [followers(m) for m in messages] == [[], [following], [following], [ended], []]


def test_a_name_cannot_play_tricks(daemon, driver):
    with daemon.host() as device:
        collector = Collector(device)
        driver.follow(1, "following", os.getpid(), "a\x1b[2J\u00e9!")
        driver.finish_epoch()
        for _ in collector.collect(epochs=2):
            pass
        answer = device.request("get_process", context=1)

    (process,) = collector.processes.processes
    assert process.comm == "a?[2J\u00e9!"
    assert b"\x1b" not in answer.payload


def test_processes_followed_at_the_start_are_not_announced_but_can_be_requested(start_daemon, driver):
    folder = driver.monitor / "contexts/3"
    for name, text in (("state", "following"), ("pid", "4712"), ("comm", "gzip")):
        (folder / name).write_text(f"{text}\n")
    driver._followed[3] = ("following", os.getpid(), "gzip")  # known before the daemon was
    with start_daemon().host() as device:
        answer = device.request("get_process", context=3)
        assert (answer.values, answer.payload) == ([2, 4712], b"gzip")
        assert device.request("get_process", context=1).values == [1, 0]
        assert device.receive(0.2) is None


@pytest.mark.parametrize("spread", range(10))
def test_a_host_that_does_not_read_loses_whole_epochs_and_stops_nothing(daemon, driver, spread):
    """Far more epochs than fit: the daemon continues to read records; the host sees what is missing.

    `spread`: several lengths of frames, so that the room ends at several places of a record.
    """
    count = 3000
    rows = ROWS | {0: Row(misses=3, hits=[10**spread] * (spread % 8) + [0] * (8 - spread % 8))}
    with daemon.host() as device:
        daemon.cable.plugged = False
        for _ in range(count - 1):
            driver.finish_epoch(rows)
        driver.follow(1, "following", os.getpid(), "pytest")
        driver.follow(1, "ended", os.getpid(), "pytest")
        wait_until(driver.is_drained)
        daemon.cable.plugged = True
        device.say_hello()
        messages = device.waiting()
        driver.finish_epoch(rows)
        messages += receive(device, 1)
        hello = device.say_hello()
        messages += device.waiting()

    epochs = [message for message in messages if message.name == "epoch"]
    assert hello.epoch == count - 1 + 2 + 1
    assert 10 < len(epochs) < count
    assert [m.epoch for m in epochs] == sorted({m.epoch for m in epochs})
    expected = [(context, row.hits, row.misses) for context, row in rows.items()]
    for message in epochs:
        found = [each[:3] for each in counters(message.record) if each[0] != 1]
        assert found == expected or count - 1 <= message.epoch < count + 1
    assert messages[-1] == epochs[-1], "the last epoch came through"
    assert followers(epochs[-1]) == [(1, STATES["ended"], os.getpid(), "pytest")]
    assert device.link_counts.lost == 0, "no frame is missing: epochs are lost by their numbers"


def test_all_that_waits_is_sent_when_the_host_reads_again(daemon, driver):
    with daemon.host() as device:
        daemon.cable.plugged = False
        for _ in range(500):
            driver.finish_epoch(ROWS)
        wait_until(driver.is_drained)
        daemon.cable.plugged = True
        waited = list(iter(lambda: device.receive(scaled_timeout(1)), None))
        number = driver.finish_epoch(ROWS)
        (last,) = receive(device, 1)

    assert 10 < len(waited) < 500
    assert last.epoch == number, "none was left"


def test_when_the_driver_goes_away_the_daemon_ends_and_its_programs(start_daemon, driver):
    daemon = start_daemon()
    with daemon.host() as device:
        device.request("run", workload=1, context=1, scale=1000)
        pid = int(driver.read("contexts/1/pid"))
        driver.unplug()
        assert "the driver was removed" in daemon.ended()
    assert not is_alive(pid)


def test_when_the_port_goes_away_the_daemon_ends(start_daemon):
    daemon = start_daemon()
    daemon.cable.cut()
    assert "check the port" in daemon.ended()


@pytest.fixture
def other_driver(request, folder):
    """A driver with these arguments; it outlives the daemon, whose end depends on the signal alone."""
    with FakeDriver(folder, **request.param) as made:
        yield made


@pytest.mark.parametrize("other_driver", [{"grown": True}], indirect=True)
def test_a_record_whose_parts_have_grown_is_read(other_driver, start_daemon_on):
    """What the daemon does not know of it reaches the host, too, but for the header's end."""
    with start_daemon_on(other_driver).host() as device:
        number = other_driver.finish_epoch(ROWS)
        (first,) = receive(device, 1)
        other_driver.follow(1, "following", os.getpid(), "grown")
        (second,) = receive(device, 1)
        assert device.request("get_process", context=1).payload == b"grown"

    assert (first.epoch, [each[:3] for each in counters(first.record)]) == (
        number,
        [(context, row.hits, row.misses) for context, row in ROWS.items()],
    )
    assert b"\xee" * 12 in first.record.payload, "the last row's end, and the other part"
    assert followers(second) == [(1, STATES["following"], os.getpid(), "grown")]


@pytest.mark.parametrize("other_driver", [{"name": "litemrc1"}], indirect=True)
def test_a_daemon_serves_the_device_that_it_is_named(other_driver, start_daemon_on):
    with start_daemon_on(other_driver).host() as device:
        number = other_driver.finish_epoch(ROWS)
        assert [message.epoch for message in receive(device, 1)] == [number]
        device.request("follow", context=2, pid=os.getpid())

    orders = [path for path, _, _ in other_driver.orders()]
    assert "sys/class/misc/litemrc1/contexts/2/pid" in orders
    assert not [path for path in orders if "litemrc0" in path]


ROWS_PART = (1, ROW_BYTES, 4)
NO_RANKS = (2, 88, 0)
HEADER = "<IHH40xIHH32x"  # bytes, header_bytes, parts; scale_log2, groups, tail_groups
BANKS = 2


@pytest.mark.parametrize(
    ("header_bytes", "parts"),
    [
        (HEADER_BYTES - 8, [ROWS_PART, NO_RANKS]),
        (HEADER_BYTES + 8, [ROWS_PART, NO_RANKS]),
        (HEADER_BYTES - 2, [ROWS_PART, NO_RANKS]),
        (HEADER_BYTES, [(1, ROW_BYTES - 4, 4), NO_RANKS]),
        (HEADER_BYTES, [(1, ROW_BYTES - 2, 4), NO_RANKS]),
        (HEADER_BYTES, [(1, ROW_BYTES, 3), NO_RANKS]),
        (HEADER_BYTES, [(1, ROW_BYTES, 5), NO_RANKS]),
        (HEADER_BYTES, [(1, ROW_BYTES, 2**31), NO_RANKS]),
        (HEADER_BYTES, [NO_RANKS, ROWS_PART]),
        (HEADER_BYTES, [ROWS_PART, (2, 88, 1)]),
        (HEADER_BYTES, []),
        (HEADER_BYTES, [ROWS_PART] * 40),
    ],
)
def test_a_record_with_parts_that_do_not_fit_ends_the_daemon(start_daemon, driver, header_bytes, parts):
    daemon = start_daemon()
    size = HEADER_BYTES + 8 * PARTS + 4 * ROW_BYTES
    head = struct.pack(HEADER, size, header_bytes, len(parts), 0, GROUPS, TAIL_GROUPS)
    assert len(head) == HEADER_BYTES
    table = b"".join(struct.pack("<HHI", *part) for part in parts)
    driver.hand_out_bytes((head + table).ljust(size, b"\0")[:size])
    assert "use driver and daemon of the same version" in daemon.ended()


@pytest.mark.parametrize("other_driver", [{"banks": BANKS}, {"banks": BANKS, "grown": True}], indirect=True)
def test_an_epoch_has_the_drams_commands_of_each_bank(other_driver, start_daemon_on):
    """As the driver has them, also from a later one whose items are longer."""
    names = ("reads", "writes", "row_hits", "activates", "row_conflicts")
    counts = [(9, 2**32 - 1, 5, 4, 3), (1, 2, 0, 3, 1)]
    other_driver.banks = [dict(zip(names, bank, strict=True)) for bank in counts]
    head = {"access_bytes": ACCESS_BYTES, "cycles": 2**34 - 1, "refreshes": 17, "refresh_cycles": 39}
    head |= {"queue_peak": 8, "flags": 0x20}
    with start_daemon_on(other_driver).host() as device:
        hello = device.hello
        other_driver.finish_epoch(ROWS, **head)
        record = receive(device, 1)[0].record

    assert (hello.banks, hello.access_bytes) == (BANKS, ACCESS_BYTES)
    assert "banks" in hello.features
    assert {name: record.head[name] for name in head} == head
    assert [tuple(bank[name] for name in names) for bank in record.banks] == counts
    assert len(record.rows) == len(ROWS)


def test_a_driver_without_counts_of_banks_has_no_such_part(daemon, driver):
    with daemon.host() as device:
        assert (device.hello.banks, device.hello.access_bytes) == (0, 0)
        assert "banks" not in device.hello.features
        driver.finish_epoch(ROWS)
        assert receive(device, 1)[0].record.banks is None


@pytest.mark.parametrize("other_driver", [{"banks": BANKS}], indirect=True)
@pytest.mark.parametrize(
    "banks",
    [
        [],
        [(8, BANK_BYTES, BANKS - 1)],
        [(8, BANK_BYTES, BANKS + 1)],
        [(8, BANK_BYTES - 4, BANKS)],
        [(8, BANK_BYTES, BANKS), (8, BANK_BYTES, BANKS)],
    ],
)
def test_a_record_whose_banks_are_not_those_of_the_driver_ends_the_daemon(
    start_daemon_on, other_driver, banks
):
    daemon = start_daemon_on(other_driver)
    table = [(1, ROW_BYTES, 1), NO_RANKS, *banks]
    bodies = b"".join(bytes(-(-items * bytes_ // 8) * 8) for _, bytes_, items in table)
    size = HEADER_BYTES + 8 * len(table) + len(bodies)
    head = struct.pack(HEADER, size, HEADER_BYTES, len(table), 0, GROUPS, TAIL_GROUPS)
    other_driver.hand_out_bytes(head + b"".join(struct.pack("<HHI", *part) for part in table) + bodies)
    assert f"with 0 ranks and {BANKS} banks" in daemon.ended()


def test_a_record_of_a_context_that_there_is_not_ends_the_daemon(start_daemon, driver):
    daemon = start_daemon()
    size = HEADER_BYTES + 8 * PARTS + ROW_BYTES
    head = struct.pack(HEADER, size, HEADER_BYTES, PARTS, 0, GROUPS, TAIL_GROUPS)
    table = struct.pack("<HHIHHI", 1, ROW_BYTES, 1, *NO_RANKS)
    driver.hand_out_bytes((head + table + struct.pack("<I", 4)).ljust(size, b"\0"))
    assert "use driver and daemon of the same version" in daemon.ended()


def test_a_record_of_another_layout_ends_the_daemon(start_daemon, driver):
    daemon = start_daemon()
    driver.hand_out_bytes(b"\x10\0\0\0" + bytes(12))
    said = daemon.ended()
    assert "16 bytes, not an epoch of 4 contexts and 8 groups" in said
    assert "use driver and daemon of the same version" in said
