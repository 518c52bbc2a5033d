# SPDX-License-Identifier: BSD-2-Clause
"""Results in three formats; what was completed survives Ctrl-C and bad input."""

import json
import os
import signal
from argparse import Namespace
from threading import Thread

import pytest
from litemrc.cli.shared import results
from litemrc.cli.shared.results import (
    Interruption,
    check_pictures,
    csv_text,
    print_results,
    until_stopped,
)
from litemrc.errors import UserError


def printed(capsys, stopped=None, **formats) -> str:
    args = Namespace(**{"json": False, "csv": False} | formats)
    rows = [{"size_pages": 4, "name": 'a, "b"'}, {"size_pages": None, "name": "c"}]
    print_results(
        args, table=lambda: "a table", document=lambda: {"rows": rows}, rows=lambda: rows, stopped=stopped
    )
    return capsys.readouterr().out


def test_each_format_replaces_the_table(capsys):
    assert printed(capsys) == "a table\n"
    assert printed(capsys, csv=True) == 'size_pages,name\n4,"a, ""b"""\n,c\n'
    assert json.loads(printed(capsys, json=True))["rows"][0]["size_pages"] == 4
    assert csv_text([]) == ""


def test_incomplete_results_are_marked(capsys):
    assert printed(capsys, KeyboardInterrupt()).splitlines()[1:] == [
        "interrupted: the results are incomplete"
    ]
    assert json.loads(printed(capsys, KeyboardInterrupt(), json=True))["interrupted"] is True
    assert json.loads(printed(capsys, json=True))["interrupted"] is False


@pytest.mark.parametrize("error", [KeyboardInterrupt(), UserError("bad")])
def test_completed_parts_survive_what_stops_the_work(error):
    def parts(count):
        yield from range(count)
        raise error

    assert until_stopped(parts(2)) == ([0, 1], error)
    assert until_stopped([3, 4]) == ([3, 4], None)
    with pytest.raises(type(error)):
        until_stopped(parts(0))


def test_the_first_interrupt_ends_the_parts_and_the_second_raises():
    before = signal.getsignal(signal.SIGINT)
    with Interruption() as interruption:
        seen = []
        for part in interruption.until_noted(range(5)):
            seen.append(part)
            if part == 2:
                os.kill(os.getpid(), signal.SIGINT)
        assert (seen, interruption.noted) == ([0, 1, 2], True)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_work_without_ctrl_c():
    def work():
        with Interruption() as interruption:
            seen.extend(interruption.until_noted(range(3)))

    seen = []
    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [0, 1, 2]


def test_pictures_are_checked_before_the_work(tmp_path, monkeypatch):
    picture = tmp_path / "a.png"
    check_pictures(None, picture)
    with pytest.raises(UserError, match=r"\.png or \.svg"):
        check_pictures(tmp_path / "a.gif")
    with pytest.raises(UserError, match="the same file"):
        check_pictures(picture, tmp_path / "." / "a.png")

    def missing(extra):
        raise UserError(f"litemrc[{extra}] is not installed")

    monkeypatch.setattr(results, "require", missing)
    check_pictures(None)
    with pytest.raises(UserError, match=r"litemrc\[plot\] is not installed"):
        check_pictures(picture)
