# SPDX-License-Identifier: BSD-2-Clause
"""Each reader gets every finished epoch whole, once and in order; epochs lost by a slow one are counted."""

from errno import EAGAIN, EFAULT, EINTR, EINVAL

from tests.linux.driver.guest import FAKE, S, parse_epoch

DEVICE = "/dev/litemrc0"
# Header, table and rows, at most: the fake's 8 contexts and 64 groups, 128 of the tail.
HEAD = 88 + 2 * 8
ROW = 44 + (64 + 3) * 4
RECORD = HEAD + 8 * (ROW + 128 * 4)
LEAST = 8 * (64 + 3)  # the shortest epoch: words of the window
RING = 64
POLLIN, POLLPRI, POLLERR, POLLHUP = 1, 2, 8, 16


def end_epochs(guest, count):
    for _ in range(count):
        assert guest.write(S + "end_epoch", 1) == 0


def epochs(lines):
    return [parse_epoch(line) for line in lines]


def test_record_has_the_size_of_its_parts(monitor):
    monitor.do(f"open {DEVICE}")
    end_epochs(monitor, 1)
    assert monitor.ask(f"read {RECORD - 1}").result == -EINVAL
    assert monitor.read(S + "parameters/record_bytes") == str(RECORD)
    answer = monitor.ask("read 1000000")
    assert answer.result == HEAD  # nothing was counted
    assert [epoch.number for epoch in epochs(answer.lines)] == [0]
    monitor.write(S + "enable", 1)
    monitor.write(FAKE + "access", 9)
    end_epochs(monitor, 1)
    assert monitor.ask("read 1000000").result == HEAD + ROW  # one context counted, and nothing came back


def test_a_record_has_the_time_of_its_epoch(monitor):
    """The clock is read around each end; each epoch begins when the one before ends, or at a later clear."""

    def clock():
        return int(monitor.do("clock")[0])

    monitor.do(f"open {DEVICE}")
    around = []
    for clears in (False, False, True):
        cleared = clock()
        if clears:
            assert monitor.write(S + "clear", 1) == 0
        monitor.do("sleep 30")
        before = clock()
        end_epochs(monitor, 1)
        around.append((cleared, before, clock()))
    got = epochs(monitor.do("read 10000 3"))
    for epoch, (_, before, after) in zip(got, around, strict=True):
        assert before <= epoch.end_ns <= after
    assert got[1].begin_ns == got[0].end_ns
    assert got[1].end_ns < around[2][0] <= got[2].begin_ns <= around[2][1]


def test_epochs_end_by_accesses_and_belong_to_the_context_that_made_them(monitor):
    pid = monitor.spawn("worker")
    monitor.write(S + "enable", 1)
    monitor.write(S + "contexts/3/pid", pid)
    monitor.do(f"open {DEVICE}")
    assert monitor.write(S + "epoch_length", LEAST) == 0
    monitor.do(f"@ worker w {FAKE}access 60")
    monitor.write(FAKE + "access", LEAST - 60)
    (epoch,) = epochs(monitor.ask("read 10000").lines)
    assert epoch.whole
    assert epoch.accesses == [LEAST - 60, 0, 0, 60, 0, 0, 0, 0]
    assert monitor.read(S + "contexts/3/accesses") == "60"
    # The fake's counters: epoch * 1000003 + context * 4099 + word.
    base = epoch.number * 1000003 + 3 * 4099
    assert monitor.read(S + "contexts/3/hits").split() == [str(base + group) for group in range(64)]
    assert monitor.read(S + "contexts/3/misses") == str(base + 64)
    assert monitor.read(S + "contexts/3/touched") == str(base + 66)
    assert monitor.read(S + "contexts/3/dropped") == str(epoch.number * 7 + 3)
    assert monitor.read(S + "epoch") == str(epoch.number + 1)
    monitor.end("worker")


