# SPDX-License-Identifier: BSD-2-Clause
"""The table of docs/qemu.md from results made by hand."""

import json

import pytest

from scripts.guests import guest_results
from scripts.guests.guest_results import main, monitor_of, table

EXACT = {
    "seconds": 50.0, "references": 2_000_000_000, "accesses": 40_000_000, "pages": 512,
    "without_frame": 0, "resolution": 1, "sizes": [1, 256, 512], "ratios": [0.5, 0.25, 0.125],
}  # fmt: skip
SAMPLED = EXACT | {"seconds": 25.0, "resolution": 256, "sizes": [256, 512], "ratios": [0.375, 0.125]}
RESULTS = {"redis, amd64": {"plain_s": 10.0, "exact": EXACT, "sampled": SAMPLED}}


def test_the_table_has_slowdowns_and_rates():
    """512 pages are 2 MiB; 50 s are 5 times 10 s; 2 G in 50 s are 40 M/s.

    At 1 MiB the curves differ by 0.375 - 0.25 = 0.125, at 2 MiB not; the last size weighs nothing.
    """
    *_, row = table(RESULTS).splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == [
        "redis, amd64", "2.00 G", "40.0 M", "2 MiB", "10.0 s",
        "50 s", "5.0x", "40 M", "25 s", "2.5x", "80 M", "0.12500",
    ]  # fmt: skip


@pytest.mark.parametrize("memory_mib, frames", [(1024, 4096), (64, 256)])
def test_a_sampling_engine_has_a_frame_for_each_sampled_page(memory_mib, frames):
    """1 GiB is 262,144 pages of 4 KiB, of which 1/64 is sampled."""
    assert monitor_of("sampled", memory_mib).frames == frames


def test_a_page_without_results_exits_with_2(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(guest_results, "RESULTS", tmp_path / "results.json")
    assert main(["--page"]) == 2
    assert "there are no results" in capsys.readouterr().err


def test_an_interrupted_run_is_continued(monkeypatch, tmp_path, capsys):
    """The first run measures one load; the second one measures the others, and writes the page."""
    measured, written = [], []

    def measure(name, load):
        if len(measured) == 1:
            raise KeyboardInterrupt
        measured.append(f"{load}, {name}")
        return {"plain_s": 1.0}

    results = tmp_path / "results.json"
    monkeypatch.setattr(guest_results, "RESULTS", results)
    monkeypatch.setattr(guest_results, "measure", measure)
    monkeypatch.setattr(guest_results, "write_page", written.append)
    assert main([]) == 130 and "--rest goes on" in capsys.readouterr().err
    assert list(json.loads(results.read_text())) == measured == ["redis, amd64"] and not written
    monkeypatch.setattr(guest_results, "measure", lambda name, load: {"plain_s": 2.0})
    assert main(["--rest"]) == 0
    (page,) = written
    assert [row["plain_s"] for row in page.values()] == [1.0, *[2.0] * 6]
