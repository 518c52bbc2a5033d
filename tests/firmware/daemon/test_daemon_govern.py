# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc govern` and `rightsize` over the daemon: budgets follow curves, and are as before at the end."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.firmware.daemon.fake_driver import CLOCK_HZ, FRAMES, GROUPS, TAIL_GROUPS, FakeDriver, Row
from tests.firmware.daemon.serving import CONFIG, Daemon, make_group
from tests.timeouts import Deadline, scaled_timeout, wait_until

MEMORY = FRAMES // 2  # four of eight page groups
GROUP_PAGES = FRAMES // GROUPS
EPOCHS = 8
PAGE_BYTES = 4096
LITEMRC = [sys.executable, "-m", "litemrc.cli.main"]
BEFORE = {"memory.high": f"{6000 * PAGE_BYTES}\n", "memory.low": f"{50 * PAGE_BYTES}\n"}


@pytest.fixture
def start(request: pytest.FixtureRequest) -> Iterator[Callable[..., subprocess.Popen]]:
    """Start a command of the host, which is killed at the end, before the daemon ends."""
    started: list[subprocess.Popen] = []

    def begin(*words: object) -> subprocess.Popen:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen([*LITEMRC, *map(str, words)], **pipes))
        return started[-1]

    daemon = "governed" if "governed" in request.fixturenames else "start_daemon"
    request.getfixturevalue(daemon)
    yield begin
    for process in started:
        process.kill()
        process.communicate()


def row(hits: list[int], tail: list[int] = (), misses: int = 1) -> Row:
    """Counters of an epoch; refaults are misses, too."""
    padded = [*hits, *[0] * (GROUPS - len(hits))]
    return Row(misses + sum(tail), 1, padded, [*tail, *[0] * (TAIL_GROUPS - len(tail))])


@pytest.fixture
def groups(folder: Path) -> Path:
    """Two cgroups of 2,048 pages each, limited and protected by their administrator."""
    root = folder / "cgroups"
    for name in ("one", "two"):
        high, low = (text.strip() for text in BEFORE.values())
        make_group(root / name, high=high, low=low, current=str(2048 * PAGE_BYTES))
    return root


@pytest.fixture
def governed(start_daemon: Callable[..., Daemon], groups: Path) -> Daemon:
    return start_daemon(f"--cgroups={groups}", config=CONFIG + "[govern] = /one\n[govern] = /two\n")


def budget_of(group: Path) -> int | None:
    high, low = ((group / name).read_text() for name in ("memory.high", "memory.low"))
    if not low:
        return None  # it is being written
    return int(low) // PAGE_BYTES if high == f"{int(low) + 64 * PAGE_BYTES}\n" else None


def feed(driver: FakeDriver, process: subprocess.Popen, rows: Callable[[], dict[int, Row]]) -> None:
    """Finish epochs until the process ends."""
    deadline = Deadline(60)
    while process.poll() is None:
        assert not deadline.passed
        driver.finish_epoch(rows())
        time.sleep(0.1)


def test_the_budget_of_a_program_follows_its_curve(daemon, driver, start):
    """The program hits in three groups only: these are its budget, of a memory of four."""
    high = driver.cgroup / "sleep" / "memory.high"
    command = ["govern", "--port", daemon.cable.url, "--lease", 60, "--memory", MEMORY]
    process = start(*command, "--run", "sleep:1:100", "--epochs", EPOCHS)
    seen = set()

    def counted() -> dict[int, Row]:
        if high.exists() and (text := high.read_text()):  # empty: it is being written
            seen.add(text)
        return {1: row([500, 400, 300])}

    feed(driver, process, counted)
    said, _ = process.communicate()

    assert process.returncode == 0
    assert f"budgets in pages 1: {3 * GROUP_PAGES:,}" in said
    assert seen == {"max\n", f"{(3 * GROUP_PAGES + 64) * PAGE_BYTES}\n"}
    assert high.read_text() == "max\n", "as before"


