# SPDX-License-Identifier: BSD-2-Clause
"""Other programs are hosts of a served device: they collect what the device sent, and change nothing."""

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import litemrc
import pytest
from litemrc.device.collecting.collector import Collector
from litemrc.device.device import Device
from litemrc.device.errors import DeviceGoneError, PortError, RequestRefusedError
from litemrc.device.hot import get_hot, page_messages, set_hot
from litemrc.device.rank_commands import get_dram
from litemrc.epochs.files import read_epochs
from litemrc.epochs.table import EpochTable
from litemrc.feed.feed import Feed, FeedOptions
from litemrc.feed.recent import Recent
from litemrc.serve.link import stream as link_stream

from tests.host.paced_device import FRAMES, hits_of, misses_of, paced
from tests.host.serve.http_serving import TOKEN, Serving, serving
from tests.timeouts import scaled_timeout, wait_until


def opened(served: Serving, name: str = "", token: str = ""):
    """A session by the server's URL, as soon as those devices that answer have one with the server."""
    for device in served.fleet.values():
        wait_until(lambda device=device: device.connected or device.failure, 10, "the server's session")
    url = served.url.replace("://", f"://{token}@") if token else served.url
    return Device(url + (f"/{name}" if name else ""), timeout_s=scaled_timeout(10))


def check_table(table: EpochTable, *, gaps: bool = False) -> None:
    """The counters are those of the device; epochs follow each other."""
    numbers = sorted(set(table.epoch.tolist()))
    assert gaps or numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    for row in range(table.epoch.size):
        number, context = int(table.epoch[row]), int(table.context[row])
        assert table.hits[row].tolist() == hits_of(number, context)
        assert table.misses[row] == misses_of(number, context)


def test_a_collection_is_that_of_the_device_and_counts_no_loss() -> None:
    with paced(rate=40) as device, serving(device.url) as served:
        served.wait_for_epochs(1)
        for _ in range(3):  # each begins at another place of an epoch
            with opened(served) as link:
                collector = Collector(link)
                for _ in collector.collect(6):
                    pass
                table = collector.table()
            check_table(table)
            assert table.epoch.size == 6 * 8  # whole epochs of 8 contexts
            assert table.link_statistics["epoch_messages"] == 6
            assert table.link_statistics["epoch_messages_lost"] == table.link_statistics["lost"] == 0


def test_ranks_and_single_pages_come_too() -> None:
    with paced(rate=40) as device:
        device.hot_on = True
        with serving(device.url) as served, opened(served) as link, ExitStack() as stack:
            messages = stack.enter_context(page_messages(link, accessed=True, hot=True))
            collector = Collector(link, get_dram(link), messages)
            for _ in collector.collect(5):
                pass
            assert collector.ranks and [rows.size for rows in collector.ranks] == [4] * 5
            assert collector.accessed and len(collector.accessed) == 5
            assert len(collector.accessed[0].accessed) == FRAMES // 8
            assert collector.hot and [hot.frames[0] for hot in collector.hot] == [
                hot.epoch % FRAMES for hot in collector.hot
            ]


def test_the_public_function_collects_from_a_server() -> None:
    with paced(rate=40) as device, serving(device.url) as served:
        wait_until(lambda: served.fleet["device"].connected, 10, "the server's session")
        curves = litemrc.collect(served.url, epochs=3, timeout_s=scaled_timeout(10))
        assert len(curves) == 8


def test_commands_take_the_url_of_a_server(tmp_path: Path) -> None:
    def litemrc(command: str, *options: str) -> str:
        port = ("--port", served.url, "--timeout", str(round(scaled_timeout(10))))
        arguments = (sys.executable, "-m", "litemrc.cli.main", command, *port, *options)
        return subprocess.run(
            arguments, check=True, capture_output=True, text=True, timeout=scaled_timeout(60)
        ).stdout

    with paced(rate=40) as device:
        device.hot_on = True
        with serving(device.url) as served:
            served.wait_for_epochs(1)
            files = [str(tmp_path / f"{name}.parquet") for name in ("epochs", "ranks", "pages", "hot")]
            out = ("--out", files[0], "--ranks", files[1], "--pages", files[2], "--hot", files[3])
            assert "0 lost" in litemrc("collect", "--epochs", "4", *out)
            check_table(read_epochs(files[0]))
            assert all(Path(file).exists() for file in files)
            assert len(json.loads(litemrc("ranks", "--json"))["ranks"]) == 4
            for line in litemrc("hot", "--epochs", "2", "--json").splitlines():
                found = json.loads(line)
                assert found["pages"][0] == [found["epoch"], 1000]
            assert "end_epoch" not in device.requests


def test_a_feed_of_a_feed_has_every_epoch() -> None:
    with paced(rate=40) as device, serving(device.url) as served:
        options = FeedOptions(timeout_s=scaled_timeout(5), pages=True, hot=True, if_there=True)
        feed, recent = Feed(served.url, options), Recent()
        feed.listen(recent)
        feed.start()
        wait_until(lambda: recent.arrived >= 20, 20, "epoch 20")
        feed.close()
        feed.check()
        numbers = [epoch.number for epoch in recent.last()]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert all(epoch.accessed and epoch.ranks.size and epoch.lost == 0 for epoch in recent.last())


