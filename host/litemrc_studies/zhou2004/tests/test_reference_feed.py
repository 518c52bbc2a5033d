# SPDX-License-Identifier: BSD-2-Clause
"""References fed to a machine, and the hit counts of their epochs."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litemrc.errors import UserError
from litemrc.traces import Chunk, Trace, open_trace
from litemrc_studies.zhou2004.golden.aged_curve import epoch_counts as golden_counts
from litemrc_studies.zhou2004.machine import epoch_counts, reference_feed
from litemrc_studies.zhou2004.machine.epoch_counts import make_counts
from litemrc_studies.zhou2004.machine.reference_feed import ReferenceFeed, pauses, trace_url
from litemrc_studies.zhou2004.machine.scenario import Costs, Mrc, Part, ProcessSpec, Scenario

WORD = (1 << 64) - 1
PAGES = st.lists(st.integers(0, 25), max_size=120)


def scenario(*specs: ProcessSpec, seed: int = 7) -> Scenario:
    return Scenario("x", 100, 1e-9, Costs(1, 1, 1), specs, seed=seed)


def spec(*parts: Part, **changes) -> ProcessSpec:
    return ProcessSpec("p", "server", parts, 1, **changes)


def splitmix(seed: int, index: int) -> int:
    """Steele, Lea, Flood 2014, with the seed spread as in `litemrc.traces.generators.draws`."""
    word = ((index + 1) * 0x9E3779B97F4A7C15 + seed * 0xD1342543DE82EF95) & WORD
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
    return word ^ word >> 31


def test_random_pauses_are_exponential_and_differ_between_processes():
    """Process 2 of seed 7 draws by seed 7,021; its trace, by 7,020. 53 bits make a number below 1."""
    found = pauses(scenario(*[spec(pause=10**9, random=True)] * 3), 2)
    uniform = [(splitmix(7021, index) >> 11) / 2**53 for index in range(200)]
    assert found[:200].tolist() == [round(-math.log1p(-each) * 1e9) for each in uniform]
    assert found.size == 65_536
    assert found.mean() == pytest.approx(1e9, rel=0.02)
    assert (found > 1e9).mean() == pytest.approx(math.exp(-1), abs=0.01)
    assert pauses(scenario(spec(pause=9)), 0).tolist() == [9]


@pytest.mark.parametrize(
    ("trace", "url"),
    [
        ("t.txt", "t.txt"),
        ("gen:loop", "gen:loop?n=1125899906842624&seed=7010"),
        ("gen:loop?pages=3", "gen:loop?pages=3&n=1125899906842624&seed=7010"),
        ("gen:loop?n=3", "gen:loop?n=3&seed=7010"),
        ("gen:loop?seed=3&pages=2", "gen:loop?seed=3&pages=2&n=1125899906842624"),
    ],
)
def test_generated_traces_are_endless_and_have_a_seed_of_the_process(trace, url):
    """2^50 references."""
    assert trace_url(scenario(seed=7), 1, Part(trace)) == url


class Given(Trace):
    """Chunks at hand, an empty one among them; trace u has other pages."""

    def __init__(self, url, *_):
        super().__init__(url)

    def __iter__(self):
        for pages in ([1, 2], [], [3]):
            writes = np.array([page == 2 for page in pages], bool) if self.name == "written" else None
            yield Chunk(np.array(pages, np.uint64) + np.uint64(10 * (self.name == "u")), writes=writes)


@pytest.mark.parametrize(
    ("process", "pages"),
    [
        (spec(Part("t"), requests=1), [1, 2, 3]),
        (spec(Part("t", 5), requests=1), [1, 2, 3, 1, 2]),
        (spec(Part("t", 3), Part("t", 1), requests=1), [1, 2, 3, 1]),
        (spec(Part("t"), requests=2, request_touches=4), [1, 2, 3, 1, 2, 3, 1, 2]),
        (spec(Part("u", 1), Part("t"), requests=2, request_touches=2), [11, 1, 2, 3, 1]),
        (spec(Part("t", 5), requests=0), [1, 2, 3, 1, 2]),
    ],
)
def test_a_process_gets_the_touches_of_its_parts_or_requests(monkeypatch, process, pages):
    monkeypatch.setattr(reference_feed, "open_trace", Given)
    feed, found = ReferenceFeed(scenario(process), 0, None), []
    while (chunk := feed.next()) and chunk[0].size:
        assert (chunk[1].size, chunk[2].size, chunk[3].size, chunk[4]) == (0, 0, 0, False)
        found += chunk[0].tolist()
    assert found == pages
    assert not feed.next()[0].size


def test_an_endless_process_gets_its_trace_again_and_again(monkeypatch):
    monkeypatch.setattr(reference_feed, "open_trace", Given)
    for endless in (spec(Part("t"), requests=0), spec(Part("t"), requests=0, request_touches=2)):
        feed = ReferenceFeed(scenario(endless), 0, None)
        assert [page for _ in range(6) for page in feed.next()[0].tolist()] == [1, 2, 3] * 3


def test_writes_and_releases_are_passed_on_and_curves_forget_what_is_released(monkeypatch):
    monkeypatch.setattr(reference_feed, "open_trace", Given)
    calls = []
    counts = SimpleNamespace(
        take=lambda pages: calls.append(pages.tolist()) or np.full((1, 2), pages.size),
        release=lambda: calls.append("release"),
        ticks=np.array([7], np.uint64),
    )
    feed = ReferenceFeed(scenario(spec(Part("written", release=True), Part("t"), requests=1)), 0, counts)
    told = [feed.next() for _ in range(6)]
    assert [writes.tolist() for _, writes, *_ in told] == [[0, 1], [0], [], [], [], []]
    assert [release for *_, release in told] == [False, False, True, False, False, False]
    assert calls == [[1, 2], [3], [], "release", [1, 2], [3], []]
    assert told[0][2].tolist() == [[2, 2]]
    assert told[0][3].tolist() == [7]


def test_counts_are_what_an_engines_curve_gained_in_the_epoch(monkeypatch):
    """Epochs of 10, groups of 2 pages; miss ratios of 0.6 and 0.2 are 4 and 8 hits of 10, and so on."""
    ratios = iter([[0.6, 0.2], [0.7, 0.05], [0.9, 0.5], None, [0.4, 0.4], [0.3, 0.3]])
    made = []

    class Engine:
        def __init__(self):
            self.accesses = 0
            made.append(self)

        def access(self, pages):
            self.accesses += pages.size

        def curve(self):
            if (ratio := next(ratios)) is None:
                raise UserError("the sample is empty")
            return SimpleNamespace(sizes_pages=np.array([3, 4]), miss_ratio=np.array(ratio))

    def make_engine(*given, **sizes):
        assert (given, sizes) == (("shards",), {"frames": 1, "groups": 2, "sample_rate": 0.5, "band": False})
        return Engine()

    monkeypatch.setattr(epoch_counts, "make_engine", make_engine)
    mrc = Mrc("shards", 1, 2, 0.5, group_pages=2, epoch=10)
    counts = epoch_counts.make_counts(mrc, 3)
    # Sizes of 2, 4 and 6 pages; the curve begins at 3, so 2 pages have no hits.
    assert counts.take(np.arange(10)).tolist() == [[0, 8, 0, 2]]
    # In 20 accesses 0, 19 and 19 hits: 11 more, which are more than the epoch has accesses.
    assert counts.take(np.arange(13)).tolist() == [[0, 11, 0, 0]]
    # In 30 15 hits, fewer than before: none. The sample of the next epoch is empty: none.
    assert counts.take(np.arange(17)).tolist() == [[0, 0, 0, 10], [0, 0, 0, 10]]
    counts.release()
    assert len(made) == 2
    # In 5 accesses 3 hits, then another engine, whose 5 have 3.5.
    assert counts.take(np.arange(5)).tolist() == []
    counts.release()
    found = counts.take(np.arange(5))
    assert found.shape == (1, 4)
    assert found.tolist() == [[0, pytest.approx(6.5), 0, pytest.approx(3.5)]]
    counts.release()
    counts.release()  # between epochs nothing is asked of an engine
    assert len(made) == 5


@settings(max_examples=80, deadline=None)
@given(chunks=st.lists(PAGES, max_size=6), epoch=st.integers(1, 40), group=st.integers(1, 6))
@pytest.mark.parametrize("groups", [1, 4])
def test_exact_counts_are_those_of_the_golden_stack(chunks, epoch, group, groups):
    """However the references are cut into chunks; all pages are given back between the chunks."""
    counts = make_counts(Mrc(group_pages=group, epoch=epoch), groups)
    got, references = [], []
    for chunk in chunks:
        got += counts.take(np.array(chunk, np.uint64)).tolist()
        counts.release()
        references += [*((page, False) for page in chunk), None]
    assert got == list(golden_counts(references, epoch, group, groups))


@pytest.mark.parametrize(
    ("mrc", "close"),
    [
        (Mrc(engine="group", engine_frames=4096, engine_groups=64), 0),
        (Mrc(engine="bucket", engine_frames=4096, engine_groups=64), 0.003),
        (Mrc(engine="shards", engine_rate=0.25), 0.03),
    ],
    ids=lambda value: value.engine if isinstance(value, Mrc) else "",
)
def test_every_engine_gives_the_curve(mrc, close):
    """Groups of 64 pages, as those engines have too: group is exact; the others as near as they promise."""
    exact, other = make_counts(Mrc(epoch=1000), 60), make_counts(Mrc(**{**vars(mrc), "epoch": 1000}), 60)
    sums = [np.zeros(61), np.zeros(61)]
    with open_trace("gen:zipf?pages=4000&alpha=0.6&n=200000") as trace:
        for chunk in trace:
            rows = [exact.take(chunk.pages), other.take(chunk.pages)]
            assert rows[0].shape == rows[1].shape
            assert (rows[1].sum(axis=1) > 1000 - 1e-6).all()
            for total, of_engine in zip(sums, rows, strict=True):
                total += of_engine.sum(axis=0)
    difference = np.cumsum(sums[1] - sums[0])[:-1] / 200_000
    assert np.abs(difference).max() <= max(close, 1e-9)


def test_given_back_pages_are_misses_to_every_engine():
    for engine in (Mrc(epoch=4), Mrc(engine="group", engine_frames=256, engine_groups=16, epoch=4)):
        counts = make_counts(Mrc(**{**vars(engine), "group_pages": 16}), 4)
        pages = np.array([1, 2, 1, 2], np.uint64)
        assert counts.take(pages).tolist() == [[2, 0, 0, 0, 2]]
        assert counts.take(pages).tolist() == [[4, 0, 0, 0, 0]]
        counts.release()
        assert counts.take(pages).tolist() == [[2, 0, 0, 0, 2]]


def test_sizes_that_an_engine_was_not_compiled_for_are_refused():
    with pytest.raises(UserError, match="was not compiled for 1000 frames"):
        make_counts(Mrc(engine="group", engine_frames=1000, engine_groups=64), 8)
