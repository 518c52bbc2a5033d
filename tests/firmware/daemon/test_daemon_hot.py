# SPDX-License-Identifier: BSD-2-Clause
"""Settings of hot pages and of the split: orders to the driver, or refusals that change nothing."""

import errno
import os
from dataclasses import asdict, replace

import pytest
from litemrc.device.errors import RequestRefusedError
from litemrc.device.hot import HotSettings, get_hot, set_hot
from litemrc.device.running import get_split, owning_contexts

from tests.firmware.daemon.fake_driver import CONTEXTS, FRAMES, FakeDriver, Row
from tests.firmware.daemon.fake_pages import HOT, FakePages
from tests.firmware.daemon.serving import CONFIG, make_group
from tests.timeouts import scaled_timeout, wait_until

HOT_PAGES = 128
HALF = CONTEXTS // 2
AT_BOOT = HotSettings(0, True, True, False, 0, 2, HOT_PAGES, 0, FRAMES - 1, 1)
SET = HotSettings(1, False, True, True, 15, 1000, 5, 16, 4095, 16)
SLEEP, QUICK = 1, 0  # of CONFIG


@pytest.fixture
def driver(folder):
    with FakeDriver(folder, pages=FakePages(FRAMES, HOT_PAGES)) as made:
        yield made


def read_all(driver):
    return {name: int(driver.read(f"hot/{name}")) for name in (*HOT, "wanted", "upper")}


def hot_orders(driver):
    """Names and texts written to the files of hot pages."""
    orders = [(path.rpartition("/litemrc0/hot/"), text) for path, _, text in driver.orders()]
    return [(path[2], text) for path, text in orders if path[1]]


def test_settings_reach_the_driver_each_once_and_enable_last(daemon, driver):
    with daemon.host() as device:
        assert get_hot(device) == AT_BOOT
        assert set_hot(device, SET) == SET == get_hot(device)
        written = hot_orders(driver)
        assert set_hot(device, SET) == SET
        assert set_hot(device, replace(SET, wanted=6)) == replace(SET, wanted=6)
    expected = {
        "enable": 1,
        "reads": 0,
        "writes": 1,
        "always_on": 1,
        "sampling": 15,
        "threshold": 1000,
        "wanted": 6,
        "lower": 16,
        "upper": 4095,
        "watermark": 16,
    }
    assert read_all(driver) == expected
    assert sorted(name for name, _ in written) == sorted(expected.keys() - {"writes"})
    assert written[-1] == ("enable", "1")
    assert hot_orders(driver)[len(written) :] == [("wanted", "6")], (
        "what stays is not written: it would clear"
    )


@pytest.mark.parametrize("file", ["watermark", "threshold", "enable"])
@pytest.mark.parametrize(("error", "code"), [(errno.EINVAL, "bad_argument"), (errno.EIO, "unsupported")])
def test_settings_that_the_driver_refuses_leave_those_before(daemon, driver, file, error, code):
    driver.fail(f"hot/{file}", error)
    with daemon.host() as device:
        with pytest.raises(RequestRefusedError) as refused:
            set_hot(device, SET)
        assert refused.value.code == code
        assert get_hot(device) == AT_BOOT


def test_a_malformed_setting_is_not_passed_on(daemon, driver):
    (driver.monitor / "hot/wanted").write_text("many\n")
    with daemon.host() as device:
        assert refusal(device, "get_hot") == "unsupported"
        assert device.request("get_split").values == [0], "the link still works"


@pytest.mark.parametrize(("bitmap", "hot_pages"), [(False, 0), (True, 0), (False, HOT_PAGES)])
def test_what_the_gateware_lacks_is_refused(folder, start_daemon_on, bitmap, hot_pages):
    requests = {
        "get_hot": ({}, hot_pages),
        "set_hot": (asdict(AT_BOOT), hot_pages),
    }
    with FakeDriver(folder, pages=FakePages(FRAMES, hot_pages, bitmap)) as driver:
        daemon = start_daemon_on(driver)
        with daemon.host() as device:
            assert (device.hello.page_bitmap, device.hello.hot_pages) == (bitmap, hot_pages)
            for name, (values, has) in requests.items():
                assert refusal(device, name, **values) == (None if has else "unsupported")
            for accessed in (False, True):
                for hot in (False, True):
                    lacks = (accessed and not bitmap) or (hot and not hot_pages)
                    code = refusal(device, "set_page_messages", accessed=accessed, hot=hot)
                    assert code == ("unsupported" if lacks else None)
        daemon.end()


