# SPDX-License-Identifier: BSD-2-Clause
"""The identity that the daemon reports, and the handling of requests in general."""

import os
import platform
import struct
from pathlib import Path

import pytest
from litemrc.device.errors import RequestRefusedError
from litemrc.device.link.frames import frame
from litemrc.device.link.protocol import host_requests
from litemrc.device.link.schema import schema

from tests.firmware.daemon.fake_driver import CLOCK_HZ, PARAMETERS
from tests.timeouts import scaled_timeout


def test_hello_reports_the_drivers_parameters_and_the_system(daemon):
    with daemon.host() as device:
        hello = device.hello

    assert hello.protocol == schema().constants["protocol_version"]
    sent = PARAMETERS.keys() - {"version", "epoch_least", "record_bytes", "first_page"}
    assert {name: getattr(hello, name) for name in sent} == {name: PARAMETERS[name] for name in sent}
    assert (hello.gateware, hello.clock_hz, hello.engine) == (PARAMETERS["version"], CLOCK_HZ, "bucket_stack")
    assert hello.system == f"Linux {platform.release()}"[:48]
    assert (hello.driver, hello.abi) == ("1.2.3", schema().constants["abi_version"])
    assert hello.workloads == ["quick", "sleep", "fail", "tree"]
    assert (hello.running, hello.epoch) == (0, 0)


@pytest.mark.parametrize("engine", ["group_stack", "os"])
def test_hello_reports_the_drivers_engine(start_daemon, driver, engine):
    (driver.monitor / "engine").write_text(f"{engine}\n")
    with start_daemon().host() as device:
        assert device.hello.engine == engine


def test_echoes_of_every_length_come_back(daemon):
    with daemon.host() as device:
        test = device.echo_test(echoes=129)

    assert (test.echoes, test.failed) == (129, 0)


def test_it_makes_the_monitor_count_and_leaves_an_epoch_length_alone(start_daemon, driver):
    (driver.monitor / "epoch_length").write_text("1234\n")
    with start_daemon().host() as device:
        assert device.request("get_epoch").values == [1, 1234]

    assert driver.read("enable") == "1"


def test_without_an_epoch_length_it_sets_one(daemon, driver):
    with daemon.host() as device:
        assert device.request("get_epoch").values == [2, 2**24]


def test_a_repeated_request_gets_the_same_answer_and_is_done_once(daemon, driver):
    request = host_requests().new("end_epoch", sequence=77)
    with daemon.host() as device:
        orders = len(driver.orders())
        for _ in range(3):
            device._link.send(request)
        answers = [device._link.receive(scaled_timeout(5)) for _ in range(3)]

    assert [(answer.name, answer.request) for answer in answers] == [("ack", 77)] * 3
    assert [path for path, _, _ in driver.orders()[orders:]] == ["sys/class/misc/litemrc0/end_epoch"]


def test_an_unknown_request_is_refused_by_its_number_and_a_broken_frame_by_nothing(daemon, driver):
    unknown = struct.pack("<II", 64, 99)  # no request has the number 64
    whole = frame(host_requests().encode(host_requests().new("clear", sequence=5)))
    with daemon.host() as device:
        orders = len(driver.orders())
        device._link._write(whole[:-3] + bytes([whole[-3] ^ 1]) + whole[-2:])
        device._link._write(frame(unknown))
        answer = device._link.receive(scaled_timeout(5))
        assert device._link.receive(0.2) is None

    assert (answer.name, answer.request, answer.error) == ("nak", 99, "unknown")
    assert len(driver.orders()) == orders


def test_requests_in_one_burst_are_all_answered(daemon):
    """A host that does not wait: no request is lost while an earlier one is answered."""
    new = host_requests().new
    burst = [new("echo", sequence=1000 + i, payload=bytes([i]) * i) for i in range(120)]
    with daemon.host() as device:
        device._link._write(b"".join(frame(host_requests().encode(request)) for request in burst))
        answers = [device._link.receive(scaled_timeout(5)) for _ in burst]

    assert [(a.request, a.payload) for a in answers] == [(r.sequence, r.payload) for r in burst]


def test_a_refusal_says_why(daemon):
    with (
        daemon.host() as device,
        pytest.raises(RequestRefusedError, match="unsupported: pages belong to the process"),
    ):
        device.request("set_context", context=1)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to begin with")
def test_as_root_it_becomes_the_user_named_for_good(daemon):
    with daemon.host():
        process = Path(f"/proc/{daemon.process.pid}")
        assert os.getpriority(os.PRIO_PROCESS, daemon.process.pid) == -10  # busy programs do not delay it
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        files = [str(file.readlink()) for file in (process / "fd").iterdir()]

    assert status["Uid"].split() == status["Gid"].split() == ["65534"] * 4
    assert status["Groups"].strip() == ""
    assert {status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert status["NoNewPrivs"].strip() == "1"
    assert not [file for file in files if file.endswith(".conf") or "/parameters/" in file]
