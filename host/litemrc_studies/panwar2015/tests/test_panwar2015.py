# SPDX-License-Identifier: BSD-2-Clause
"""What the scripts of panwar2015/page.md compute, beside arithmetic and the paper."""

import numpy as np
from litemrc_studies.panwar2015.results.machines import LARGE, RARE, SMALL, adaptive, machines
from litemrc_studies.panwar2015.results.table2 import PAPER
from litemrc_studies.panwar2015.results.tables import ORDER_BYTES, ZONE_BYTES, exits
from litemrc_studies.panwar2015.results.threads import PER_MS, SAMPLE_MS, Sample, sample


def test_free_lists_of_an_order_and_a_zone_have_the_papers_sizes():
    assert (ORDER_BYTES, ZONE_BYTES) == (104, 1144)


def test_banks_are_sections_of_128_mb_of_which_the_paper_counts_256():
    for machine in (LARGE, SMALL):
        assert machine.unit_frames * 4096 == 128 << 20
    assert LARGE.units == 256


def test_both_periods_of_table_2_run_with_each_seed():
    for seed in (1, 2, 3):
        made = machines(SMALL, seed)
        assert [made[adaptive(every)][0].migrate_every for every in (2, RARE)] == [2, RARE]
        assert {machine.seed for machine, _ in made.values()} == {seed}
    assert next(iter(PAPER.values())) == (81, 69, 59.5)


def test_no_page_moves_when_the_first_of_two_processes_ends():
    """B's 8 banks of pages in 9 banks cannot be put into fewer with the free reserve of a pool."""
    runs = exits()
    assert [run.copied_pages for run in runs.values()] == [0, 0, 0]
    assert [int((run.used_of_unit[1] > 0).sum()) for run in runs.values()] == [17, 17, 17]  # 8.5 + 8
    assert [int((run.used_of_unit[-1] > 0).sum()) for run in runs.values()] == [9, 9, 9]


def test_idle_times_are_those_between_references_to_a_page():
    touched = np.zeros((10, 3), bool)
    touched[[0, 9], 0] = True  # 8 bins in between
    touched[:, 1] = True
    touched[4, 2] = True  # 4 bins before, 5 after
    found = Sample("p", 1, touched)
    assert (found.pages, found.working_set) == (3, 3)
    assert found.busy == 13 / 10
    assert np.isclose(found.longest_idle_ms, (8 + 0 + 5) / 3)


def test_a_sample_is_equal_in_each_run_and_has_the_pages_of_the_matrix():
    """lu: 128 x 128 doubles are 32 pages; the others are of its static data."""
    first, second = (sample("lu", 1) for _ in range(2))
    assert np.array_equal(first.touched, second.touched)
    assert 32 <= first.pages <= 36
    assert first.touched.any(axis=1).all(), f"no idle 0.1 ms with {PER_MS * SAMPLE_MS:,} references"
