# SPDX-License-Identifier: BSD-2-Clause
"""The HTML report: whole in one file, and true to the table."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from litemrc.checks.comparison import Comparison, ContextAccuracy, ContextComparison
from litemrc.curves.hit_counters import HitCounters
from litemrc.energy.parts.files import find_part
from litemrc.energy.rank_energy import rank_energy
from litemrc.epochs.table import EpochTable
from litemrc.errors import UserError
from litemrc.ranks.table import RankTable
from litemrc.reports import run
from litemrc.reports.run import write_report

from tests.host.epoch_rows import PARAMETERS, row
from tests.host.rank_rows import PARAMETERS as RANKS
from tests.host.rank_rows import rank_row

EQUAL = Comparison((ContextComparison(1, 18, 0), ContextComparison(2, 6, 0)), accesses=42)
DIFFERENT = Comparison(
    (ContextComparison(1, 18, 2), ContextComparison(2, 6, 0)), 42, "epoch 1, context 1, hit[0]"
)


class Page(HTMLParser):
    """Text, references and tag balance of an HTML file."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.references, self.ids, self.open = "", [], [], []
        self.feed(html)
        self.text = re.sub(r"\s+", " ", self.text)

    def handle_starttag(self, tag, attrs):
        self.text += " "
        if tag not in ("meta", "br"):
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "srcset", "data"):
                self.references.append(value)
            if name == "id":
                self.ids.append(value)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        self.text += " "
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.text += data


@pytest.fixture
def report(tmp_path, epoch_table):
    def write(table=epoch_table, **options) -> Page:
        path = tmp_path / "report.html"
        write_report(path, table, **{"title": "A run", **options})
        return Page(path.read_text("utf-8"))

    return write


def test_the_report_needs_nothing_but_itself(report, tmp_path):
    page = report(comparison=EQUAL)
    html = (tmp_path / "report.html").read_text("utf-8")
    assert all(reference.startswith("#") for reference in page.references)
    assert not re.search(r"https?://|@import|url\((?!#)|<script|<link", html)
    assert page.open == []


def test_ids_are_unique_within_a_picture_and_between_pictures(report):
    figures = [name for name in report().ids if name.endswith("figure_1")]
    assert figures == ["curves-figure_1", "panels-figure_1", "epochs-figure_1"]


def test_the_report_shows_the_counters(report):
    text = report(parameters={"clock_hz": "100 MHz"}).text
    # Summed over contexts and epochs: 42 accesses, 3 + 0 + 4 dropped. zipf: 32 accesses, 6 misses, 16 of 32
    # hit in the first group; loop: nothing hit in the first group.
    assert "42 accesses counted" in text and "7 accesses dropped" in text and "3 epochs" in text
    assert re.search(r"1 zipf 32 6 7 0\.5000", text)
    assert re.search(r"2 loop 10 2 3 1\.0000", text)
    assert "clock hz 100 MHz" in text and "frames damaged 1" in text and "group 16 pages (64 KiB)" in text


def test_the_report_shows_the_working_sets(report):
    text = report().text
    # zipf: 9, 7 and 0 pages of 4 KiB, so 64 / 3 on the average; loop: 4.
    assert re.search(r"1 zipf 32 .* 21\.3 KiB 36 KiB", text)
    assert re.search(r"2 loop 10 .* 16 KiB 16 KiB", text)
    assert "0 zipf 20 5 36 KiB 0 loop 10 2 16 KiB 1 zipf 12 1 28 KiB" in text


def test_a_sampled_run_is_marked_and_all_its_accesses_reported(report, sampled_table):
    text = report(sampled_table).text
    assert "30 sampled accesses counted" in text and "The monitor sampled 1 page of 4" in text
    assert "116 accesses in all: 30 counted, 70 to pages not sampled" in text
    assert "sampled" not in report().text


def test_evicted_pages_are_shown_where_there_are_any(report, tail_table):
    text = report(tail_table).text
    # 38 pages of 4 KiB resident, 30 evicted on the average; of 60 accesses, 24 refaults and 6 misses.
    assert re.search(r"1 sort \(pid 57\) 60 6 .* 152 KiB 120 KiB 24 4 ", text)
    assert re.search(r"0 kernel 5 1 .* - - - - ", text)
    assert "Sizes beyond the vertical line were not resident" in text and "may need more memory" not in text
    assert "evicted" not in report().text + report(tail_table.without_tail()).text


def test_exact_curves_stand_beside_the_estimated_ones(report):
    assert "Accuracy of the estimates" not in report().text
    exact = HitCounters.of([8, 8, 8, 2], 6, 16).curve()
    text = report(accuracy=[ContextAccuracy(1, exact, 0.125, 0.1875, 0.25, 1234, 5)]).text
    # Sizes: 1 and 3 groups, and between them 2.
    assert "1 zipf 0.7500 0.5000 0.2500 0.125000 0.187500 0.250000 1,234 5" in text


def test_the_verdict_is_reported(report):
    assert "Equal to the golden model" in report(comparison=EQUAL).text
    text = report(comparison=DIFFERENT).text
    assert "Different from the golden model" in text and "2 of 24 counters differ" in text
    assert "First difference: epoch 1, context 1, hit[0]." in text
    assert "Not compared" in report(comparison=None).text


def test_a_comparison_of_nothing_is_not_equality():
    assert EQUAL.equal and not DIFFERENT.equal
    assert not Comparison((), accesses=0).equal


def test_what_makes_the_curves_doubtful_is_reported(report, epoch_table):
    assert "interrupted" not in report().text
    assert "interrupted" in report(replace(epoch_table, interrupted=True)).text
    assert "approximate" in report(replace(epoch_table, overflow=[True, False, False, False])).text


def test_a_table_without_data_still_gives_a_report(report, epoch_table):
    page = report(epoch_table.between(9, None))
    assert "no curve to draw" in page.text and page.open == []


def test_names_cannot_break_the_page(report, epoch_table):
    page = report(replace(epoch_table, context_names={1: "<b>&"}), title="<script>alert(1)</script>")
    assert "<script>alert(1)</script>" in page.text and "<b>&" in page.text
    assert page.open == []


@pytest.mark.parametrize("name", ["report.txt", "no/such/folder/report.html"])
def test_a_report_that_cannot_be_written_is_refused(tmp_path, epoch_table, name):
    with pytest.raises(UserError):
        write_report(tmp_path / name, epoch_table, title="A run")


def test_ranks_are_shown_where_there_are_any(report):
    rows = [rank_row(0, 0, active_standby=500), rank_row(0, 1, self_refresh=1000)]
    ranks = RankTable.from_rows(rows, **RANKS)
    energy = rank_energy(ranks, find_part("MT41K64M16-187E:J"))
    page = report(ranks=(ranks, energy))
    assert page.open == []
    assert not page.references or all(each.startswith("#") for each in page.references)
    assert len(set(page.ids)) == len(page.ids)
    for text in ("Power", "Energy in mJ", "always awake", "100.00 %", "MT41K64M16-187E:J at 4 MHz"):
        assert text in page.text, text
    # 1.35 V x (0.5 ms of 33 mA, 0.5 ms of 23 mA, at 4 of 533.333 MHz, and 1 ms of 8 mA at any clock)
    assert "0.01108" in page.text
    assert "Energy in mJ" not in report().text


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
