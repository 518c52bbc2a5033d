# SPDX-License-Identifier: BSD-2-Clause
"""For all tests: what takes long on a busy machine is no failure."""

import signal
import sys
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import settings

from tests import slow_tests, timeouts

settings.register_profile("litemrc", deadline=None)
settings.load_profile("litemrc")


# A shell without job control starts background commands with SIGINT ignored, and nohup ignores SIGHUP.
# Children would inherit that: the tests of Ctrl-C and of hang-ups would wait for ever.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # Windows has none
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Print no file names where several are run at once: the reporter of pytest-instafail would."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter and config.getoption("numprocesses", None):
        reporter.showfspath = False
    if workers := config.pluginmanager.getplugin("dsession"):
        config.pluginmanager.register(EndAtBadFile(workers))


class EndAtBadFile:
    """A file that cannot be collected ends the run; pytest-xdist would first run the tests of all others."""

    def __init__(self, workers: Any):
        self._workers = workers

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._workers.shouldstop = f"{report.nodeid} cannot be collected"


def pytest_itemcollected(item: pytest.Item) -> None:
    if slow_tests.row_of(item.nodeid):
        item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Set the limit after which pytest-timeout, a wrapper within this one, ends the test: it hangs."""
    if not item.get_closest_marker("timeout"):
        item.add_marker(pytest.mark.timeout(timeouts.scaled_timeout(slow_tests.limit_s(item.nodeid))))
    return (yield)


def pytest_report_header() -> str:
    return f"time limits x {timeouts.factor():.1f} now (tests/timeouts.py)"


@pytest.fixture(autouse=True)
def no_design_is_kept() -> Iterator[None]:
    """Migen keeps each module for which it has named a signal: 8 GB after the tests of the gateware."""
    yield
    if tracer := sys.modules.get("migen.fhdl.tracer"):
        tracer.classname_to_objs.clear()
