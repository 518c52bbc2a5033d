# SPDX-License-Identifier: BSD-2-Clause
"""Debian's chromium on a real `litemrc serve`: what the tests of the page share."""

import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest

from tests.host.paced_device import GROUPS, PacedDevice, hits_of, misses_of
from tests.timeouts import Deadline, scaled_timeout, wait_until

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
GROUP_BYTES = 8192 // GROUPS * 4096
SIZES = [GROUP_BYTES * (group + 1) for group in range(GROUPS)]


@dataclass
class Served:
    """A server of its own process, and its address; `stop` and `start` keep the address."""

    arguments: list[str]
    url: str = ""
    token: str = ""
    process: subprocess.Popen | None = None
    lines: list[str] = field(default_factory=list)

    def start(self) -> None:
        listen = urlsplit(self.url).netloc or "127.0.0.1:0"
        command = [sys.executable, "-m", "litemrc.cli.main", "serve", "--listen", listen, *self.arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+?(?=/?\s)", line)
        assert found, line + self.process.stderr.read()
        self.url = found[0]

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=scaled_timeout(20))


@contextmanager
def served(devices: dict[str, PacedDevice], *arguments: str) -> Iterator[Served]:
    """Run `litemrc serve` with these devices until the end of the block."""
    ports = [word for name, device in devices.items() for word in ("--port", f"{name}={device.url}")]
    server = Served([*ports, *arguments])
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def chromium() -> Iterator["sync_api.Browser"]:
    """A headless browser."""
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(
    browser: "sync_api.Browser", server: Served, view: str = "#device/a", **options: object
) -> Iterator["sync_api.Page"]:
    """The page of a server; a request to another host, or an error in its scripts, fails the test."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
    page = context.new_page()
    page.set_default_timeout(1000 * scaled_timeout(10))
    own, strangers, errors = urlsplit(server.url).netloc, [], []

    def look(request: "sync_api.Request") -> None:
        address = urlsplit(request.url)
        if address.netloc != own and address.scheme not in ("data", "blob"):
            strangers.append(request.url)

    context.on("request", look)  # not `route`: that holds requests while a test sleeps
    page.on("pageerror", lambda error: errors.append(f"{error}\n{error.stack}"))
    page.on(
        "console", lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None
    )
    page.goto(f"{server.url}/{view}")
    try:
        yield page
        assert not errors, errors
        assert not strangers, strangers
    finally:
        context.close()


def run_to_a_stop(page: "sync_api.Page", device: PacedDevice, epochs: int = 12, rate: float = 20) -> int:
    """Let a device end some epochs and stop; the number of the last one, when the page shows it."""
    until = device.epochs + epochs
    device.rate = rate
    wait_until(lambda: device.epochs >= until, what="the epochs")
    device.rate = 0
    time.sleep(0.1)  # an epoch that has begun is sent whole
    shown = """(() => {
      const {epoch, arrived} = document.querySelector("#contexts tbody").dataset;
      return document.querySelector("#curves .chart").dataset.arrived === arrived ? epoch : "";
    })()"""
    deadline = Deadline(20)
    while (seen := page.evaluate(shown)) != str(last := device.epochs - 1):
        assert not deadline.passed, f"epoch {seen}, not {last}: {page.inner_text('#status')}"
        page.wait_for_timeout(20)
    return last


def expect(page: "sync_api.Page", condition: str, seconds: float = 10) -> None:
    """Wait until an expression in the page is true."""
    deadline = Deadline(seconds)
    while not page.evaluate(f"Boolean({condition})"):
        assert not deadline.passed, f"{condition}: {page.inner_text('#status')}"
        page.wait_for_timeout(20)


def cells(page: "sync_api.Page", table: str) -> list[list[str]]:
    """The texts of a table's body."""
    rows = f"[...document.querySelectorAll('{table} tbody tr')]"
    return page.evaluate(f"{rows}.map(row => [...row.cells].map(cell => cell.textContent))")


def accesses_of(epoch: int, context: int) -> int:
    return sum(hits_of(epoch, context)) + misses_of(epoch, context)


def ratios_of(epochs: list[int], context: int) -> list[float]:
    """Miss ratio at each size: accesses of all epochs that do not hit in the groups of that size."""
    accesses = sum(accesses_of(epoch, context) for epoch in epochs)
    hits = [sum(group) for group in zip(*(hits_of(epoch, context) for epoch in epochs), strict=True)]
    return [(accesses - sum(hits[: group + 1])) / accesses for group in range(GROUPS)]


def size_of(text: str) -> float:
    """Bytes of a text such as 1.5 MiB."""
    number, unit = text.split()
    return float(number) * 1024 ** ["B", "KiB", "MiB", "GiB"].index(unit)