def test_two_readers_get_every_epoch_whole(monitor):
    count = 150
    for name in ("first", "second"):
        monitor.spawn(name)
        monitor.do(f"@ {name} open {DEVICE}")
        monitor.do(f"& {name} read 10000 {count}")
    monitor.write(S + "enable", 1)
    assert monitor.write(S + "epoch_length", LEAST) == 0
    for _ in range(count // 10):
        # More accesses than one epoch has: the next one runs while the window is read.
        for _ in range(10):
            monitor.write(FAKE + "access", LEAST)
            monitor.do("sleep 30")
    end_epochs(monitor, 2)
    while int(monitor.read(S + "epoch")) < count:
        end_epochs(monitor, 1)
    for name in ("first", "second"):
        got = epochs(monitor.do(f"? {name}"))
        assert [epoch.number for epoch in got] == list(range(count))
        assert all(epoch.whole and not epoch.lost for epoch in got)
        monitor.end(name)
    assert monitor.read(S + "lost") == "0"


def test_a_slow_reader_counts_what_it_lost_and_another_loses_nothing(monitor):
    monitor.spawn("slow")
    monitor.do(f"@ slow open {DEVICE}")
    monitor.do(f"open {DEVICE}")
    monitor.write(S + "enable", 1)
    numbers = []
    for _ in range(RING + 10):
        monitor.write(FAKE + "access", 9)
        end_epochs(monitor, 1)
        numbers += [epoch.number for epoch in epochs(monitor.do("read 10000"))]
    assert numbers == list(range(RING + 10))
    got = epochs(monitor.do(f"@ slow read 10000 {RING}"))
    assert [epoch.number for epoch in got] == list(range(10, RING + 10))
    assert [epoch.lost for epoch in got] == [10] + [0] * (RING - 1)
    assert all(epoch.whole for epoch in got)
    assert monitor.read(S + "lost") == "10"
    monitor.end("slow")


def test_a_row_without_accesses_is_0_where_the_ring_had_one_with_some(monitor):
    pid = monitor.spawn("worker")
    monitor.write(S + "enable", 1)
    monitor.write(S + "contexts/3/pid", pid)
    monitor.do(f"@ worker w {FAKE}access 60")
    end_epochs(monitor, RING)
    monitor.do(f"open {DEVICE}")
    end_epochs(monitor, 1)
    (epoch,) = epochs(monitor.do("read 10000"))
    assert epoch.whole
    assert epoch.accesses == [0] * 8
    assert monitor.read(S + "contexts/3/hits").split() == ["0"] * 64
    monitor.end("worker")


def test_a_reader_gets_only_what_ends_after_it_opened(monitor):
    end_epochs(monitor, 3)
    monitor.do(f"open {DEVICE} nonblock")
    assert monitor.ask("read 10000").result == -EAGAIN
    end_epochs(monitor, 1)
    assert [epoch.number for epoch in epochs(monitor.do("read 10000"))] == [3]
    assert monitor.ask("read 10000").result == -EAGAIN


def test_a_bad_buffer_loses_nothing(monitor):
    monitor.do(f"open {DEVICE}")
    end_epochs(monitor, 1)
    assert monitor.ask("fault 10000").result == -EFAULT
    assert [epoch.number for epoch in epochs(monitor.do("read 10000"))] == [0]


def test_poll_reports_epochs(monitor):
    monitor.do(f"open {DEVICE}")
    assert monitor.ask("poll 0").result == 0
    end_epochs(monitor, 1)
    assert monitor.ask("poll 1000").result == POLLIN
    monitor.do("read 10000")
    assert monitor.ask("poll 0").result == 0
    monitor.spawn("waiter")
    monitor.do(f"@ waiter open {DEVICE}")
    monitor.do("& waiter poll 20000")
    monitor.do("sleep 50")
    end_epochs(monitor, 1)
    assert monitor.ask("? waiter").result == POLLIN
    monitor.end("waiter")


def test_poll_on_the_epoch_file_wakes_at_each(monitor):
    monitor.spawn("waiter")
    monitor.do(f"@ waiter open {S}epoch")
    for _ in range(2):
        monitor.do("& waiter poll 20000 pri")
        monitor.do("sleep 50")
        end_epochs(monitor, 1)
        assert monitor.ask("? waiter").result == POLLPRI | POLLERR
    assert monitor.ask("@ waiter poll 50 pri").result == 0
    monitor.end("waiter")


def test_a_signal_interrupts_a_waiting_reader(monitor):
    monitor.spawn("waiter")
    monitor.do(f"@ waiter open {DEVICE}")
    monitor.do("& waiter read 10000")
    monitor.do("sleep 50")
    monitor.do("kill waiter 10")
    assert monitor.ask("? waiter").result == -EINTR
    end_epochs(monitor, 1)
    assert [epoch.number for epoch in epochs(monitor.do("@ waiter read 10000"))] == [0]
    monitor.end("waiter")


def test_an_epoch_that_nobody_follows_in_has_free_contexts(monitor):
    monitor.do(f"open {DEVICE}")
    end_epochs(monitor, 1)
    (epoch,) = epochs(monitor.do("read 10000"))
    assert epoch.followed == [(1, 0, "-")] * 8


def test_a_device_that_goes_ends_its_readers(monitor):
    monitor.spawn("waiter")
    monitor.do(f"@ waiter open {DEVICE}")
    monitor.do("& waiter read 10000")
    monitor.do(f"open {DEVICE}")
    monitor.do("sleep 50")
    monitor.do("w /sys/bus/platform/drivers/litemrc/unbind litemrc.0")
    assert monitor.ask("? waiter").result == 0
    assert monitor.ask("poll 0").result & POLLHUP
    assert monitor.ask("read 10000").result == 0
    # The old device lives until its readers close it; the new one exists beside it.
    monitor.do("w /sys/bus/platform/drivers/litemrc/bind litemrc.0")
    name = [line.split()[0] for line in monitor.do("ls /sys/class/misc") if line.startswith("litemrc")]
    assert len(name) == 1
    monitor.do("close")
    monitor.end("waiter")
