# SPDX-License-Identifier: BSD-2-Clause
"""The module is loaded and unloaded under load."""

from errno import EAGAIN

from tests.linux.driver.guest import FAKE, S

TIMES = 8
PAGE_OFFSET = 0xC0000000
PRESENT, PERMISSIONS = 0x1, 0xF


def test_the_module_stays_while_the_device_is_open(monitor):
    monitor.unload_driver(clients=True)
    monitor.do("open /dev/litemrc0")
    assert monitor.ask("rmmod litemrc").result == -EAGAIN
    monitor.do("close")
    monitor.do("rmmod litemrc")
    monitor.load_driver()


def test_the_module_goes_under_load(monitor):
    workers = [f"worker{number}" for number in range(4)]
    pids = [monitor.spawn(name) for name in workers]
    for name in workers:
        monitor.do(f"& {name} churn 400")
    for _ in range(TIMES):
        for context, pid in enumerate(pids, 1):
            assert monitor.write(f"{S}contexts/{context}/pid", pid) == 0
        assert monitor.write(S + "enable", 1) == 0
        assert monitor.write(S + "epoch_length", 536) == 0
        monitor.write(FAKE + "access", 2000)
        monitor.do("sleep 60")
        monitor.unload_driver()
        monitor.load_driver()
    for name in workers:
        monitor.do(f"? {name}")
        monitor.end(name)


def test_the_device_goes_under_load(monitor):
    pid = monitor.spawn("worker")
    monitor.do("& worker churn 300")
    for name in ("reader", "looker"):
        monitor.spawn(name)
    for _ in range(TIMES):
        assert monitor.write(S + "contexts/1/pid", pid) == 0
        assert monitor.write(S + "enable", 1) == 0
        monitor.do("@ reader open /dev/litemrc0")
        monitor.do("& reader read 10000 100")
        monitor.do(f"& looker fuzz {S}contexts/2/pid 5 2000")
        monitor.write(FAKE + "access", 10)
        monitor.do("rmmod litemrc_fake")
        assert monitor.ask("? reader").result == 0
        monitor.ask("? looker")
        monitor.do("@ reader close")
        monitor.do("insmod /litemrc_fake.ko")
    monitor.do("? worker")
    for name in ("worker", "reader", "looker"):
        monitor.end(name)


def test_followers_end_while_contexts_are_written(monitor):
    assert monitor.write(S + "enable", 1) == 0
    for number in range(40):
        pid = monitor.spawn("short")
        monitor.do("& short exit")
        # It is alive, a zombie, or reaped.
        monitor.write(f"{S}contexts/{1 + number % 7}/pid", pid)
        monitor.do("wait short")
        assert monitor.read(f"{S}contexts/{1 + number % 7}/state") in ("ended", "free")
        monitor.write(f"{S}contexts/{1 + number % 7}/pid", 0)


def test_freeing_a_module_leaves_the_kernels_map_as_it_was(monitor):
    """Each superpage of the direct map keeps its permissions: superpages.patch."""
    first = monitor.symbols.address["swapper_pg_dir"]
    entry = PAGE_OFFSET >> 22
    kernel_map = monitor.monitor.words(first + 4 * entry, 12)
    assert len(kernel_map) == 12 and all(word & PRESENT for word in kernel_map)
    monitor.unload_driver()
    monitor.load_driver()
    monitor.do("sleep 300")  # the memory of its init functions is freed a while later
    assert monitor.monitor.words(first + 4 * entry, 12) == kernel_map
    assert len({word & PERMISSIONS for word in kernel_map}) == 1
