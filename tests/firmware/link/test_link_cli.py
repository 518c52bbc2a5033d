# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc collect` and `litemrc device` as a user meets them: what they print, save and exit with."""

import json
import signal
import subprocess
import sys

import pytest
from litemrc.epochs.files import read_epochs

from tests.firmware.link.link_messages import counters_of
from tests.host.in_process import litemrc
from tests.timeouts import scaled_timeout

LITEMRC = [sys.executable, "-m", "litemrc.cli.main"]


def collect(url, out, epochs, *more):
    return litemrc("collect", "--port", url, "--epochs", epochs, "--out", out, *more)


def epochs_in(path):
    """Numbers of the epochs in a file, whose counters must be those the peer sent."""
    table = read_epochs(path)
    for row, (epoch, context) in enumerate(zip(table.epoch.tolist(), table.context.tolist(), strict=True)):
        expected = counters_of(epoch, context)
        assert {name: getattr(table, name)[row].tolist() for name in expected} == expected
    return sorted(set(table.epoch.tolist()))


@pytest.fixture
def out(tmp_path):
    return tmp_path / "curves.parquet"


def test_collect_writes_as_many_epochs_as_asked_for(start_peer, out):
    done = collect(start_peer(epochs=500, period_ms=2).url, out, 20)

    assert done.returncode == 0, done.stderr
    assert "20 epochs (40 rows) saved in" in done.stdout and "ended before" not in done.stdout
    assert "collecting 20 epochs" in done.stderr, "no terminal: progress is plain lines"
    assert len(epochs_in(out)) == 20
    table = read_epochs(out)
    assert not table.interrupted
    assert table.link_statistics["epoch_messages_lost"] == 0


def test_collect_runs_programs_and_names_their_contexts(start_peer, out):
    done = collect(start_peer().url, out, 100, "--run", "zipf", "--run", "loop:4:2", "--epoch-length", 5000)

    assert done.returncode == 0, done.stderr
    assert "9 of 100 epochs (9 rows) saved" in done.stdout
    assert "the programs ended before" in done.stdout
    assert dict(read_epochs(out).context_names) == {1: "zipf", 4: "loop"}


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_collection_is_saved_readable_and_marked(start_peer, out, stop, code):
    peer = start_peer(epochs=100000, period_ms=5)
    command = [*LITEMRC, "collect", "--port", peer.url, "--epochs", "100000", "--out", out]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while "of 100000 epochs" not in process.stderr.readline():
            pass
        process.send_signal(stop)
        said, _ = process.communicate(timeout=scaled_timeout(30))

    assert process.returncode == code
    assert "interrupted: " in said and "saved in" in said
    assert read_epochs(out).interrupted
    epochs = epochs_in(out)
    assert len(epochs) > 100
    assert epochs == list(range(epochs[0], epochs[-1] + 1)), "nothing missing in the middle"


def test_a_device_that_vanishes_leaves_what_it_sent(start_peer, out):
    done = collect(start_peer(epochs=50, period_ms=200, fault="vanish").url, out, 40)

    assert done.returncode == 2
    assert "the device is gone" in done.stderr
    assert epochs_in(out) in ([0, 1, 2, 3, 4], [1, 2, 3, 4])
    assert read_epochs(out).interrupted


def test_an_interrupted_collection_never_replaces_a_complete_one(start_peer, out):
    assert collect(start_peer(epochs=500, period_ms=2).url, out, 3).returncode == 0
    good = out.read_bytes()

    done = collect(start_peer(epochs=50, period_ms=200, fault="vanish").url, out, 40)

    assert done.returncode == 2
    assert out.read_bytes() == good
    assert "kept" in done.stderr
    assert len(epochs_in(out.with_name("curves.partial.parquet"))) >= 4


def test_a_complete_collection_replaces_an_older_file(start_peer, out):
    out.write_bytes(b"garbage")

    assert collect(start_peer(epochs=500, period_ms=2).url, out, 3).returncode == 0
    assert len(epochs_in(out)) == 3
    assert [path.name for path in out.parent.iterdir()] == [out.name], "no temporary file is left"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--epochs", "0"], "must be a whole number from 1 to 4294967295 (got '0')"),
        (["--epochs", "-3"], "must be a whole number from 1 to 4294967295 (got '-3')"),
        (["--epochs", "1", "--epoch-length", "0"], "must be a whole number from 1 to 4294967295 (got '0')"),
        (["--epochs", "1", "--run", "zipf:x"], "not a program to run"),
        (["--epochs", "1", "--out", "/no/such/folder/f.parquet"], "no such folder"),
        (["--epochs", "1", "--port", "/dev/does-not-exist"], "No such file or directory"),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_collected(out, arguments, why):
    done = litemrc("collect", "--port", "socket://127.0.0.1:1", "--out", out, *arguments)

    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("fault", "why"),
    [("silent", "no answer to hello"), ("version", "version 3.1 of the protocol")],
)
@pytest.mark.parametrize("command", ["device", "collect"])
def test_a_device_that_cannot_be_spoken_to_is_an_error(start_peer, out, command, fault, why):
    more = ["--epochs", "3", "--out", out] if command == "collect" else []

    done = litemrc(command, "--port", start_peer(fault=fault).url, "--timeout", "1", *more)

    assert done.returncode == 2
    assert why in done.stderr
    assert "remedy" in done.stderr
    assert "Traceback" not in done.stderr
    assert not out.exists()


