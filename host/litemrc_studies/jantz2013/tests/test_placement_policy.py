"""Where hot pages go, by hand."""

import numpy as np
import pytest
from litemrc.curves.hit_counters import HitCounters
from litemrc.errors import UserError
from litemrc_studies.jantz2013.policies.placement import PlacementParameters, hottest, plan
from litemrc_studies.jantz2013.policies.trays import Tray

FREE = PlacementParameters(epsilon=0.0, page_nj=0.0)


def trays(free, asleep=()):
    return [Tray(number, 0, 100, pages, 100 - pages, number in asleep) for number, pages in enumerate(free)]


def moved(chosen):
    return [(move.origin, move.target, move.pages.tolist()) for move in chosen.moves]


def curve_of(pages, accesses=100):
    """All reuse within so many pages."""
    return HitCounters.of([0] * (pages - 1) + [accesses], 0, 1).curve()


def test_hottest_are_those_with_most_accesses_and_none_without():
    assert hottest(np.array([3, 0, 9, 3]), 3).tolist() == [2, 0, 3]
    assert hottest(np.array([3, 0, 9, 3]), 9).tolist() == [2, 0, 3]
    assert hottest(np.array([3, 0]), 0).tolist() == []


def test_pages_of_the_working_set_are_gathered_where_most_of_them_are():
    counts = np.array([9, 8, 7, 6, 5, 1])
    tray_of = np.array([0, 1, 1, 2, 1, 0])
    chosen = plan(curve_of(5), counts, tray_of, trays([0, 9, 9]), FREE)
    assert (chosen.working_pages, chosen.hot_trays) == (5, (1,))
    # One hot page is on tray 0, one on 2; page 5 is not of the working set.
    assert moved(chosen) == [(0, 1, [0]), (2, 1, [3])]


def test_two_trays_are_kept_where_one_has_no_room():
    """Five pages; tray 1 holds 3 of them and has room for 1, no other has more: a second one is kept, too."""
    tray_of = np.array([0, 1, 1, 2, 1])
    chosen = plan(curve_of(5), np.full(5, 7), tray_of, trays([0, 1, 2]), FREE)
    assert chosen.hot_trays == (1, 0)
    assert moved(chosen) == [(2, 1, [3])]


def test_a_tray_with_room_for_all_is_rather_kept_than_two_that_have_more():
    tray_of = np.array([0, 1, 1, 2, 1])
    chosen = plan(curve_of(5), np.full(5, 7), tray_of, trays([0, 1, 9]), FREE)
    assert moved(chosen) == [(0, 2, [0]), (1, 2, [1, 2, 4])]


def test_a_reserve_is_left_free():
    tray_of = np.array([0, 1, 1])
    kept = PlacementParameters(epsilon=0.0, page_nj=0.0, reserve_pages=5)
    assert moved(plan(curve_of(3), np.full(3, 7), tray_of, trays([5, 6]), kept)) == [(0, 1, [0])]
    assert moved(plan(curve_of(3), np.full(3, 7), tray_of, trays([5, 5]), kept)) == []


def test_a_tray_with_less_than_the_reserve_has_no_room():
    """Tray 1 holds 2 of 3 hot pages and has 3 pages of the reserve of 5; only tray 0 has room for all."""
    kept = PlacementParameters(epsilon=0.0, page_nj=0.0, reserve_pages=5)
    chosen = plan(curve_of(3), np.full(3, 7), np.array([0, 1, 1]), trays([9, 3]), kept)
    assert (chosen.hot_trays, moved(chosen)) == ((0,), [(1, 0, [1, 2])])


def test_of_equal_trays_the_first_is_kept_and_emptied_first():
    chosen = plan(curve_of(4), np.full(4, 7), np.array([0, 1, 2, 3]), trays([9, 9, 9, 9]), FREE)
    assert moved(chosen) == [(1, 0, [1]), (2, 0, [2]), (3, 0, [3])]


def test_a_move_is_cut_where_the_target_is_full_and_goes_on_to_the_next():
    """Ten hot pages: trays 0 and 1 hold 4 and 3 and have room for 1 and 2; tray 2 holds 3."""
    chosen = plan(curve_of(10), np.full(10, 7), np.repeat([0, 1, 2], [4, 3, 3]), trays([1, 2, 0]), FREE)
    assert chosen.hot_trays == (0, 1)
    assert moved(chosen) == [(2, 0, [7]), (2, 1, [8, 9])]


def test_accesses_that_all_miss_have_no_working_set():
    streaming = HitCounters.of([0, 0], 9, 1).curve()
    assert plan(streaming, np.array([9]), np.array([0]), trays([9]), FREE).working_pages == 0


def test_sleeping_trays_are_left_asleep():
    tray_of = np.array([0, 0, 1])
    chosen = plan(curve_of(3), np.full(3, 7), tray_of, trays([9, 9], asleep={0}), FREE)
    assert moved(chosen) == [(0, 1, [0, 1])]


def test_copies_that_do_not_pay_are_not_made():
    """Two pages of 5 mJ each against 1 mW over 9 s: 9 mJ."""
    tray_of = np.array([0, 0, 1, 1, 1])
    dear = PlacementParameters(epsilon=0.0, page_nj=5e6, saved_mw=1.0, horizon_s=9.0)
    assert moved(plan(curve_of(5), np.full(5, 7), tray_of, trays([9, 9]), dear)) == []
    pays = PlacementParameters(epsilon=0.0, page_nj=5e6, saved_mw=1.0, horizon_s=10.0)
    assert moved(plan(curve_of(5), np.full(5, 7), tray_of, trays([9, 9]), pays)) == [(0, 1, [0, 1])]


def test_the_budget_goes_to_the_tray_that_is_emptied_first():
    tray_of = np.array([0, 0, 1, 1, 1, 2])
    tight = PlacementParameters(epsilon=0.0, page_nj=0.0, budget_pages=2)
    chosen = plan(curve_of(6), np.array([4, 5, 6, 6, 6, 1]), tray_of, trays([9, 9, 9]), tight)
    assert moved(chosen) == [(2, 1, [5]), (0, 1, [1])]


@pytest.mark.parametrize("hits", [[0], [5]])
def test_without_accesses_nothing_is_decided(hits):
    chosen = plan(HitCounters.of([0], 0, 1).curve(), np.array(hits) * 0, np.array([0]), trays([9]), FREE)
    assert (chosen.working_pages, chosen.hot_trays, chosen.moves) == (0, (), ())


@pytest.mark.parametrize(
    "wrong", [{"epsilon": -1}, {"budget_pages": 0}, {"saved_mw": 0}, {"horizon_s": np.inf}]
)
def test_parameters_that_cannot_be_are_refused(wrong):
    with pytest.raises(UserError, match=next(iter(wrong))):
        PlacementParameters(**wrong)
