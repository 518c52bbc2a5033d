# SPDX-License-Identifier: BSD-2-Clause
"""Precision, recall and lag of rankings of pages, by arithmetic."""

import itertools

import numpy as np
import pytest

from scripts.damon.damon_scores import Lag, Score, hottest, lag, mean_score, reported, score


def array(*numbers):
    return np.array(numbers)


def test_the_hottest_pages_are_those_with_the_most_accesses():
    assert hottest(array(5, 0, 9, 7), 2).tolist() == [False, False, True, True]


def test_pages_with_as_many_accesses_as_the_last_hot_one_are_hot():
    assert hottest(array(5, 5, 9, 1), 2).tolist() == [True, True, True, False]


def test_a_page_without_accesses_is_not_hot():
    assert hottest(array(0, 3, 0, 0), 2).tolist() == [False, True, False, False]
    assert not hottest(array(0, 0), 1).any()


def test_the_first_pages_of_a_ranking_are_reported():
    assert reported(array(3, 1, 2, 4), 2).tolist() == [1, 0, 0, 1]


def test_pages_of_rank_0_are_not_reported():
    assert reported(array(0, 0, 7, 0), 3).tolist() == [0, 0, 1, 0]


def test_pages_of_equal_rank_share_the_places_that_are_left():
    """One place for page 0, two are left for three pages."""
    assert reported(array(8, 5, 5, 5, 1), 3) == pytest.approx([1, 2 / 3, 2 / 3, 2 / 3, 0])


@pytest.mark.parametrize("ranks", [(2, 2, 1, 1, 1, 0), (1, 1, 1, 1, 1, 1), (3, 2, 2, 2, 0, 0)])
def test_expected_values_are_the_means_over_all_orders_of_equal_pages(ranks):
    hot, wanted = array(True, False, True, True, False, False), 3
    scores = []
    for order in itertools.permutations(range(6)):
        chosen = sorted(order, key=lambda page: -ranks[page])[:wanted]  # stable: `order` decides among equals
        found = [hot[page] for page in chosen if ranks[page]]
        scores.append((sum(found) / len(found), sum(found) / 3))
    found = score(np.array(ranks), hot, wanted)
    assert (found.precision, found.recall) == pytest.approx(tuple(np.mean(scores, axis=0)))


def test_a_ranking_by_the_counts_themselves_is_perfect():
    counts = np.random.default_rng(1).integers(0, 50, 1000)
    assert score(counts, hottest(counts, 100), 100) == Score(1.0, 1.0)


def test_one_region_over_all_pages_has_the_precision_of_chance():
    assert score(np.full(1000, 7), np.arange(1000) < 100, 100) == Score(
        pytest.approx(0.1), pytest.approx(0.1)
    )


def test_a_short_list_has_a_low_recall_and_its_own_precision():
    """Two pages are listed where four are hot, one of them rightly."""
    assert score(array(9, 8, 0, 0, 0, 0), array(1, 0, 1, 1, 1, 0).astype(bool), 4) == Score(0.5, 0.25)


def test_nothing_reported_has_no_precision_and_nothing_hot_no_recall():
    assert score(array(0, 0), array(True, False), 1) == Score(None, 0.0)
    assert score(array(1, 0), array(False, False), 1) == Score(0.0, None)


def test_means_leave_out_what_has_no_value():
    assert mean_score([Score(None, 0.0), Score(0.5, 1.0)]) == Score(0.5, 0.5)
    assert mean_score([Score(None, None)]) == Score(None, None)


ENDS = array(100, 200, 300, 400, 500)


def test_the_lag_reaches_to_the_end_of_the_first_window_that_reports_the_new_set():
    """The move at 230 is in the third window, which ends at 300; the report of the fourth is right."""
    assert lag(ENDS, [1.0, 1.0, 0.2, 0.5, 0.9], 230, 1000) == Lag(2, 170)


def test_a_change_that_its_own_window_reports_has_a_lag_of_one_window():
    assert lag(ENDS, [0.0, 0.0, 0.8, 1.0, 1.0], 230, 1000) == Lag(1, 70)


def test_a_change_that_is_not_reported_before_the_next_one_has_no_lag():
    assert lag(ENDS, [0.0, 0.0, 0.0, None, 1.0], 230, 450) is None
    assert lag(ENDS, [1.0, 1.0, 0.0, 0.0, 0.0], 230, 1000) is None
