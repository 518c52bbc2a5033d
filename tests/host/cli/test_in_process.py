# SPDX-License-Identifier: BSD-2-Clause
"""A command that runs in the tests' own process leaves it as it was."""

import signal

import pytest

from tests.host import in_process


def test_signals_that_a_command_ignores_are_heard_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def ignores(arguments: list[str]) -> int:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        return len(arguments)

    monkeypatch.setattr(in_process, "main", ignores)
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert in_process.litemrc("a", "b").returncode == 2
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
