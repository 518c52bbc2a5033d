# SPDX-License-Identifier: BSD-2-Clause
"""A device at a real port: a peer that answers by the firmware's service."""

import os
import select
import socket
import threading
import time

import pytest
from litemrc.device.device import Device, printable
from litemrc.device.errors import (
    PortError,
    RequestRefusedError,
    SilentDeviceError,
    VersionMismatchError,
)
from litemrc.device.link.schema import schema
from litemrc.errors import UserError

PROTOCOL = schema().constants["protocol_version"]


def test_echoes_of_every_length_come_back(start_peer):
    with Device(start_peer().url) as device:
        test = device.echo_test(echoes=129)

    assert (test.echoes, test.failed) == (129, 0)
    assert 0 < test.round_trip_ms < 1000


def test_a_refusal_carries_the_reason_the_device_gave(start_peer):
    with (
        Device(start_peer().url) as device,
        pytest.raises(
            RequestRefusedError,
            match="the device refused set_range: bad_argument: upper is beyond the last frame",
        ),
    ):
        device.request("set_range", lower=0, upper=8192)


def test_a_reason_cannot_play_tricks_with_a_terminal():
    assert printable("no\x1b[2J such\nrange") == "no?[2J such?range"


def test_a_second_program_is_refused_while_one_runs(start_peer):
    with Device(start_peer(period_ms=50).url) as device:
        device.request("run", workload=0, context=1, scale=1)
        with pytest.raises(RequestRefusedError, match="busy"):
            device.request("run", workload=1, context=2, scale=1)


def test_under_noise_a_request_is_done_once_however_often_it_is_repeated(start_peer):
    """end_epoch sends an epoch each time it is executed; a repeated request must not send another."""
    peer = start_peer(noise=2000, seed=5)
    with Device(peer.url, timeout_s=0.8) as device:
        done = 0
        for _ in range(40):
            try:
                device.request("end_epoch")
                done += 1
            except SilentDeviceError:  # all four answers lost: done all the same
                done += 1
        lost = device.link_counts.lost

    assert lost > 0, "no noise, no test"
    assert peer.messages_sent() == done


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("/dev/does-not-exist", "No such file"),
        ("/dev/null", "Inappropriate ioctl"),
        ("socket://127.0.0.1:1", "refused"),
        ("socket://127.0.0.1", "lacks a host or a port"),
        ("carrier-pigeon://home", "not known"),
    ],
)
def test_a_port_that_cannot_be_opened_says_why_and_where(url, why):
    with pytest.raises(PortError, match=why) as error, Device(url):
        pass

    assert isinstance(error.value, UserError)
    assert error.value.where == url


def test_a_silent_device_is_given_up_in_time(start_peer):
    start = time.monotonic()

    with (
        pytest.raises(SilentDeviceError, match="no answer"),
        Device(start_peer(fault="silent").url, timeout_s=0.8),
    ):
        pass

    assert 0.8 <= time.monotonic() - start < 30


def test_our_own_echo_is_no_device():
    with pytest.raises(SilentDeviceError), Device("loop://", timeout_s=0.4):
        pass


def test_another_version_of_the_protocol_is_named_at_once(start_peer):
    start = time.monotonic()

    url = start_peer(fault="version").url
    expected = "version 3.0 of the protocol, this host version 2.0"
    with pytest.raises(VersionMismatchError, match=expected), Device(url, timeout_s=60):
        pass

    assert time.monotonic() - start < 30


def test_a_serial_port_of_the_system_works_as_well(start_peer):
    ours, theirs = os.openpty()
    port = int(start_peer().url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as peer:
        ended = threading.Event()

        def cable():
            ends = {ours: peer.fileno(), peer.fileno(): ours}
            while not ended.is_set():
                for end in select.select(list(ends), [], [], 0.05)[0]:
                    os.write(ends[end], os.read(end, 4096))

        thread = threading.Thread(target=cable)
        thread.start()
        try:
            with Device(os.ttyname(theirs)) as device:
                test = device.echo_test()
                with pytest.raises(PortError, match="another program"), Device(os.ttyname(theirs)):
                    pass
        finally:
            ended.set()
            thread.join()
            os.close(ours)
            os.close(theirs)

    assert (test.echoes, test.failed) == (32, 0)