def test_a_host_that_does_not_read_loses_messages_and_counts_them_exactly(monkeypatch) -> None:
    with paced(rate=100) as device, serving(device.url, send_buffer=4096) as served:
        served.wait_for_epochs(1)
        with opened(served) as link:
            collector = Collector(link)
            first = link.hello.epoch
            (stream,) = (
                each
                for each in served.fleet["device"].feed._listeners
                if isinstance(each, link_stream.LinkStream)
            )
            with monkeypatch.context() as small:
                small.setattr(link_stream, "QUEUE", 40)
                wait_until(lambda: stream._hosts[0].lost > 100, 40, "a loss")
                served.stop(device)
            collector.ask_hello()  # its answer follows everything else
            statistics = collector.link_statistics
            table = collector.table()
        assert statistics["epoch_messages"] + statistics["epoch_messages_lost"] == device.epochs - first
        assert (
            statistics["epoch_messages_lost"] > 0 and statistics["lost"] >= statistics["epoch_messages_lost"]
        )
        check_table(table, gaps=True)
        assert served.fleet["device"].recent.last()[-1].lost == 0


def test_a_reader_asks_but_changes_nothing() -> None:
    with paced(rate=40) as device, serving(device.url) as served, opened(served, "device") as link:
        assert link.echo_test(4).failed == 0
        assert list(link.request("get_epoch").values) == [1, 10_000]
        before = list(device.requests)
        link.request("monitor", on=True)  # as it is
        link.request("set_epoch", unit="accesses", length=10_000)
        set_hot(link, get_hot(link))
        with page_messages(link, accessed=True):  # it comes already
            pass
        for name, values in (
            ("monitor", {"on": False}),
            ("set_epoch", {"unit": "accesses", "length": 10_001}),
            ("set_epoch", {"unit": "cycles", "length": 10_000}),
            ("clear", {}),
            ("run", {"workload": 0, "context": 1, "scale": 1}),
            ("follow", {"context": 1, "pid": 5}),
            ("set_budget", {"context": 1, "pages": 5}),
            ("set_lease", {"cycles": 0}),
        ):
            with pytest.raises(
                RequestRefusedError, match="read_only: needs litemrc serve --control"
            ) as refused:
                link.request(name, **values)
            assert "--control" in refused.value.remedy
        changing = [name for name in device.requests[len(before) :] if not name.startswith("get_")]
        assert changing == [] and device.settings == {"monitor": {"on": True}}  # of the feed
        with pytest.raises(RequestRefusedError, match="unsupported"):  # the device's own refusal
            link.request("get_traffic")


def test_the_token_allows_changes() -> None:
    with paced(rate=40) as device, serving(device.url, token=TOKEN) as served:
        served.wait_for_epochs(1)
        with opened(served, token=TOKEN) as link:
            link.request("set_epoch", unit="accesses", length=123)
            assert TOKEN not in link.url
        assert device.settings["set_epoch"]["length"] == 123
        with (
            opened(served) as link,
            pytest.raises(RequestRefusedError, match="read_only: needs litemrc serve --control"),
        ):
            link.request("set_epoch", unit="accesses", length=124)
        with pytest.raises(PortError, match="the token is wrong"), opened(served, token="wrong"):
            pass


def test_what_is_wrong_with_a_url_is_said() -> None:
    with (
        paced(rate=40) as one,
        paced(rate=40) as other,
        serving({"one": one.url, "other": other.url}) as served,
    ):
        with pytest.raises(PortError, match="2 devices: one, other"), opened(served):
            pass
        with pytest.raises(PortError, match="no device is called 'two'"), opened(served, "two"):
            pass
        with pytest.raises(PortError, match="takes no token"), opened(served, "one", TOKEN):
            pass
        with opened(served, "other") as link:
            assert link.hello.contexts == 8
    with pytest.raises(PortError, match="Connection refused"), opened(served):
        pass
    for url in ("http://", "http://host/a/b", "http://host:port/", "http://secret@host/?x"):
        with pytest.raises(PortError) as refused, Device(url):
            pass
        assert "secret" not in str(refused.value)


def test_a_lost_device_ends_the_sessions_of_its_hosts() -> None:
    with paced(rate=40) as device, serving(device.url) as served:
        served.wait_for_epochs(1)
        with opened(served) as link, pytest.raises(DeviceGoneError, match="the device is gone"):
            served.fleet["device"].feed.call(lambda device: device._link.close())
            while link.receive(scaled_timeout(10)):
                pass


def test_a_device_without_a_session_is_refused_with_the_reason() -> None:
    with serving("/dev/there-is-no-such-port") as served:
        wait_until(lambda: served.fleet["device"].failure, 10, "a failure")
        with pytest.raises(PortError, match="cannot open the port: No such file"), opened(served):
            pass
