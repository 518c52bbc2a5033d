# SPDX-License-Identifier: BSD-2-Clause
"""Texts of devices and files reach terminals, spreadsheets and pictures as texts only."""

import csv
import io

import pytest
from litemrc.cli.main import main
from litemrc.cli.shared.messages import note, warning
from litemrc.cli.shared.plain_text import text_facts, text_table
from litemrc.cli.shared.results import csv_text
from litemrc.curves.curve import Curve
from litemrc.device.collecting.collector import Collector
from litemrc.epochs.processes import Process
from litemrc.errors import UserError
from litemrc.plots.mrc import mrc_figure
from litemrc.texts import picture_text, printable, printable_lines, spreadsheet_text

from tests.host.scripted_device import ScriptedLink, ack, device_at, ended, hello, told

HOSTILE = "a\x1b]0;owned\x07\x9b31m\u202eb\r\nc\u2028\x7f\x00"  # OSC, CSI as C1, a bidi override, new lines
SHOWN = "a?]0;owned??31m?b??c???"


def test_each_character_that_is_not_shown_as_itself_is_a_question_mark():
    assert printable(HOSTILE) == SHOWN
    assert printable("zipf ä € 😀 [red]x[/]") == "zipf ä € 😀 [red]x[/]"
    assert printable_lines("a\x1b\nb") == "a?\nb"


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n", " =", "\uff1d", "\uff0b"])
def test_no_cell_is_a_formula(first):
    text = f"{first}cmd|'/c calc'!A1"
    (row,) = list(csv.reader(io.StringIO(csv_text([{"name": text}]))))[1:]
    assert row[0] == "'" + printable(text)
    assert spreadsheet_text(text) == row[0]


@pytest.mark.parametrize("text", ["-5", "+1e3", "-inf", "zipf", "a=b", "", "1-2"])
def test_numbers_and_other_texts_are_cells_as_they_are(text):
    assert spreadsheet_text(text) == text


def test_numbers_stay_numbers():
    assert csv_text([{"a": -1.5, "b": None, "c": True}]) == "a,b,c\n-1.5,,True"


def test_tables_facts_and_messages_control_no_terminal(capsys):
    assert SHOWN.replace("??c", "?\nc").splitlines()[0] in text_table(["name"], [[HOSTILE]])
    assert "\x1b" not in text_table(
        [HOSTILE],
        [
            [
                "[red]x[/red]",
            ]
        ],
    ) and "[red]x[/red]" in text_table(["n"], [["[red]x[/red]"]])
    assert text_facts({"name": "a\x1b[2J"}) == "name  a?[2J"
    note("a\x1bb")
    warning("a\x9bb")
    assert capsys.readouterr().err == "litemrc: note: a?b\nlitemrc: warning: a?b\n"


def test_errors_control_no_terminal(capsys, monkeypatch):
    def fail(_):
        raise UserError("bad \x1b[2J", where="file\x1b]0;x\x07", remedy="no\u202ene")

    monkeypatch.setattr("litemrc.cli.main._run", fail)
    assert main(["mrc"]) == 2
    assert capsys.readouterr().err == ("litemrc: error: bad ?[2J\n  where:  file?]0;x?\n  remedy: no?ne\n")


def test_names_of_files_are_shown_in_safe_characters():
    assert Process(1, 7, "a\x1b[31mb", 0, 1).label == "a?[31mb (pid 7)"


def test_a_name_is_no_formula_of_a_picture():
    """Between dollar signs matplotlib reads its own language, and raises at what it cannot read."""
    curve = Curve(
        sizes_pages=[1, 2], miss_ratio=[1.0, 0.5], accesses=2, misses=1, page_bytes=4096, name=r"$\frac{$"
    )
    mrc_figure([curve]).canvas.draw()
    assert picture_text("$a$") == r"\$a\$"


def test_every_text_of_a_device_is_shown_in_safe_characters(monkeypatch):
    said = hello(system=HOSTILE, driver=HOSTILE[:9], identifier=HOSTILE, workloads=["a\x1bb", "loop"])
    link = ScriptedLink(
        hello=lambda **_: said, get_process=lambda **_: ack(2, 7, payload=HOSTILE.encode()[:16])
    )
    device = device_at(link, monkeypatch)
    assert (device.hello.system, device.hello.identifier) == (SHOWN, SHOWN)
    assert device.hello.workloads == ["a?b", "loop"]
    link.inbox.append(told("log", line=HOSTILE))
    assert device.receive(1).line == SHOWN
    collector = Collector(device)
    row = {"context": 1, "state": 2, "pid": 7, "comm": b"a\x1b[2J"}
    link.inbox += [ended(0, row), ended(1, row)]
    assert [collector.take(1).name for _ in range(2)] == ["epoch"] * 2
    assert collector.processes.followed[1].comm == "a?[2J"
    link.inbox.append(told("log", line=HOSTILE))
    device.request("monitor", on=True)
    assert [message.line for message in device.waiting()] == [SHOWN]
