"""The monitor around its engine: the window holds exactly the records that entered the queue."""

import random
from functools import cache

import litemrc_gateware.monitor.monitor as monitor_module
import pytest
from litemrc_gateware.records import OpKind

from tests.gateware.monitor_bench import (
    BUILDS,
    CONTEXTS,
    DEFAULT,
    ENABLE,
    EPOCHS,
    FREEZE,
    GROUPS,
    HOLD,
    MODES,
    SINGLE_SHOT,
    Bench,
    Log,
    Tap,
    conserved,
    lengths_of,
    matches_golden,
    observe,
    run,
    shots_are_single,
    traffic,
)
from tests.verilated_simulation import run_simulation


@cache
def true_run(mode, build="group_stack"):
    """The log of a run of the unmodified monitor."""
    return run(monitor_module.Monitor, build=BUILDS[build], **MODES[mode])


@pytest.mark.parametrize(
    ("mode", "build"),
    [
        *((mode, "group_stack") for mode in MODES),
        *((mode, "bucket_stack") for mode in ("by accesses, overloaded", "by cycles", "frozen now and then")),
        *(("frozen now and then", name) for name in list(BUILDS)[2:]),
    ],
)
def test_the_window_holds_what_the_golden_model_counts(mode, build):
    log = true_run(mode, build)
    assert len(log.finished) == EPOCHS
    assert matches_golden(log, BUILDS[build])
    assert mode == "by accesses, one each" or OpKind.INVALIDATE in {kind for kind, _ in log.commands}
    frozen = {event[-1] for event in log.events}
    assert (1 in frozen) == bool(MODES[mode].get("control", 0) & (FREEZE | SINGLE_SHOT))
    assert 0 in frozen


@pytest.mark.parametrize("control", [ENABLE | HOLD, ENABLE | HOLD | FREEZE])
def test_an_epoch_by_accesses_has_just_that_many_unless_it_was_held(control):
    log = run(monitor_module.Monitor, pressure=0.6, length=64, control=control)
    assert min(lengths_of(log)) == 64  # a held window prolongs an epoch; none is shorter


def test_overload_is_counted_and_conserved():
    log = true_run("by accesses, overloaded")
    assert sum(dropped for _, dropped, *_ in log.finished) > 50
    assert conserved(log)


@pytest.mark.parametrize(
    "build", ["group_stack, sampled and out of range", "bucket_stack of 8 pages, sampled and out of range"]
)
def test_accesses_left_out_or_lost_are_conserved_while_the_monitor_freezes_and_thaws(build):
    log = run(
        monitor_module.Monitor, pressure=0.9, length=40, control=ENABLE | HOLD | FREEZE, build=BUILDS[build]
    )
    outside, unsampled = (sum(epoch[column] for epoch in log.finished) for column in (2, 3))
    assert min(outside, unsampled) > 20
    assert conserved(log)


@pytest.mark.parametrize("mode", ["single shot", "single shot, overloaded"])
def test_single_shot_freezes_behind_the_end_of_an_epoch_until_it_is_armed(mode):
    assert shots_are_single(true_run(mode))


def test_a_disabled_monitor_counts_nothing():
    bench, log = Bench(monitor_module.Monitor, DEFAULT), Log(enabled=True)

    def wait():
        for _ in range(300):
            yield

    run_simulation(
        bench,
        [
            traffic(bench.sources, random.Random(1), 0.5, log),
            observe(bench.monitor.observed, log.events),
            wait(),
        ],
        bench.ports,
    )
    assert log.accesses and not log.events


@pytest.mark.parametrize("engine", monitor_module.ENGINES)
def test_no_memory_of_an_engine_is_on_the_csr_bus(engine):
    """LiteX maps every memory that is an attribute of a module, with a port of its own."""
    assert monitor_module.Monitor(Tap(), groups=GROUPS, contexts=CONTEXTS, engine=engine).get_memories() == []


def test_an_unknown_engine_is_refused_by_name():
    with pytest.raises(ValueError, match="no engine 'magic'; there are: group_stack"):
        monitor_module.Monitor(Tap(), engine="magic")
