# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc.Device` and `litemrc.collect` against the peer: its counters, by arithmetic, as curves."""

import litemrc
import pytest

from tests.firmware.link.link_messages import counters_of


def test_a_device_says_what_it_is(start_peer):
    with litemrc.Device(start_peer().url) as device:
        assert device.programs == ("zipf", "loop")
        assert (device.page_bytes, device.memory_bytes) == (4096, 8192 * 4096)
        assert "32 MiB in pages of 4,096 bytes, programs: zipf, loop" in repr(device)


def test_collected_curves_are_those_of_the_counters_sent(start_peer):
    curves = litemrc.collect(start_peer(period_ms=2).url, runs=["zipf", "loop:5:2"])

    assert list(curves) == ["zipf", "loop"]
    for name, context, epochs in (("zipf", 1, range(3)), ("loop", 5, range(3, 9))):
        sent = [counters_of(epoch, context) for epoch in epochs]
        accesses = sum(each["accesses"] for each in sent)
        hits = [sum(each["hits"][group] for each in sent) for group in range(64)]
        curve = curves[name]
        assert (curve.accesses, curve.misses) == (accesses, sum(each["misses"] for each in sent))
        assert curve.resolution_pages == 8192 // 64
        for groups in (1, 2, 64):
            ratio = (accesses - sum(hits[:groups])) / accesses
            assert curve.at(pages=128 * groups) == curve.at(bytes=128 * 4096 * groups) == ratio


def test_a_device_collects_more_than_once(start_peer):
    with litemrc.Device(start_peer(period_ms=2).url) as device:
        first, second = device.collect(runs=["zipf"]), device.collect(runs=["zipf"])
    assert list(first) == list(second) == ["zipf"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({}, "no end"),
        ({"epochs": 0}, "cannot collect 0 epochs"),
        ({"runs": ["doom"]}, "no program 'doom'"),
        ({"runs": ["zipf:x"]}, "not a program to run"),
    ],
)
def test_collections_that_cannot_be_are_refused(start_peer, options, why):
    with pytest.raises(litemrc.UserError, match=why):
        litemrc.collect(start_peer().url, **options)


def test_without_a_device_the_port_is_named():
    with pytest.raises(litemrc.UserError, match="cannot open the port") as caught:
        litemrc.collect("/dev/no-such-port", epochs=1)
    assert caught.value.where == "/dev/no-such-port"