def test_a_budget_that_shrank_grows_again_by_refaults_and_everything_is_as_before_at_the_end(
    governed, driver, groups, folder, start
):
    """/two needs five of six groups, so /one has one; then /one needs four, and /two two."""
    log = folder / "log.jsonl"
    command = ["govern", "--port", governed.cable.url, "--cgroup", "/one", "--cgroup", "/two=0.5"]
    command += ["--memory", 6 * GROUP_PAGES, "--minimum", GROUP_PAGES, "--step", GROUP_PAGES]
    process = start(*command, "--lease", 60, "--log", log)
    idle = {1: row([900]), 2: row([500, 400], [0, 0, 0, 0, 90_000])}
    busy = {1: row([900], [0, 0, 0, 90_000]), 2: row([500, 400])}
    deadline = Deadline(60)

    def last_decided() -> int:
        return max((json.loads(line)["epoch"] for line in log.read_text().splitlines()), default=-1)

    def until(rows: dict[int, Row], pages: int, wait: Callable[[int], object]) -> list[int | None]:
        seen = [budget_of(groups / "one")]
        while seen[-1] != pages:
            assert not deadline.passed and process.poll() is None, (seen, governed.said())
            wait(driver.finish_epoch(rows))
            now = budget_of(groups / "one")
            seen += [now] if now not in (None, seen[-1]) else []  # None: between the two files
        return seen

    until(idle, GROUP_PAGES, lambda _: time.sleep(0.05))  # it may not have begun yet
    grown = until(busy, 4 * GROUP_PAGES, lambda epoch: wait_until(lambda: last_decided() >= epoch))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=scaled_timeout(20))

    assert grown == [GROUP_PAGES, 2 * GROUP_PAGES, 3 * GROUP_PAGES, 4 * GROUP_PAGES], "one step an epoch"
    assert process.returncode == 130
    assert "the lease is ended" in said
    for name, text in BEFORE.items():
        assert (groups / "one" / name).read_text() == (groups / "two" / name).read_text() == text
    wait_until(lambda: driver.read("contexts/1/state") == driver.read("contexts/2/state") == "free")
    decided = [json.loads(line)["contexts"]["1"] for line in log.read_text().splitlines()]
    grew = [each for each in decided if each["after"] > each["before"]]
    assert [each["limited_by"] for each in grew] == ["step", "step", "none"]
    assert {each["cgroup"] for each in decided} == {"/one"}
    for each in grew:
        assert each["target"] == 4 * GROUP_PAGES and each["refaults"] == 90_000
        assert each["curve"][-1][0] == 4 * GROUP_PAGES
    assert grew[-1]["misses_after"] < 0.1 * grew[-1]["misses_before"]


def test_a_record_from_before_a_cgroup_was_followed_does_not_end_its_governing(
    governed, driver, groups, start
):
    """The epoch had ended when the order came, and its record is read behind the answer."""
    with driver.late():
        command = ["govern", "--port", governed.cable.url, "--cgroup", "/one", "--memory", MEMORY]
        process = start(*command, "--epochs", 3)
        wait_until(lambda: "contexts/1/cgroup" in [path[-17:] for path, _, _ in driver.orders()])
        for _ in range(3):
            driver.finish_epoch()
            time.sleep(0.2)
    feed(driver, process, lambda: {1: row([900])})
    _, said = process.communicate()
    assert process.returncode == 0
    assert "no longer governed" not in said


def test_a_dry_run_decides_and_sets_nothing(governed, driver, groups, folder, start):
    log = folder / "log.jsonl"
    command = ["govern", "--port", governed.cable.url, "--cgroup", "/one", "--dry-run"]
    process = start(*command, "--memory", MEMORY, "--epochs", 3, "--log", log)
    feed(driver, process, lambda: {1: row([900])})
    assert process.returncode == 0
    decided = [json.loads(line)["contexts"]["1"] for line in log.read_text().splitlines()]
    # Nobody else gains by its memory, so it keeps what it uses, and what nobody uses.
    assert {(each["target"], each["after"], each["limited_by"]) for each in decided} == {
        (GROUP_PAGES, MEMORY, "gain")
    }
    assert not [path for path, _, _ in driver.orders() if path.startswith("cgroups/")]


