"""The tables of a report: which rows are listed, and how parameters are written."""

import re
from dataclasses import replace

import numpy as np
import pytest
from litemrc.epochs.table import EpochTable
from litemrc.reports import run
from litemrc.reports.run import write_report

from tests.host.epoch_rows import PARAMETERS, row


@pytest.fixture
def text(tmp_path, monkeypatch):
    """text(table, **options) -> the words of the report, without its pictures."""
    monkeypatch.setattr(run, "inline_svg", lambda figure, *, name, description: description)
    for figure in ("curves_figure", "panels_figure", "epochs_figure"):
        monkeypatch.setattr(run, figure, lambda *_: None)

    def text(table, **options):
        write_report(tmp_path / "r.html", table, title="A run", **options)
        return " ".join(re.sub(r"<[^>]*>", " ", (tmp_path / "r.html").read_text()).split())

    return text


def long_table(epochs):
    counters = {"accesses": 4, "misses": 1, "touched": 2, "dropped": 0, "hits": (3, 0, 0, 0)}
    return EpochTable.from_rows([row(epoch=n, context=1, **counters) for n in range(epochs)], **PARAMETERS)


def test_a_thousand_rows_are_listed_and_no_more():
    assert [each["epoch"] for each in run._rows(long_table(1000))] == list(range(1000))
    assert run._rows(long_table(1001)) == []


def test_a_row_is_named_by_its_owner(epoch_table):
    rows = run._rows(epoch_table)
    names = ("epoch", "owner", "accesses", "working_set_pages")
    assert [tuple(each[name] for name in names) for each in rows] == [
        (0, "zipf", 20, 9), (0, "loop", 10, 4), (1, "zipf", 12, 7), (2, "zipf", 0, 0),
    ]  # fmt: skip
    idle = replace(epoch_table, context=np.array([1, 2, 1, 3], np.uint8))
    assert run._rows(idle)[3]["owner"] == "context 3", "without accesses nobody's"


def test_sampling_is_one_page_of_so_many(text, epoch_table, sampled_table):
    assert "sampling 1 page of 4" in text(sampled_table)
    assert "sampling off" in text(epoch_table)


def test_further_parameters_and_sections_are_written(text, epoch_table):
    page = text(epoch_table, parameters={"clock_hz": "1 MHz"}, texts={"Console": "login: <root>"})
    assert "clock hz 1 MHz" in page and "Console login: &lt;root&gt;" in page
    assert "pages of the engine 64" in page and "frames 64 (256 KiB)" in page


def test_a_report_of_no_accesses_has_no_curves(text):
    page = text(long_table(0))
    assert "Miss ratio over memory size of" not in page and "0 accesses" in page
