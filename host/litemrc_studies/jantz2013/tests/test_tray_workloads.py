# SPDX-License-Identifier: BSD-2-Clause
"""Workloads of the tray machine: streams of events, against plain loops and shares worked out by hand."""

from collections import Counter

import numpy as np
import pytest
from litemrc_studies.jantz2013.machine import events
from litemrc_studies.jantz2013.machine.hardware import LINES
from litemrc_studies.jantz2013.machine.workloads import collector, programs, staged
from litemrc_studies.jantz2013.machine.workloads.collector import Collector
from litemrc_studies.jantz2013.machine.workloads.compilation import Compilation
from litemrc_studies.jantz2013.machine.workloads.programs import Program, Programs, Range
from litemrc_studies.jantz2013.machine.workloads.staged import Staged
from litemrc_studies.jantz2013.policies.intents import parse_intents

INTENTS = parse_intents("INTENT MEM-INTENSITY\nMEM-INTENSITY YOUNG 0\n")


def stream(work):
    return list(work.program(np.random.default_rng(1)))


def visits_of(stream):
    return [event for event in stream if isinstance(event, events.Visits)]


def pages_of(visits):
    return np.concatenate([visit.pages for visit in visits]).tolist()


def zipf(pages: int, alpha: float) -> list[float]:
    weights = [(1 + page) ** -alpha for page in range(pages)]
    return [weight / sum(weights) for weight in weights]


def by_frequency(pages) -> list[float]:
    """Shares of pages, of the most frequent one first."""
    return [count / len(pages) for _, count in Counter(pages).most_common()]


