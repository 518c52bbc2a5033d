# SPDX-License-Identifier: BSD-2-Clause
"""A device at a real port: a peer that answers by the firmware's service."""

import os
import select
import socket
import threading
import time

import pytest
from litemrc.device.device import Device
from litemrc.device.errors import (
    PortError,
    SilentDeviceError,
    VersionMismatchError,
)
from litemrc.errors import UserError


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


def test_our_own_echo_is_no_device():
    with pytest.raises(SilentDeviceError), Device("loop://", timeout_s=0.4):
        pass


def test_another_version_of_the_protocol_is_named_at_once(start_peer):
    start = time.monotonic()

    url = start_peer(fault="version").url
    expected = "version 3.1 of the protocol, this host version 2.1"
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