def refusal(device, name, **values):
    """The code of a refused request, or None."""
    try:
        device.request(name, **values)
    except RequestRefusedError as refused:
        return refused.code
    return None


# ---------------------------------------------------------------------------------------------- split


def test_an_epoch_whose_writes_count_apart_says_so(daemon, driver):
    with daemon.host() as device:
        for flags in (0, 4, 0):
            driver.finish_epoch({0: Row(misses=1), 2: Row(misses=1)}, flags=flags)
        records = [device.receive(scaled_timeout(5)).record for _ in range(3)]
    assert [record.flag("split") for record in records] == [False, True, False]
    assert not any(record.flag("overflow") for record in records)


def test_split_is_the_drivers(daemon, driver):
    with daemon.host() as device:
        assert (get_split(device), owning_contexts(device)) == (False, CONTEXTS)
        assert device.request("set_split", on=True).values == [1]
        assert (get_split(device), owning_contexts(device)) == (True, HALF)
        assert driver.read("split") == "1"
        assert device.request("set_split", on=False).values == [0]
    assert driver.read("split") == "0"


GOVERN = CONFIG + "[govern] = /a\n[govern] = /b\n"


@pytest.fixture
def governing(driver, start_daemon):
    mounted = driver.cgroup.parent / "mounted"
    for name in ("a", "b"):
        make_group(mounted / name)
    return start_daemon(f"--cgroups={mounted}", config=GOVERN)


def test_contexts_of_writes_are_given_to_nobody(governing, driver):
    with governing.host() as device:
        device.request("set_split", on=True)
        orders = len(driver.orders())
        for context in range(HALF, CONTEXTS):
            for name, values in (
                ("run", {"workload": SLEEP, "scale": 1}),
                ("follow", {"pid": os.getpid()}),
                ("follow_cgroup", {"path": "/a"}),
            ):
                with pytest.raises(RequestRefusedError, match="upper half") as refused:
                    device.request(name, context=context, **values)
                assert refused.value.code == "bad_argument"
        assert len(driver.orders()) == orders
        assert device.request("follow_cgroup", context=0, path="/a").values == [2, 0, 1]
        with pytest.raises(RequestRefusedError, match="no context is free"):
            device.request("follow_cgroup", context=0, path="/b")
        device.request("set_split", on=False)
        assert device.request("follow_cgroup", context=0, path="/b").values[2] == HALF


def test_writes_do_not_count_in_a_context_that_is_in_use(daemon, driver):
    with daemon.host() as device:
        device.request("run", workload=SLEEP, context=HALF, scale=1000)
        wait_until(lambda: driver.read(f"contexts/{HALF}/state") == "following")
        with pytest.raises(RequestRefusedError, match="in use") as refused:
            device.request("set_split", on=True)
        assert refused.value.code == "busy"
        assert driver.read("split") == "0"
        assert device.request("set_split", on=False).values == [0]


def test_contexts_of_ended_programs_are_freed_for_writes(daemon, driver):
    last = CONTEXTS - 1
    with daemon.host() as device:
        device.request("run", workload=QUICK, context=last, scale=1)
        wait_until(lambda: not device.say_hello().running)
        assert device.request("get_process", context=last).values[0] == 3
        assert device.request("set_split", on=True).values == [1]
        assert device.request("get_process", context=last).values == [1, 0]


@pytest.mark.parametrize(("error", "code"), [(errno.EBUSY, "busy"), (errno.ENODEV, "unsupported")])
def test_a_split_that_the_driver_refuses_is_refused(daemon, driver, error, code):
    driver.fail("split", error)
    with daemon.host() as device:
        assert refusal(device, "set_split", on=True) == code
        assert get_split(device) is False
