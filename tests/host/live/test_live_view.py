"""The numbers of the panels are those of the epochs that arrived."""

from dataclasses import replace

import pytest
from litemrc.feed.recent import Recent
from litemrc.live.view import Settings, View

from tests.host.live.live_epochs import NAMES, PARAMETERS, RATE, SETTINGS, feed_epochs
from tests.host.paced_device import CLOCKS, hits_of, misses_of

EPOCHS = 60


@pytest.fixture
def recent() -> Recent:
    recent = Recent()
    for event in (PARAMETERS, *feed_epochs(EPOCHS)):
        recent(event)
    return recent


@pytest.mark.parametrize("window", [1, 5, 20, 100])
def test_counters_and_curves_are_sums_over_the_window(recent: Recent, window: int) -> None:
    view = View(recent, SETTINGS, window=window)
    numbers = range(max(EPOCHS - window, 0), EPOCHS)
    assert [each.context for each in view.contexts] == list(range(8))
    for each in view.contexts:
        hits = [hits_of(number, each.context) for number in numbers]
        misses = sum(misses_of(number, each.context) for number in numbers)
        accesses = sum(map(sum, hits)) + misses
        assert (each.curve.accesses, each.curve.misses) == (accesses, misses)
        # A memory of 3 MiB has the first 6 groups of 512 KiB.
        held = sum(sum(of_epoch[:6]) for of_epoch in hits)
        assert each.curve.at("3M") == pytest.approx(1 - held / accesses)
    assert view.dropped == sum(number % 3 for number in numbers)


def test_working_sets_are_those_of_each_epoch_and_names_and_budgets_those_of_the_device(
    recent: Recent,
) -> None:
    for each in View(recent, SETTINGS).contexts:
        sizes = [100 * (each.context + 1) + number % 50 for number in range(EPOCHS)]
        assert (list(each.history), each.working_set) == (sizes, sizes[-1])
        assert each.name == NAMES.get(each.context, f"context {each.context}")
        assert each.budget == SETTINGS.budgets.get(each.context)


def test_a_rank_is_asleep_for_the_share_of_its_cycles_in_the_window(recent: Recent) -> None:
    view = View(recent, SETTINGS, window=20)
    for domain, rank in enumerate(view.ranks):
        asleep = [CLOCKS * ((number // 10 + domain) % 4) // 4 for number in range(EPOCHS)]
        assert rank.asleep == pytest.approx(sum(asleep[-20:]) / (20 * CLOCKS))
        assert rank.history == pytest.approx([cycles / CLOCKS for cycles in asleep])
        assert rank.last.live_pages == 10 * domain


def test_the_rate_is_that_of_the_arrivals(recent: Recent) -> None:
    assert View(recent, SETTINGS).rate == pytest.approx(RATE)


def test_contexts_that_are_not_chosen_are_left_out_but_known(recent: Recent) -> None:
    view = View(recent, SETTINGS, chosen=frozenset((2, 5)))
    assert [each.context for each in view.contexts] == [2, 5]
    assert view.known == list(range(8))


def test_epochs_before_a_change_of_sampling_are_not_summed(recent: Recent) -> None:
    """Curves of different sampling cannot be added: those of the newest epochs are shown."""
    for epoch in feed_epochs(3, first=EPOCHS):
        recent(replace(epoch, rows=tuple(replace(row, scale_log2=1, hits=row.hits[:32] + (0,) * 32,
                       accesses=sum(row.hits[:32]) + row.misses) for row in epoch.rows)))  # fmt: skip
    view = View(recent, SETTINGS, window=20)
    assert [epoch.number for epoch in view.summed] == [EPOCHS, EPOCHS + 1, EPOCHS + 2]
    assert view.contexts[0].working_set == (100 + (EPOCHS + 2) % 50) * 2


def test_writes_that_count_apart_belong_to_the_context_of_their_pages() -> None:
    recent = Recent()
    recent(PARAMETERS)
    (epoch,) = feed_epochs(1)
    recent(replace(epoch, rows=tuple(replace(row, split=True) for row in epoch.rows)))
    view = View(recent, SETTINGS)
    assert view.known == [0, 1, 2, 3]
    writes = sum(hits_of(0, 5)) + misses_of(0, 5)
    assert view.contexts[1].curve.accesses == sum(hits_of(0, 1)) + misses_of(0, 1) + writes
    assert view.contexts[1].working_set == 200 + 600


def test_without_an_epoch_there_is_nothing() -> None:
    recent = Recent()
    view = View(recent, Settings())
    assert (view.last, view.contexts, view.ranks, view.rate, view.dropped) == (None, [], [], None, 0)
