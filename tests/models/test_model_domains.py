# SPDX-License-Identifier: BSD-2-Clause
"""Power domains of the library: where the working set lies is the golden model's; the rest is counted."""

import random
from pathlib import Path

import pytest
from litemrc.golden.ranks.meter import MeterWord, PowerState
from litemrc.golden.ranks.working_pages import WorkingPages

from tests.models.model_library import SIZES, Model
from tests.models.random_operations import golden_of

SIZE = SIZES[-1]
DOMAINS = 4


def meter(model: Model, domain: int, word: MeterWord) -> int:
    return model.meter_window(domain * 16 + word)


@pytest.mark.parametrize("epsilon", [None, 0, 6553, 30000])
def test_top_pages_and_n_mrc_are_the_golden_models(library: Path, epsilon: int | None) -> None:
    model, draw = Model(library, SIZE), random.Random(epsilon)
    golden = golden_of(model)
    pages = WorkingPages(model.pages, model.groups, model.contexts, DOMAINS, engine=golden.engine)
    if epsilon is None:
        model.set_n_mrc(5)
        for context in range(model.contexts):
            pages.set_n_mrc(context, 5)
    else:
        model.set_n_mrc_auto(1, epsilon)
    model.control(1, 1, 0, 0, 0)
    for epoch in range(12):
        context = epoch % model.contexts
        model.set_context(context)
        reads, writes = [0] * DOMAINS, [0] * DOMAINS
        start = draw.randrange(model.frames)
        for _ in range(1500):
            frame, write = (start + int(draw.random() ** 3 * 200)) % model.frames, draw.random() < 0.3
            model.access_frame(frame, write)
            golden.access(frame, context)
            (writes if write else reads)[frame * DOMAINS // model.frames] += 1
            if draw.random() < 0.02:
                invalidated = draw.randrange(model.frames)
                model.invalidate(invalidated)
                golden.invalidate(invalidated)
                claimed, owner = draw.randrange(model.frames), draw.randrange(model.contexts)
                model.claim(claimed, owner)
                golden.claim(claimed, owner)
        if epoch == 7:
            model.clear()
            golden.clear()
        model.end_epoch()
        finished = golden.end_epoch()
        if epsilon is not None:
            pages.end_epoch(finished.hits, finished.accesses, epsilon)
        assert [meter(model, domain, MeterWord.TOP_PAGES) for domain in range(DOMAINS)] == pages.top_pages()
        assert model.working() == sum(1 << domain for domain, on in enumerate(pages.working()) if on)
        assert [model.meter_window(DOMAINS * 16 + c) for c in range(model.contexts)] == pages.n_mrc
        assert [meter(model, domain, MeterWord.READS) for domain in range(DOMAINS)] == reads
        assert [meter(model, domain, MeterWord.WRITES) for domain in range(DOMAINS)] == writes
        model.release()


def test_a_domain_sleeps_by_command_until_an_access_wakes_it(library: Path) -> None:
    model = Model(library, SIZE)
    assert 1 << model.ranks.fields("capabilities")["domains_log2"] == DOMAINS
    model.control(1, 1, 0, 0, 0)
    model.set_time(100)
    model.command(2, PowerState.SELF_REFRESH)
    assert [model.state(domain) for domain in range(DOMAINS)] == [0, 0, PowerState.SELF_REFRESH, 0]
    model.set_time(1100)
    model.access_frame(0, 0)  # another domain
    assert model.state(2) == PowerState.SELF_REFRESH
    model.access_frame(2 * model.frames // DOMAINS, 1)
    assert model.state(2) == 0
    model.set_time(1600)
    model.end_epoch()
    found = {word: meter(model, 2, word) for word in MeterWord if meter(model, 2, word)}
    assert found == {
        MeterWord.WRITES: 1,
        MeterWord.PRECHARGE_STANDBY: 100 + 500,
        MeterWord.SELF_REFRESH: 1000,
        MeterWord.ENTERED_SELF_REFRESH: 1,
        MeterWord.WAKE_UPS: 1,
        MeterWord.IDLE: 500 - 1,  # the access takes its own cycle
        MeterWord.TOP_PAGES: 1,
    }
    assert model.snapshot_clocks() == 1600
    # The next snapshot begins anew.
    model.release()
    model.set_time(1700)
    model.end_epoch()
    assert (model.snapshot_clocks(), meter(model, 2, MeterWord.WAKE_UPS)) == (100, 0)
    assert meter(model, 2, MeterWord.IDLE) == 600 - 1
