# SPDX-License-Identifier: BSD-2-Clause
"""Two hosts at the link of a simulated SoC: the second is refused with the first's name, or takes over."""

import os
import socket

import pytest
from litemrc.device.device import Device
from litemrc.device.errors import PortTakenError
from litemrc.device.link.frames import frame
from litemrc.device.link.protocol import host_requests

from tests.timeouts import scaled_timeout

pytestmark = pytest.mark.soc
TIMEOUT_S = 120.0


@pytest.fixture(scope="module")
def url(soc) -> str:
    with soc() as simulator:
        yield simulator.wait_ready(scaled_timeout(30)).url


def opened(url: str, *, take: bool = False):
    return Device(url, timeout_s=scaled_timeout(TIMEOUT_S), take=take)


def test_a_second_host_is_refused_with_the_name_of_the_first_which_stays(url):
    with opened(url) as first:
        for _ in range(3):
            with pytest.raises(
                PortTakenError, match=rf".+, pid {os.getpid()} on .* uses it since \d\d:\d\d:\d\d"
            ):
                opened(url).__enter__()
        assert first.echo_test(4).failed == 0
        assert first.link_counts.damaged == first.link_counts.lost == 0
    with opened(url) as next_one:
        assert next_one.echo_test(4).failed == 0


def test_a_second_host_may_take_over_and_the_first_is_told_by_whom(url):
    with opened(url) as first, opened(url, take=True) as second:
        with pytest.raises(PortTakenError, match=rf"replaced by .+, pid {os.getpid()}"):
            while True:
                first.request("get_epoch")
        with pytest.raises(PortTakenError, match="uses it since"):
            opened(url).__enter__()
        assert second.echo_test(4).failed == 0


def test_a_program_without_an_introduction_holds_the_port_too_and_is_refused_as_second(url):
    host, port = url.removeprefix("socket://").split(":")
    hello = b"\0" + frame(host_requests().encode(host_requests().new("ask_hello", sequence=7)))
    with socket.create_connection((host, int(port))) as silent:
        silent.sendall(hello)
        with pytest.raises(PortTakenError, match="a program that gave no name uses it since"):
            opened(url).__enter__()
    with opened(url) as first:
        with socket.create_connection((host, int(port))) as old:
            old.settimeout(scaled_timeout(10))
            old.sendall(hello)
            answer = b""
            while received := old.recv(4096):
                answer += received
            assert b"uses it since" in answer
        assert first.echo_test(4).failed == 0
