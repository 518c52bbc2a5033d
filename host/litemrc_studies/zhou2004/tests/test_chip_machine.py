# SPDX-License-Identifier: BSD-2-Clause
"""The chip machine's limits, defaults and sweep, by docs and arithmetic."""

import numpy as np
import pytest
from litemrc.errors import UserError
from litemrc.traces import Chunk, Trace
from litemrc_studies import _core as core
from litemrc_studies.shared.chip_power import find_power
from litemrc_studies.zhou2004.machine.chip_references import ChipReferences, place_pages, read_references
from litemrc_studies.zhou2004.machine.chips import ChipMachine, ChipSimulation, compare
from litemrc_studies.zhou2004.policies import SCHEMES, Predictive

RDRAM = find_power("rdram")  # standby 6, nap 60, powerdown 600 ns; access 60 ns


class Given(Trace):
    """Chunks at hand."""

    def __init__(self, *chunks, format=""):
        super().__init__("given")
        self._chunks, self.format = chunks, format

    def __iter__(self):
        return iter(self._chunks)


def chunk(pages, **columns):
    types = {"times": "u8", "writes": "?", "contexts": "u4"}
    return Chunk(
        np.array(pages, "u8"), **{name: np.array(each, types[name]) for name, each in columns.items()}
    )


def references(pages, times) -> ChipReferences:
    trace = Given(chunk(pages, times=times))
    return read_references(trace, trace, 0)


def test_what_is_not_given_is_as_documented():
    """zhou2004/chip_energy.md and zhou2004/page.md. A cycle of 600 MHz is 1,666,666.7 fs."""
    machine = ChipMachine(RDRAM)
    assert machine == ChipMachine(RDRAM, 64, 600e6, 10_000, 0.01, 20.0, "sequential", 1)
    assert machine.cycle_fs == 1_666_667
    assert place_pages(9, 3, "random")[0].tolist() == place_pages(9, 3, "random", 1)[0].tolist()
    assert place_pages(9, 3)[0].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("name", "low", "high", "step"),
    [
        ("chip_pages", 1, 2**32, 1),
        ("clock_hz", 1e3, 1e12, 1),
        ("epoch_cycles", 1, 2**40, 1),
        ("epsilon", 0, 1, 1e-6),
        ("monitor_mw", 0, 1e9, 1),
    ],
)
def test_machines_have_limits(name, low, high, step):
    for good in (low, high):
        ChipMachine(RDRAM, **{name: good})
    for bad in (low - step, high + step):
        with pytest.raises(UserError, match=f"{name} cannot be"):
            ChipMachine(RDRAM, **{name: bad})


def test_a_run_may_last_77_minutes():
    """2^62 fs are 4,611,686,018,427 ns, of which the two accesses may take 660 each."""
    machine = ChipMachine(RDRAM, clock_hz=1e9)
    longest = 2**62 // 10**6
    ChipSimulation(references([1, 2], [0, longest - 1_400]), machine)
    with pytest.raises(UserError, match="lasts 4,612 s of computing at 1000 MHz"):
        ChipSimulation(references([1, 2], [0, longest - 1_300]), machine)


def test_the_sweep_tries_all_pairs_of_the_documented_thresholds(monkeypatch):
    """zhou2004/page.md: nap after 0 to 600 ns, powerdown after 0.6 to 300 us."""
    simulation, tried = ChipSimulation(references([1, 2, 1], [0, 900, 9_000]), ChipMachine(RDRAM)), []
    original = simulation._thresholds
    monkeypatch.setattr(
        simulation, "_thresholds", lambda scheme, **more: tried.append(scheme) or original(scheme, **more)
    )
    simulation.run(SCHEMES["dynamic-tuned"])
    assert {scheme.after_ns for scheme in tried} == {
        (0, nap, round(1000 * down))
        for nap in (0, 30, 60, 120, 180, 300, 600)
        for down in (0.6, 1.2, 2.4, 4.8, 7.2, 9.6, 15, 30, 60, 120, 300)
    }
    assert not any(scheme.monitored for scheme in tried[:-1])
    before = len(tried)
    simulation.run(SCHEMES["mrc-dynamic-tuned"])
    assert len(tried) == before + 1  # the sweep is made once