def test_a_program_the_device_lacks_is_an_error_that_lists_those_it_has(start_peer, out):
    done = collect(start_peer().url, out, 1, "--run", "doom")

    assert done.returncode == 2
    assert "zipf, loop" in done.stderr
    assert not out.exists()


def test_a_device_without_an_epoch_length_is_not_waited_for(start_peer, out):
    endless = {"fault": "endless", "epochs": 50, "period_ms": 20}

    done = collect(start_peer(**endless).url, out, 1)

    assert done.returncode == 2
    assert "--epoch-length" in done.stderr
    assert not out.exists()
    assert collect(start_peer(**endless).url, out, 1, "--epoch-length", 7).returncode == 0


def test_device_shows_parameters_version_and_self_test(start_peer):
    done = litemrc("device", "--port", start_peer().url)

    assert done.returncode == 0, done.stderr
    texts = ("32 MiB: 8192 pages of 4096 bytes", "protocol 2.1", "identifier", "1000 accesses", "zipf, loop")
    for text in texts:
        assert text in done.stdout
    assert "32 of 32 echoes intact, median round trip" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ([], {"range_lower": 0, "range_upper": 8191, "sampling": 0, "freeze": False, "single_shot": False}),
        (["--range", "16:31"], {"range_lower": 16, "range_upper": 31}),
        (["--range", "16:"], {"range_lower": 16, "range_upper": 8191}),
        (["--sample-rate", "1/4"], {"sampling": 2, "scale_log2": 2}),
        (["--freeze", "--single-shot"], {"freeze": True, "single_shot": True, "frozen": True}),
        (["--no-freeze", "--no-single-shot", "--arm"], {"freeze": False, "frozen": False}),
    ],
)
def test_device_sets_parameters_and_prints_them(start_peer, arguments, shown):
    done = litemrc("device", "--port", start_peer().url, "--json", *arguments)

    assert done.returncode == 0, done.stderr
    described = json.loads(done.stdout)
    assert {name: described[name] for name in shown} == shown


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            [],
            ("frames 0 to 8191: 32 MiB", "every page is monitored", "64 of 128 pages", "counting on"),
        ),
        (["--range", "256:511"], ("frames 256 to 511: 1 MiB",)),
        (["--sample-rate", "0.125"], ("1 page of 8", "64 of 1024 pages")),
        (["--freeze"], ("frozen (--no-freeze)",)),
        (["--single-shot"], ("until the end of the epoch (--single-shot)",)),
    ],
)
def test_device_shows_the_settings(start_peer, arguments, text):
    said = " ".join(litemrc("device", "--port", start_peer().url, *arguments).stdout.split())

    assert all(part in said for part in text), said


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--range", "5"], "must be a range of frames"),
        (["--range", "-1:5"], "expected one argument"),
        (["--range", "9:5"], "lower is above upper"),
        (["--range", "0:8192"], "upper is beyond the last frame"),
        (["--sample-rate=-1"], "must be 1 or a power of 1/2"),
        (["--sample-rate", "1/3"], "must be 1 or a power of 1/2, such as 1/4 or 0.25 (got '1/3')"),
        (
            ["--sample-rate", "1/16384"],
            "the device refused set_sampling: bad_argument: no page would be sampled",
        ),
        (["--sample-rate", "1/18446744073709551616"], "must be 1 or a power of 1/2"),
    ],
)
def test_device_refuses_settings_that_cannot_be(start_peer, arguments, why):
    done = litemrc("device", "--port", start_peer().url, *arguments)

    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr


def test_device_json_is_one_object_and_nothing_else(start_peer):
    url = start_peer().url

    done = litemrc("device", "--port", url, "--json")

    described = json.loads(done.stdout)
    assert done.stderr == ""
    assert described["port"] == url
    assert described["frames"] == 8192
    assert described["workloads"] == ["zipf", "loop"]
    assert described["self_test"]["failed"] == 0
    assert described["self_test"]["round_trip_ms"] > 0


def test_device_reports_a_bad_link_by_its_exit_code(start_peer):
    """Three bytes in a thousand, of 32 answers of 20 to 150 bytes: 8 hits are to be expected."""
    done = litemrc("device", "--port", start_peer(noise=3000, seed=3).url, "--timeout", "2", "--json")

    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["self_test"]["failed"] > 0
