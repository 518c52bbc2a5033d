"""Ranks, their timing and limits, by arithmetic; and results of runs, by hand."""

from dataclasses import replace

import numpy as np
import pytest
from litemrc.energy.model import Operation
from litemrc.energy.parts.files import find_part
from litemrc.errors import UserError
from litemrc_studies.jantz2013.machine.hardware import NEVER, Controller, Hardware, RankTiming
from litemrc_studies.jantz2013.machine.placing import Placer
from litemrc_studies.jantz2013.machine.result import TrayRun

PART = find_part("MT41J256M8-187E:D")  # 533.333 MHz; tXPDLL 24 ns, tXSDLL 512 clocks


def test_a_machine_is_a_socket_of_eight_ranks_by_default():
    """Of 2 GiB, 8 chips and 100 ms a sample, as in jantz2013/trays.md and jantz2013/page.md."""
    hardware = Hardware(PART)
    assert (hardware.chips, hardware.trays, hardware.nodes, hardware.mapping) == (8, 8, 1, "sequential")
    assert hardware.pages * 4096 == 8 * 2 << 30
    assert hardware.timing == RankTiming(NEVER, 53_333, 13, 512, 53_333_300)
    assert hardware.clock_hz == pytest.approx(533.333e6)
    assert hardware.operation == Operation(hardware.clock_hz, hardware.clock_hz, chips=8)
    assert (Placer().period_s, Placer().copy_bytes_s) == (1.0, 4e9)


@pytest.mark.parametrize(
    ("power_down", "mhz", "down_exit"),
    [("off", 533.333, 13), ("slow", 533.333, 13), ("fast", 533.333, 4), ("fast", 300, 3), ("fast", 800, 6)],
)
def test_thresholds_and_exits_are_clocks_of_the_memory(power_down, mhz, down_exit):
    """Slow: 24 ns are 12.8 clocks. Fast: JESD79-3's longest tXP, of 7.5 ns and 3 clocks the longer."""
    part = replace(PART, clock_mhz=mhz)
    hardware = Hardware(part, controller=Controller(power_down, 50.0, 2_000.0), sample_ns=0.01)
    timing = hardware.timing
    assert timing.power_down_exit == down_exit
    assert timing.power_down_after == (NEVER if power_down == "off" else round(50e-3 * mhz))
    assert timing.self_refresh_after == round(2 * mhz)
    assert timing.sample == 1  # at least
    assert hardware.operation.fast_exit == (power_down == "fast")
    assert hardware.seconds(round(mhz)) == pytest.approx(1e-6, rel=1e-3)


def test_a_part_whose_exits_are_not_known_is_refused():
    for name in ("power_down", "self_refresh"):
        part = replace(PART, **{f"{name}_exit_ns": None})
        with pytest.raises(UserError, match=f"the exit latency of {name} is unknown"):
            _ = Hardware(part).timing


@pytest.mark.parametrize(("trays", "nodes"), [(1, 1), (64, 1), (6, 3), (6, 2)])
def test_nodes_have_equal_shares_of_the_ranks_in_order(trays, nodes):
    hardware = Hardware(PART, trays=trays, nodes=nodes, tray_pages=1024)
    of_node = trays // nodes
    assert [hardware.node(tray) for tray in range(trays)] == [tray // of_node for tray in range(trays)]


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"trays": 0}, "0 trays on 1 nodes"),
        ({"trays": 65}, "65 trays on 1 nodes"),
        ({"trays": 8, "nodes": 3}, "8 trays on 3 nodes"),
        ({"tray_pages": 0}, "trays of 0 pages"),
        ({"tray_pages": 1023}, "trays of 1023 pages"),
        ({"tray_pages": 1025}, "trays of 1025 pages"),
    ],
)
def test_machines_that_cannot_be_are_refused(wrong, what):
    with pytest.raises(UserError, match=what):
        Hardware(PART, **wrong)


def run(phases, seconds, rank_mw, self_refresh) -> TrayRun:
    """Only what means are made of."""
    none = dict.fromkeys(("zero_fills", "reloads", "recycled", "migrated", "outside"), 0)
    free = np.zeros(len(phases), np.int64)
    return TrayRun(
        *("x", sum(seconds), np.array(seconds), np.array(rank_mw), np.array(self_refresh), phases),
        *(free, (), {}),
        **none,
        waking_s=0.0,
    )


def test_means_are_over_the_samples_of_a_phase_and_loading_is_none():
    """Samples of 1, 1, 1, 2 and 1 s; two ranks."""
    result = run(
        ("", "load", "a", "b", "a"),
        [1.0, 1, 1, 2, 1],
        [[1, 1], [9, 9], [1, 2], [3, 4], [5, 6]],
        [[0, 0], [0, 0], [0.5, 1], [1, 1], [0, 0.5]],
    )
    assert result.samples_mw.tolist() == [2, 18, 3, 7, 11]
    assert result.phase_names == ("load", "a", "b")
    assert (result.mean_mw("a"), result.mean_mw("b")) == (7, 7)
    assert result.mean_mw() == (3 + 2 * 7 + 11) / 4
    assert result.awake("a") == (0.5 + 1.5) / 2
    assert result.awake() == (0.5 + 2 * 0 + 1.5) / 4
    assert [result.phase_seconds(phase) for phase in (None, "load", "b", "c")] == [4, 1, 2, 0]
    assert np.isnan([result.mean_mw("c"), result.awake("c")]).all()