def test_only_swept_results_say_so():
    simulation = ChipSimulation(references([1, 2, 1], [0, 900, 9_000]), ChipMachine(RDRAM))
    assert {name for name in SCHEMES if simulation.run(SCHEMES[name]).swept} == {
        "dynamic-tuned",
        "mrc-dynamic-tuned",
    }


def test_parameters_of_the_core_are_those_of_machine_and_scheme(monkeypatch):
    """Delay is priced at two thirds of three chips' nap: 2/3 x 3 x 30 mW; ns are 10^6 fs. Epochs: 7 us."""
    told = []
    for name in ("run_predictive", "run_chips"):
        run = getattr(core, name)
        monkeypatch.setattr(core, name, lambda *given, run=run: told.append(given[2:]) or run(*given))
    parameters = core.PredictiveParameters
    monkeypatch.setattr(core, "PredictiveParameters", lambda *given: told.append(given) or parameters(*given))
    mrc = core.MrcParameters
    monkeypatch.setattr(core, "MrcParameters", lambda *given: told.append(given) or mrc(*given))
    machine = ChipMachine(RDRAM, chip_pages=2, clock_hz=1e9, epoch_cycles=7_000, epsilon=0.0123)
    simulation = ChipSimulation(references([1, 2, 3, 4, 5], [0, 1, 2, 3, 4]), machine)
    simulation.run(Predictive(tolerance_ns=10, hold_ns=15))
    assert told[0] == (60_000, 10 * 10**6, 15 * 10**6)
    told.clear()
    simulation.run(SCHEMES["mrc-dynamic-nap"])
    assert (7_000 * 10**6, 2, 12_300) in told
    assert told[-1][0] == [0, 0, 100 * 10**6, core.NEVER_FS]


def test_a_program_without_an_epoch_has_no_mean_working_set():
    simulation = ChipSimulation(references([1, 2], [0, 1]), ChipMachine(RDRAM))
    assert simulation.run(SCHEMES["mrc-static"]).mean_working_pages is None
    result = simulation.run(SCHEMES["static-nap"])
    assert (result.mean_working_pages, result.monitor_mj) == (None, 0)


def test_a_comparison_is_by_name_and_runs_each_scheme_once(monkeypatch):
    ran = []
    original = ChipSimulation.run
    monkeypatch.setattr(
        ChipSimulation, "run", lambda self, each: ran.append(each.name) or original(self, each)
    )
    schemes = [SCHEMES[name] for name in ("dynamic-nap", "static-nap", "mrc-static")]
    run = compare(references([1, 2, 1], [0, 900, 9_000]), ChipMachine(RDRAM), schemes)
    assert ran == ["dynamic-nap", "static-nap", "mrc-static", "always-on"]
    assert [result.scheme.name for result in run.results] == ran[:3]
    assert run.relative("static-nap") == run.results[1].energy_delay / run.bases["static-nap"].energy_delay
    assert run.chips == 1


def test_chunks_are_one_program_whose_pages_are_numbered_by_first_touch():
    trace = Given(
        chunk([7, 9], times=[5, 6], writes=[True, False], contexts=[1, 1]),
        chunk([], times=[], writes=[], contexts=[]),
        chunk([9, 3], times=[10, 40], writes=[False, True], contexts=[1, 1]),
    )
    found = read_references(trace, trace, 100)
    assert (len(found), found.footprint_pages, found.stated_gap, trace.notes) == (4, 3, None, [])
    assert (found.pages.tolist(), found.gaps.tolist()) == ([0, 1, 1, 2], [0, 1, 4, 30])
    assert (found.writes.tolist(), found.writes.dtype) == ([1, 0, 0, 1], np.uint8)
    plain = Given(chunk([7]), chunk([7, 8], contexts=[1, 2]))
    found = read_references(plain, plain, 100)
    assert (found.gaps.tolist(), found.writes.tolist(), found.stated_gap) == ([100] * 3, [0] * 3, 100)
    assert len(plain.notes) == 1


def test_what_has_no_references_or_no_times_of_them_is_refused():
    for trace, what in (
        (Given(chunk([])), "the trace has no reference"),
        (Given(format="intervals"), "IN/OUT"),
    ):
        with pytest.raises(UserError, match=what):
            read_references(trace, trace, 1)