def test_threads_walk_through_their_parts_of_all_stages(monkeypatch):
    """2 threads, 4 of 9 pages of a stage each. 21 pages of 64 lines, read and written: 172,032 bytes."""
    monkeypatch.setattr(staged, "CHUNK", 6)
    work = Staged(stage_pages=9, stages=3, stage_s=0.5, bytes_s=21 * 2 * 4096 / 0.5, threads=2)
    assert work.resident_pages == 27
    found, stage = {}, None
    for event in stream(work):
        if isinstance(event, events.Phase):
            stage = event.name
        else:
            assert (event.process, event.reads, event.writes) == (0, LINES, LINES)
            assert event.line_ns == pytest.approx(0.5e9 / (21 * 2 * 64))
            found.setdefault(stage, []).append(event)
    expected = {}
    for stages in (1, 2, 3):
        own = [
            [9 * stage + 4 * thread + page for stage in range(stages) for page in range(4)]
            for thread in (0, 1)
        ]
        walks = []
        for thread in (0, 1):
            begin = thread * 4 * stages // 2
            walked = [own[thread][(begin + turn) % (4 * stages)] for turn in range(11)]
            walks.append([*own[thread][-4:], *walked[4:]])
        expected[f"stage {stages}"] = [walks[number % 2][number // 2] for number in range(21)]
    assert {name: pages_of(visits) for name, visits in found.items()} == expected
    assert len(visits_of(stream(Staged(64, 2, 1e-9, 1e3)))) == 2  # a visit at least, by any of 16 threads


def test_a_compiler_reads_grows_writes_and_ends():
    """Of 20 header pages, 2 units with 3 pages of source and 5 of object each, heaps of 300 to 1,200."""
    work = Compilation(2, 1, 20, 3, 5, 600, 3, trays=(0, 2))
    assert work.resident_pages == 20 + 2 * 8
    told = stream(work)
    assert told[:2] == [events.Nice(0, (0, 2)), events.Phase("compile")]
    assert all(
        (each.line_ns, each.gap_ns, each.file) == (5, 20_000, not each.process) for each in visits_of(told)
    )
    rest = iter(told[2:])

    def expect(pages, process, reads, writes):
        each = next(rest)
        assert (each.process, each.reads, each.writes) == (process, reads, writes)
        if pages is not None:
            assert each.pages.tolist() == list(pages)
        return each.pages

    for unit in (0, 1):
        assert next(rest) == events.Fork(0, 1 + unit)
        expect(range(20 + 3 * unit, 23 + 3 * unit), 0, 0, LINES)
        heap = max(each.pages.max() for each in visits_of(told) if each.process == 1 + unit) + 1
        assert heap in (300, 450, 600, 1200)
        for begin in range(0, heap, 512):  # by steps of 2 MiB
            end = min(heap, begin + 512)
            expect(range(begin, end), 1 + unit, 0, LINES)
            looks = 3 * (end - begin)
            assert expect(None, 0, 8, 0).size == looks // 2
            looked = expect(None, 1 + unit, 8, 8)
            assert (looked.size, looked.max() < end) == (looks - looks // 2, True)
        expect(range(26 + 5 * unit, 31 + 5 * unit), 0, 0, LINES)
        assert next(rest) == events.Exit(1 + unit)
    assert next(rest) == events.Phase("link")
    expect(range(26, 36), 0, 8, 0)
    assert next(rest, None) is None


def test_compilers_look_at_headers_by_zipf_and_at_all_of_their_heaps():
    told = stream(Compilation(600, jobs=3, header_pages=4, source_pages=1, object_pages=7, heap_pages=4))
    heaps, headers, running, most, turns = Counter(), [], set(), 0, []
    grown, looks, looked = {}, {}, {}
    for event in told:
        if isinstance(event, events.Fork):
            running.add(event.child)
        elif isinstance(event, events.Exit):
            running.remove(event.process)
            pages = len(grown[event.process])
            heaps[pages] += 1
            looked.setdefault(pages, set()).update(looks[event.process])
        elif isinstance(event, events.Visits) and event.process:
            seen = looks if event.reads else grown
            seen.setdefault(event.process, set()).update(event.pages.tolist())
            turns.append(event.process)
        elif isinstance(event, events.Visits) and event.reads and event.pages.max() < 4:
            headers += event.pages.tolist()
        most = max(most, len(running))
    assert most == 3
    assert turns[:6] == [1, 2, 3, 1, 2, 3]  # they take turns
    # Half to twice of 4 pages; the deviation of a share in 600 is at most 0.02.
    assert {pages: heaps[pages] / 600 for pages in heaps} == pytest.approx(
        {2: 0.3, 3: 0.3, 4: 0.25, 8: 0.15}, abs=0.08
    )
    assert [headers.count(page) / len(headers) for page in range(4)] == pytest.approx(zipf(4, 0.9), abs=0.03)
    linked = told.index(events.Phase("link"))
    assert pages_of(told[linked + 1 :]) == list(range(4 + 600, 4 + 600 + 7 * 600))
    assert looked == {pages: set(range(pages)) for pages in (2, 3, 4, 8)}  # the last page, too


GENERATIONS = Collector(
    young_pages=100,
    tenured_pages=50,
    collections=5,
    tenured_visits=40.0,
    alpha=1.0,
    gap_ns=7.0,
    collect_gap_ns=9.0,
    line_ns=3.0,
    intents=INTENTS,
)


def phases(told):
    """Pairs of a phase's name and its visits."""
    found = []
    for event in told:
        if isinstance(event, events.Phase):
            found.append((event.name, []))
        elif isinstance(event, events.Visits):
            found[-1][1].append(event)
    return found


def test_both_generations_are_loaded_in_step():
    """Eden 80, survivors 10 and 10; 40 of 50 tenured pages are filled."""
    told = stream(GENERATIONS)
    assert told[:4] == [
        events.Intend(0, INTENTS, 150),
        events.Paint(0, 0, 100, "YOUNG"),
        events.Paint(0, 100, 150, "TENURED"),
        events.Phase("load"),
    ]
    both = [(page / 100, page) for page in range(100)] + [(page / 40, 100 + page) for page in range(40)]
    assert told[4].pages.tolist() == [page for _, page in sorted(both)]
    assert (told[4].process, told[4].reads, told[4].writes) == (0, 0, LINES)
    assert {(each.line_ns, each.gap_ns) for each in visits_of(told)} == {(3, 7), (3, 9)}
    plain = stream(Collector(100, 50, collections=1))
    assert isinstance(plain[0], events.Phase)


@pytest.mark.parametrize(("visits", "first"), [(40.0, [0, 41, 82]), (0.5, [0, 2, 3]), (2.0, [0, 3, 6])])
def test_transactions_fill_eden_in_order_and_visit_what_is_tenured(monkeypatch, visits, first):
    """At 0.5 visits a page, page p is allocated at the first turn t with t / 1.5 >= p: 0, 2, 3, 5, 6 ..."""
    monkeypatch.setattr(collector, "_CHUNK", 7)
    work = Collector(100, 50, collections=1, tenured_visits=visits)
    (transactions,) = [told for name, told in phases(stream(work)) if name == "transactions"]
    pages, reads, writes = (
        np.concatenate([getattr(each, name) for each in transactions])
        for name in ("pages", "reads", "writes")
    )
    assert pages.size == int(80 * (1 + visits))
    allocated = np.flatnonzero(pages < 100)
    assert allocated[:3].tolist() == first
    assert pages[allocated].tolist() == list(range(80))
    assert (reads[allocated] == 0).all() and (writes[allocated] == LINES).all()
    others = np.flatnonzero(pages >= 100)
    assert (reads[others] == 2).all() and (writes[others] == 1).all()
    assert set(pages[others].tolist()) <= set(range(100, 140))


def test_tenured_pages_are_visited_by_zipf_and_those_promoted_join_them():
    """3 pages a collection behind the first 40; the last two of the 4th are at the generation's beginning."""
    told = [visits for name, visits in phases(stream(GENERATIONS)) if name == "transactions"]
    filled = [40, 43, 46, 49, 50]
    for visits, pages in zip(told, filled, strict=True):
        tenured = [page for page in pages_of(visits) if page >= 100]
        assert set(tenured) == set(range(100, 100 + pages))
        assert {each.gap_ns for each in visits} == {7}
        # 3,200 visits: the deviation of the largest share, 0.23, is 0.008.
        assert by_frequency(tenured)[:3] == pytest.approx(zipf(pages, 1.0)[:3], abs=0.03)


def test_a_collection_copies_what_lives():
    """8 pages of eden and as many survivors live; 3 of the 16 are promoted behind the tenured ones."""
    told = [visits for name, visits in phases(stream(GENERATIONS)) if name == "collection"]
    for number, (copied, again, moved) in enumerate(told):
        old, new = 80 + number % 2 * 10, 80 + (number + 1) % 2 * 10
        live = copied.pages[0::2].tolist() + moved.pages[0::2].tolist()
        eden = [page for page in live if page < 80]
        assert len(set(eden)) == len(eden) == 8
        assert sorted(set(live) - set(eden)) == list(range(old, old + 8))
        assert copied.pages[1::2].tolist() == [new + place % 10 for place in range(13)]
        assert moved.pages[1::2].tolist() == [100 + (40 + 3 * number + page) % 50 for page in range(3)]
        for visits in (copied, moved):
            assert (visits.reads[0::2] == LINES).all() and (visits.reads[1::2] == 0).all()
            assert (visits.writes[0::2] == 0).all() and (visits.writes[1::2] == LINES).all()
        assert again.pages.size == 1 and again.pages[0] in live  # a tenth of 16
        assert (again.reads, again.writes) == (4, 0)
        assert {each.gap_ns for each in (copied, again, moved)} == {9}


def test_programs_color_load_and_work_in_turns(monkeypatch):
    monkeypatch.setattr(programs, "_CHUNK", 4)
    first = Program("a", (Range("x", 8),), 2.0, 3.0, INTENTS, ((0, 3, "YOUNG"), (5, 8, "YOUNG")), (1, 3))
    work = Programs((first, Program("b", (Range("y", 3), Range("z", 9, load=False, weight=0.0)))), 10)
    told = stream(work)
    assert work.resident_pages == 8 + 12
    assert told[:5] == [
        events.Nice(0, (1, 3)),
        events.Intend(0, INTENTS, 8),
        events.Paint(0, 0, 3, "YOUNG"),
        events.Paint(0, 5, 8, "YOUNG"),
        events.Phase("load"),
    ]
    (_, load), (name, worked) = phases(told)
    assert [(each.process, each.pages.size) for each in load] == [(0, 4), (1, 3), (0, 4)]
    assert all((each.reads, each.writes) == (0, LINES) for each in load)
    assert (name, [each.process for each in worked]) == ("work", [0, 1, 0, 1, 0, 1])
    assert [each.pages.size for each in worked] == [4, 4, 4, 4, 2, 2]
    assert {(each.process, each.gap_ns, each.line_ns) for each in load + worked} == {(0, 2, 3), (1, 500, 5)}
    assert max(pages_of(each for each in worked if each.process == 1)) < 3
    assert not visits_of(stream(Programs((Program("c", (Range("x", 8, load=False),)),), 0)))


def test_ranges_are_loaded_in_proportion():
    """Page p of n is at (p + 1/2) / n of the loading."""
    ranges = Range("a", 3), Range("no", 10, load=False), Range("b", 7, file=True), Range("c", 1)
    (load,) = visits_of(stream(Programs((Program("p", ranges),), 0)))
    begins = ((0, 3), (13, 7), (20, 1))
    places = [
        ((2 * page + 1) / (2 * pages), begin + page) for begin, pages in begins for page in range(pages)
    ]
    assert load.pages.tolist() == [page for _, page in sorted(places, key=lambda place: place[0])]
    assert load.file.tolist() == [13 <= page < 20 for page in load.pages.tolist()]


def test_ranges_are_worked_on_by_weight_and_pattern(monkeypatch):
    monkeypatch.setattr(programs, "_CHUNK", 7)
    ranges = (
        Range("even", 3, weight=3, reads=2, writes=5),
        Range("stream", 5, "stream", weight=2, file=True),
        Range("hot", 4, "zipf", alpha=1.5, weight=5, reads=0, writes=1),
    )
    visits = visits_of(stream(Programs((Program("p", ranges),), 20_000)))[2:]
    pages, reads, writes, file = (
        np.concatenate([getattr(each, name) for each in visits])
        for name in ("pages", "reads", "writes", "file")
    )
    even, streamed, hot = pages < 3, (pages >= 3) & (pages < 8), (pages >= 8) & (pages < 12)
    assert [which.sum() / 20_000 for which in (even, streamed, hot)] == pytest.approx(
        [0.3, 0.2, 0.5], abs=0.02
    )
    for which, lines in ((even, (2, 5)), (streamed, (1, 0)), (hot, (0, 1))):
        assert set(zip(reads[which].tolist(), writes[which].tolist(), strict=True)) == {lines}
    assert (file == streamed).all()
    assert pages[streamed].tolist() == [3 + place % 5 for place in range(streamed.sum())]
    assert by_frequency(pages[even].tolist()) == pytest.approx([1 / 3] * 3, abs=0.02)
    assert by_frequency(pages[hot].tolist()) == pytest.approx(zipf(4, 1.5), abs=0.02)