def test_the_hierarchy_bounds_a_budget_and_a_bounded_guarantee_is_reported(
    start_daemon, driver, groups, start
):
    """/one/in may have two groups of the four that it could use; /one protects 50 pages only."""
    (groups / "one/in").mkdir()
    for file in groups.joinpath("two").iterdir():
        (groups / "one/in" / file.name).write_text(file.read_text())
    (groups / "one/memory.max").write_text(f"{(2 * GROUP_PAGES + 5) * PAGE_BYTES}\n")
    daemon = start_daemon(f"--cgroups={groups}", config="[govern] = /one/in\n")
    command = ["govern", "--port", daemon.cable.url, "--cgroup", "/one/in", "--epochs", 4]
    process = start(*command, "--memory", FRAMES, "--lease", 60)
    feed(driver, process, lambda: {1: row([900, 800, 700, 600])})
    said, warned = process.communicate()
    assert process.returncode == 0, warned
    assert f"budgets in pages 1: {2 * GROUP_PAGES:,}" in said
    assert warned.count("/one/in: memory.low of a cgroup above it is 50 pages") == 1


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--cgroup", "/other"], "bad_argument: the cgroup is not listed"),
        (["--cgroup", "/one", "--cgroup", "/one/in"], "/one/in is inside /one"),
        (["--cgroup", "/one", "--cgroup", "/one=2"], "/one is named twice"),
        (["--cgroup", "one"], "must be PATH or PATH=WEIGHT"),
        (["--cgroup", "/one=0"], "must be PATH or PATH=WEIGHT"),
        (["--cgroup", f"/{'x' * 120}"], "must have 1 to 120 bytes"),
    ],
)
def test_what_cannot_be_governed_is_an_error(governed, arguments, what):
    command = [*LITEMRC, "govern", "--port", governed.cable.url, "--memory", str(MEMORY), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=scaled_timeout(60))
    assert done.returncode == 2
    assert what in done.stderr


def test_rightsize_names_the_smallest_budget_for_the_goal_and_sets_nothing(governed, driver, groups, start):
    """An epoch of 0.1 s has 20 refaults of 100 us and 98 ms of work.

    As many pages are evicted, so 20 of the 30 hits of the last group are the kernel's. With three groups 30
    refaults are 3.1 %.
    """
    command = ["rightsize", "/one", "--port", governed.cable.url, "--window", 1, "--json"]
    command += ["--fault-cost", 100, "--warm-up", 0.2]

    def run(*more: str) -> tuple[int, dict, str]:
        process = start(*command, *more)
        feed(driver, process, lambda: {1: row([5000, 400, 50, 30], [0, 0, 0, 0, 20], misses=0)})
        said, warned = process.communicate()
        assert said, warned
        return process.returncode, json.loads(said), warned

    status, found, _ = run("--slowdown", "6%")
    assert status == 0
    assert found["budget_pages"] == 3 * GROUP_PAGES
    assert found["slowdown"] == pytest.approx(30 * 100e-6 / 0.098)
    assert (found["epochs"], found["refaults"], found["seconds"]) == (10, 200, pytest.approx(1.0))
    assert found["end_pages"] == TAIL_GROUPS * GROUP_PAGES and found["beyond_end"] == 0
    assert found["used_pages"] == 2048
    assert run("--slowdown", "0.03")[1]["budget_pages"] == 4 * GROUP_PAGES
    assert ("sys/class/misc/litemrc0/epoch_length", f"{CLOCK_HZ // 10}") in [
        (path, text) for path, _, text in driver.orders()
    ]
    assert (driver.read("epoch_length"), driver.read("epoch_unit")) == (f"{1 << 24}", "cycles"), "as before"
    wait_until(lambda: driver.read("contexts/1/state") == "free")
    for name, text in BEFORE.items():
        assert (groups / "one" / name).read_text() == text


def test_rightsize_says_where_its_curve_ends(governed, driver, start):
    command = ["rightsize", "/one", "--port", governed.cable.url, "--window", 0.5]
    process = start(*command, "--fault-cost", 100, "--warm-up", 0)
    feed(driver, process, lambda: {1: row([5000], [*[0] * (TAIL_GROUPS - 1), 200], misses=0)})
    said, warned = process.communicate()
    end = TAIL_GROUPS * GROUP_PAGES
    assert process.returncode == 1
    assert f"the goal needs more than {end:,} pages: the curve cannot tell how many" in warned
    assert f"1,000 refaults have unknown distances, or larger ones than {end:,} pages" in warned
    assert f"beyond {end:,} pages" in said


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["/other", "--fault-cost", "100"], "bad_argument: the cgroup is not listed"),
        (["/one"], "the kernel evicted no page"),
        (["/one", "--slowdown", "0%"], "must be above 0"),
        (["/one", "--window", "0"], "a window or epoch of 0 s"),
    ],
)
def test_what_cannot_be_sized_is_an_error(governed, arguments, what):
    command = [*LITEMRC, "rightsize", "--port", governed.cable.url, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=scaled_timeout(60))
    assert done.returncode == 2
    assert what in done.stderr
