# SPDX-License-Identifier: BSD-2-Clause
"""Programs on the tray machine: time, power and phases by arithmetic."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.energy.model import Operation, energy
from litemrc.ranks.activity import RankActivity
from litemrc_studies.jantz2013.machine import events
from litemrc_studies.jantz2013.machine.hardware import LINES, Controller
from litemrc_studies.jantz2013.machine.machine import Configuration, Costs, TrayMachine
from litemrc_studies.jantz2013.machine.placing import Placer
from litemrc_studies.jantz2013.machine.workloads.collector import Collector
from litemrc_studies.jantz2013.machine.workloads.compilation import Compilation
from litemrc_studies.jantz2013.machine.workloads.programs import Program, Programs, Range
from litemrc_studies.jantz2013.machine.workloads.staged import Staged
from litemrc_studies.jantz2013.policies.placement import PlacementParameters
from litemrc_studies.jantz2013.tests.tray_machines import TRAY_PAGES, small

FREE = Costs(zero_fill_ns=0.0, reload_ns=0.0)


def run(program, costs=FREE, scrambler=None, **configuration):
    given = {"name": "x", "hardware": small()} | configuration
    return TrayMachine(Configuration(**given), costs, scrambler).run(program)


def test_power_is_that_of_the_energy_model_over_what_each_rank_did():
    """100 visits of 2,000 clocks in 1 rank of 4, in a sample of 533,333; three ranks sleep from 53,333 on."""
    hardware = small()
    clock_ns = 1e9 / hardware.clock_hz
    visits = events.Visits(0, np.arange(100), 40, 24, line_ns=2000 / 64 * clock_ns)
    result = run([events.Phase("x"), visits, events.Pause((533_333 - 200_000) * clock_ns)])
    assert result.samples_mw.size == 1
    clocks, awake = 533_333, 53_333
    refi = 7812.5e-9 * hardware.clock_hz
    used = RankActivity(
        reads=4000,
        writes=2400,
        activates=100,
        active_standby=200_000,
        precharge_standby=awake,
        self_refresh=clocks - 200_000 - awake,
        entered_self_refresh=1,
        refreshes=(200_000 + awake) / refi,
    )
    idle = RankActivity(
        precharge_standby=awake,
        self_refresh=clocks - awake,
        entered_self_refresh=1,
        refreshes=awake / refi,
    )
    use = Operation(hardware.clock_hz, hardware.clock_hz, chips=8)
    seconds = clocks / hardware.clock_hz
    expected = [energy(hardware.part, each, use).total / seconds for each in (used, idle, idle, idle)]
    assert result.rank_mw[0].tolist() == pytest.approx(expected, rel=1e-9)
    assert result.mean_mw("x") == pytest.approx(sum(expected), rel=1e-9)
    assert result.awake("x") == pytest.approx((253_333 + 3 * awake) / clocks, rel=1e-9)


def test_faults_cost_time_once():
    """10 new pages at 1 µs, visited twice for 64 lines of 5 ns."""
    visits = [events.Visits(0, np.arange(10), LINES, 0, line_ns=5.0)] * 2
    result = run([events.Phase("x"), *visits], Costs(zero_fill_ns=1000.0))
    assert result.seconds == pytest.approx(20 * 320e-9 + 10 * 1e-6, rel=5e-3)
    assert (result.zero_fills, result.reloads) == (10, 0)


def test_phases_are_distinguished_and_loading_is_left_out_of_the_mean():
    visits = events.Visits(0, np.arange(10), LINES, 0, line_ns=0.1)
    program = [events.Phase(events.LOAD), events.Pause(3e6), events.Phase("a"), visits, events.Pause(5e6)]
    result = run(program)
    assert result.phase_names == (events.LOAD, "a")
    assert result.phase_seconds(events.LOAD) == pytest.approx(3e-3, rel=0.01)
    assert result.phase_seconds() == result.phase_seconds("a")
    assert result.mean_mw() == result.mean_mw("a")


def test_trays_let_ranks_sleep_that_interleaving_keeps_awake():
    work = Staged(stage_pages=512, stages=2, stage_s=0.02, bytes_s=2e9, threads=4)
    program = list(work.program(np.random.default_rng(1)))
    trays = run(program)
    interleaved = run(program, allocator="buddy", hardware=small(mapping="interleaved"))
    assert trays.awake("stage 1") == pytest.approx(1.0, abs=0.02 + 3 * 0.1 / 20)
    assert interleaved.awake() == pytest.approx(4.0)
    assert trays.mean_mw("stage 1") < interleaved.mean_mw("stage 1")
    # All lines are moved on either machine, and each page opens a row in a rank, or one in each.
    assert trays.zero_fills == interleaved.zero_fills == 1024


def test_a_controller_that_powers_down_takes_less():
    program = [
        events.Phase("x"),
        *([events.Visits(0, np.array([0, TRAY_PAGES * 2]), 1, 0, 5.0, gap_ns=5_000.0)] * 500),
    ]
    watts = [
        run(program, hardware=small(controller=Controller(power_down=kind))).mean_mw()
        for kind in ("off", "fast", "slow")
    ]
    assert watts[0] > watts[1] > watts[2]


def test_ranks_that_others_access_sleep_less_and_the_program_takes_the_same_time():
    program = [events.Phase("x"), events.Visits(0, np.zeros(2000, int), 4, 0, 5.0, gap_ns=10_000.0)]
    quiet, busy = (run(program, hardware=small(background_hz=hz)) for hz in (0, 40_000))
    assert quiet.awake() == pytest.approx(1.0, abs=0.02)
    # An access per rank in 100 us, which is the threshold: asleep for exp(-1) of the time; three such ranks.
    assert busy.awake() == pytest.approx(1 + 3 * (1 - np.exp(-1)), abs=0.15)
    assert busy.mean_mw() > quiet.mean_mw()
    assert busy.seconds == pytest.approx(quiet.seconds, rel=1e-3)


def test_memory_in_use_is_sampled_as_it_grows_and_shrinks():
    program = [
        events.Phase("x"),
        events.Visits(0, np.arange(1000), 1, 0, 5.0),
        events.Pause(1e6),
        events.Release(0, 0, 400),
        events.Pause(1e6),
        events.Exit(0),
        events.Pause(1e6),
    ]
    result = run(program)
    assert result.free_pages[[0, 1, 2]].tolist() == [4096 - 1000, 4096 - 600, 4096]


def test_a_compilation_stays_in_its_trays_and_takes_longer():
    work = Compilation(
        units=30, jobs=4, header_pages=300, source_pages=30, object_pages=40, heap_pages=100, gap_ns=1000.0
    )
    runs = {
        trays: run(replace(work, trays=tuple(range(trays))).program(np.random.default_rng(1)), Costs())
        for trays in (1, 2, 4)
    }
    assert all(each.outside == 0 for each in runs.values())
    # In use in the end: headers, sources and objects, 300 + 30 * 70.
    assert 4096 - runs[4].free_pages[-1] <= 2400
    assert 4096 - runs[1].free_pages.min() <= TRAY_PAGES
    assert runs[1].reloads > 0 == runs[4].reloads
    assert runs[1].seconds > runs[2].seconds >= runs[4].seconds


def test_collections_leave_an_isolated_tenured_generation_asleep():
    from litemrc_studies.jantz2013.policies.intents import parse_intents

    intents = parse_intents(
        "INTENT MEM-ISOLATION\nINTENT MEM-CAPACITY\nMEM-ISOLATION TENURED 1\n"
        "MEM-CAPACITY TENURED 60\nMEM-CAPACITY YOUNG 40\n"
    )
    work = Collector(700, 1100, collections=3, collect_gap_ns=20_000.0, intents=intents)
    hardware = small(sample_ns=1e5)
    mixed, isolated = (
        run(work.program(np.random.default_rng(1)), hardware=hardware, guidance=heard)
        for heard in (False, True)
    )
    assert mixed.zero_fills == isolated.zero_fills
    assert isolated.awake("collection") < mixed.awake("collection") - 0.5
    assert isolated.mean_mw("collection") < mixed.mean_mw("collection")


def test_collections_touch_the_young_generation_and_the_tenured_ones_tail_alone():
    work = Collector(1000, 2000, collections=2)
    phase, touched = "", {"transactions": [], "collection": [], events.LOAD: []}
    for event in work.program(np.random.default_rng(1)):
        if isinstance(event, events.Phase):
            phase = event.name
        else:
            touched[phase].append(event.pages)
    tenured = np.concatenate(touched["collection"])
    tenured = np.unique(tenured[tenured >= 1000]) - 1000
    # Eden 800, a tenth of it lives, as many of the survivors; a fifth of these 160 is promoted: 32, twice.
    assert tenured.tolist() == list(range(1600, 1664))
    eden = np.concatenate(touched["transactions"])
    assert set(range(800)) <= set(eden[eden < 1000].tolist())


def test_hot_pages_migrate_to_few_trays_and_ranks_sleep():
    """3,200 pages on four trays, the hot ones anywhere among them."""
    program = Programs((Program("p", (Range("data", 3200, "zipf", alpha=1.5),), gap_ns=200.0),), 60_000)
    placer = Placer(0.003, PlacementParameters(epsilon=0.01))
    stays, migrates = (
        run(
            program.program(np.random.default_rng(1)),
            placement=placement,
            hardware=small(controller=Controller(self_refresh_after_ns=1e4)),
        )
        for placement in (None, placer)
    )
    assert migrates.migrated > 0
    assert migrates.awake() < stays.awake()


def test_hot_pages_of_a_limited_process_do_not_migrate():
    ranges = (Range("data", 3200, "zipf", alpha=1.5),)
    placer = Placer(0.003, PlacementParameters(epsilon=0.01))
    for trays in ((0, 1, 2, 3), None):
        work = Programs((Program("p", ranges, gap_ns=200.0, trays=trays),), 60_000)
        hardware = small(controller=Controller(self_refresh_after_ns=1e4))
        result = run(work.program(np.random.default_rng(1)), placement=placer, hardware=hardware)
        assert (result.migrated > 0) == (trays is None)


def test_programs_load_all_ranges_in_step_and_keep_to_them():
    ranges = (
        Range("a", 100, "uniform", weight=3),
        Range("b", 300, "stream", file=True),
        Range("c", 50, load=False),
    )
    work = Programs((Program("p", ranges),), 4000)
    visits = [event for event in work.program(np.random.default_rng(1)) if isinstance(event, events.Visits)]
    load = visits[0]
    assert np.sort(load.pages).tolist() == list(range(400))
    assert (load.file == (load.pages >= 100)).all()
    # Half of each is there when half is loaded.
    assert (load.pages[:200] < 100).sum() == pytest.approx(50, abs=1)
    worked = np.concatenate([visit.pages for visit in visits[1:]])
    assert worked.size == 4000
    assert (worked < 100).mean() == pytest.approx(3 / 5, abs=0.03)
    stream = worked[(worked >= 100) & (worked < 400)]
    assert stream[:300].tolist() == list(range(100, 400))


def test_visits_are_handled_by_the_sixteenth_of_a_tray():
    """Recency is kept per piece of visits; jantz2013/trays.md gives the piece as 1/16 of a tray's pages."""
    lengths = []

    class Counted(events.Visits):
        def pieces(self, length):
            lengths.append(length)
            return super().pieces(length)

    run([events.Phase("x"), Counted(0, np.arange(100), 4, 0, line_ns=10.0)])
    assert lengths == [TRAY_PAGES // 16]
