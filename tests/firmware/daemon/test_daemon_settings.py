# SPDX-License-Identifier: BSD-2-Clause
"""Requests about settings become orders to the driver; its refusals become refusals of the requests."""

import errno

import pytest
from litemrc.device.errors import RequestRefusedError

from tests.firmware.daemon.fake_driver import FRAMES


def test_what_is_set_is_what_get_returns(daemon, driver):
    with daemon.host() as device:
        assert device.request("set_epoch", unit="cycles", length=4321).values == [2, 4321]
        assert device.request("get_epoch").values == [2, 4321]
        assert device.request("set_epoch", unit="accesses", length=2**32 - 1).values == [1, 2**32 - 1]
        assert device.request("set_range", lower=8, upper=FRAMES - 1).values == [8, FRAMES - 1]
        assert device.request("get_range").values == [8, FRAMES - 1]
        assert device.request("set_sampling", sampling=13).values == [13, 0]
        assert device.request("get_sampling").values == [13, 0]
        assert device.request("single_shot", on=True).values == [0, 1, 0]
        assert device.request("freeze", on=True).values == [1, 1, 0]
        assert device.request("get_freeze").values == [1, 1, 0]
        assert device.request("get_engine").values == [2]
        assert device.request("set_engine", engine="bucket_stack").values == [2]
        assert device.request("get_context").values == [0]

    assert (driver.read("epoch_length"), driver.read("epoch_unit")) == (f"{2**32 - 1}", "accesses")
    assert (driver.read("range_lower"), driver.read("range_upper")) == ("8", f"{FRAMES - 1}")


@pytest.mark.parametrize(
    ("name", "values", "file", "text"),
    [
        ("invalidate", {"frame": FRAMES - 1}, "invalidate", f"{FRAMES - 1}"),
        ("end_epoch", {}, "end_epoch", "1"),
        ("clear", {}, "clear", "1"),
        ("arm", {}, "arm", "1"),
        ("monitor", {"on": False}, "enable", "0"),
        ("monitor", {"on": True}, "enable", "1"),
        ("freeze", {"on": False}, "freeze", "0"),
    ],
)
def test_a_command_is_one_order(daemon, driver, name, values, file, text):
    with daemon.host() as device:
        before = len(driver.orders())
        device.request(name, **values)

    assert driver.orders()[before:] == [(f"sys/class/misc/litemrc0/{file}", 0, text)]


@pytest.mark.parametrize(
    ("name", "values", "code"),
    [
        ("set_epoch", {"unit": "cycles", "length": 43}, "bad_argument"),
        ("set_engine", {"engine": "group_stack"}, "bad_argument"),
        ("set_context", {"context": 0}, "unsupported"),
        ("invalidate", {"frame": FRAMES}, "bad_argument"),
        ("set_range", {"lower": 0, "upper": FRAMES}, "bad_argument"),
        ("set_sampling", {"sampling": 14}, "bad_argument"),  # 2^13 frames
        ("get_process", {"context": 4}, "bad_argument"),
        ("follow", {"context": 1, "pid": 2**22 + 1}, "bad_argument"),
        ("run", {"workload": 4, "context": 1, "scale": 1}, "bad_argument"),
        ("get_budget", {"context": 1}, "busy"),
        ("set_budget", {"context": 1, "pages": 1}, "busy"),
        ("reclaim", {"context": 1, "pages": 1}, "busy"),
    ],
)
def test_what_cannot_be_is_refused_before_it_reaches_the_driver(daemon, driver, name, values, code):
    with daemon.host() as device:
        before = len(driver.orders())
        with pytest.raises(RequestRefusedError) as refused:
            device.request(name, **values)

    assert refused.value.code == code
    assert refused.value.remedy
    assert len(driver.orders()) == before


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errno.EINVAL, "bad_argument"),
        (errno.EBUSY, "busy"),
        (errno.ENODEV, "unsupported"),
        (errno.EPERM, "unsupported"),
        (errno.EIO, "unsupported"),
    ],
)
def test_what_the_driver_refuses_is_refused(daemon, driver, error, code):
    driver.fail("freeze", error)
    with daemon.host() as device:
        with pytest.raises(RequestRefusedError) as refused:
            device.request("freeze", on=True)
        driver.fail("freeze", 0)
        assert device.request("get_freeze").values == [0, 0, 0]

    assert refused.value.code == code


def test_a_rate_that_the_gateware_lacks_is_a_bad_argument(daemon, driver):
    driver.fail("sampling", errno.ENODEV)
    with (
        daemon.host() as device,
        pytest.raises(RequestRefusedError, match="does not support this sampling rate"),
    ):
        device.request("set_sampling", sampling=3)


@pytest.mark.parametrize("text", ["", "x\n", "1 2\n", "4294967296\n", "-1\n", "99999999999999999999\n"])
def test_nonsense_of_the_driver_is_not_passed_on(daemon, driver, text):
    (driver.monitor / "range_upper").write_text(text)
    with daemon.host() as device:
        with pytest.raises(RequestRefusedError, match="unsupported"):
            device.request("get_range")
        assert device.request("get_context").values == [0], "the link still works"
