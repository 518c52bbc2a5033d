# SPDX-License-Identifier: BSD-2-Clause
"""The demos of ranks under Linux: what they conclude from two runs, by arithmetic."""

from argparse import ArgumentParser
from statistics import median
from types import SimpleNamespace

import pytest
from litemrc.cli.soc.linux_ranks_runs import add_arguments, slowdowns, summarize, turns_us, uptime_us
from litemrc.cli.soc.linux_trays_demo import background_mj
from litemrc.energy.model import Energy

GOVERNOR = {"evacuations": 3, "moved": 512, "microseconds": 60_000}
SAVING = 0.375


def run_of(turns_us, governor=GOVERNOR):
    return SimpleNamespace(turns_us=turns_us, governor=governor, hello=SimpleNamespace(page_shift=12))


def found(equal=True, broken=0, lost=0):
    return SimpleNamespace(
        comparison=SimpleNamespace(equal=equal),
        rules_broken=broken,
        lost_reads=lost,
    )


def test_the_summary_is_of_both_runs():
    """512 pages of 4 KiB are 2 MiB: 60 ms / 2 MiB = 30. Turns: 110 / 100 = 1.1, 198 / 200 = 0.99."""
    runs = run_of([[90, 110], [200]]), run_of([[110], [190, 206]])
    summary = summarize(*runs, found(broken=1), found(lost=2), saving=SAVING, curves_equal=True)
    assert (summary.saved_percent, summary.evacuations) == (37.5, 3)
    assert (summary.rules_broken, summary.lost_reads, summary.counters_equal) == (1, 2, True)
    assert summary.slowdown == pytest.approx(0.1)
    assert summary.evacuation_ms_per_mib == pytest.approx(30)


@pytest.mark.parametrize("of_awake, of_governed, curves", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_counters_are_equal_only_if_all_are(of_awake, of_governed, curves):
    runs = run_of([[1]]), run_of([[1]])
    summary = summarize(
        *runs,
        found(equal=bool(of_awake)),
        found(equal=bool(of_governed)),
        saving=SAVING,
        curves_equal=bool(curves),
    )
    assert not summary.counters_equal


def test_an_evacuation_that_moved_nothing_has_no_time_per_mib():
    still = GOVERNOR | {"moved": 0}
    summary = summarize(
        run_of([[1]]), run_of([[1]], still), found(), found(), saving=SAVING, curves_equal=True
    )
    assert summary.evacuation_ms_per_mib is None


def test_turns_are_lines_of_begin_and_length():
    assert turns_us("100 10\n200 30\n", 0) == [10, 30]
    assert turns_us("100 10\n200 30\n", 101) == [30]


def test_turns_and_uptime_are_of_one_clock():
    assert uptime_us("1.25 0.50\n") == 1_250_000


def test_slowdowns_are_of_means_or_medians():
    """Means 20 and 30: +50 %; medians 10 and 12: +20 %."""
    runs = run_of([[10, 10, 40]]), run_of([[11, 12, 67]])
    assert slowdowns(*runs) == [pytest.approx(0.5)]
    assert slowdowns(*runs, median) == [pytest.approx(0.2)]


def test_background_is_what_does_not_depend_on_accesses():
    """2 of standby, 1 of refreshes, 4 of self-refresh, beside 8 of activations, 16 of reads, 32 of writes."""
    components = {"standby": 2, "refresh": 1, "self-refresh": 4, "activate": 8, "read": 16, "write": 32}
    assert background_mj(Energy(components)) == 7


@pytest.mark.parametrize("epochs", ["2", "0", "x"])
def test_epochs_without_a_working_set_are_refused(epochs, capsys):
    parser = ArgumentParser()
    add_arguments(parser, out="out", epochs=22)
    with pytest.raises(SystemExit, match="2"):
        parser.parse_args(["--epochs", epochs])
    assert "--epochs" in capsys.readouterr().err
    assert parser.parse_args(["--epochs", "3"]).epochs == 3
