# SPDX-License-Identifier: BSD-2-Clause
"""Stand-ins with other parameters, and other readings of the network latency, for `reference_counters.py`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from litemrc_studies.reference_counters.machine.costs import NumaCosts, read_costs
from litemrc_studies.reference_counters.machine.numa import (
    NumaMachine,
    NumaReferences,
    NumaRun,
    NumaSimulation,
    best,
)
from litemrc_studies.reference_counters.results.programs import (
    DELAYS,
    FLAT,
    PAGES,
    PAIR,
    PROCESSORS,
    SMALL,
    SURFACE,
    generated,
    levels,
    megabytes,
    pair_name,
    worst,
)

from scripts.docs.page_tables import markdown, percent

# Parameters whose defaults generators/parallel.py gives a reason for.
SPEECH: tuple[dict[str, float], ...] = (
    {"boards": 1536},
    {"boards": 6144},
    {"focus": 2048},
    {"phase": 16000},
    {"writes": 0.08},
    {"seed": 2},
)
WEATHER: tuple[dict[str, float], ...] = ({"apart": 32}, {"apart": 128}, {"table": 8192}, {"layers": 11})


@dataclass(frozen=True)
class CopyWaits(NumaCosts):
    """Costs in which a copy of a page waits for the network once."""

    def replication(self, page_bytes: int) -> int:
        return super().replication(page_bytes) + self.network_latency


def readings() -> dict[str, NumaCosts]:
    """Return the costs of table 1(b), by what the latency is charged to."""
    costs = read_costs()
    latency = costs.network_latency
    fields = vars(costs)
    return {
        "remote reads, within their 100 cycles": costs,
        "also a copy, once": CopyWaits(**fields),
        "also each remote write": replace(costs, remote_write=costs.remote_write + latency),
        "also each remote write and update": replace(
            costs, remote_write=costs.remote_write + latency, update=costs.update + latency
        ),
        "remote reads, beyond their 100 cycles": replace(costs, remote_read=costs.remote_read + latency),
    }


def latency_table(programs: Mapping[str, NumaReferences]) -> tuple[str, float]:
    """Return a table of the readings, and the largest change of a minimum by a copy that waits.

    Parameters
    ----------
    programs
        references by name.
    """
    rows, minima = [], {}
    for label, costs in readings().items():
        for name, references in programs.items():
            simulation = NumaSimulation(references, NumaMachine(PROCESSORS, SMALL, costs=costs))
            least = best(simulation.sweep(DELAYS))
            minima[label, name] = least.namc
            level = levels(simulation)
            (pair,) = simulation.sweep(PAIR[:1], PAIR[1:])
            rows.append(
                [
                    label,
                    name,
                    f"{level['first-touch'].namc:.1f}",
                    f"{level['always-remote'].namc:.1f}",
                    _minimum(least),
                    f"{pair.namc:.2f}",
                ]
            )
        print(f"latency: {label}", flush=True)
    alone, copies = list(readings())[:2]
    change = max(minima[copies, name] / minima[alone, name] for name in programs)
    heads = ["latency charged to", "1 KiB", "first touch", "always remote", "best DELAY", "(64, 32)"]
    return markdown(heads, rows), change


def varied_tables(programs: Mapping[str, NumaReferences], part: float = 1.0) -> dict[str, str]:
    """Return the tables of SPEECH and WEATHER with other parameters, by name.

    Parameters
    ----------
    programs
        their references with the defaults.
    part
        of their length.
    """
    speech = ["speech", "first touch", "best DELAY, 1 KiB", "2 KiB", "16 KiB", "(64, 32)", "best pair"]
    weather = ["weather", "words touched, MB", "first touch", "best DELAY, 1 KiB", "16 KiB"]
    weather += ["200 to 2,048, 1 KiB", "16 KiB"]
    return {
        "varied-speech": markdown(speech, _rows("speech", programs, SPEECH, part, _speech)),
        "varied-weather": markdown(weather, _rows("weather", programs, WEATHER, part, _weather)),
    }


def half_fft(part: float = 1.0) -> dict[str, str]:
    """Return the best DELAY of half the FFT with the largest pages, and its flatness, by value name."""
    simulation = NumaSimulation(generated("fft", part / 2), NumaMachine(PROCESSORS, PAGES[-1]))
    least = best(simulation.sweep(DELAYS))
    flat = worst(simulation.sweep(FLAT), least.namc)
    return {"fft-half-best": f"{least.delay}", "fft-half-flat": f"{100 * (flat - 1):.0f} %"}


def _rows(
    name: str,
    programs: Mapping[str, NumaReferences],
    variations: tuple[dict[str, float], ...],
    part: float,
    of: Callable[[NumaReferences], list[str]],
) -> list[list[str]]:
    rows = [["as above", *of(programs[name])]]
    for values in variations:
        label = ", ".join(f"`{parameter}` {value:,}" for parameter, value in values.items())
        rows.append([label, *of(generated(name, part, **values))])
        print(f"{name}: {label}", flush=True)
    return rows


def _speech(references: NumaReferences) -> list[str]:
    sizes = (*PAGES[:2], PAGES[-1])
    simulations = {size: NumaSimulation(references, NumaMachine(PROCESSORS, size)) for size in sizes}
    least = {size: best(simulation.sweep(DELAYS)) for size, simulation in simulations.items()}
    small = simulations[SMALL]
    pair = best(small.sweep(SURFACE, SURFACE))
    return [
        f"{levels(small)['first-touch'].namc:.1f}",
        *(_minimum(run) for run in least.values()),
        f"{small.sweep(PAIR[:1], PAIR[1:])[0].namc:.2f}",
        f"{pair.namc:.2f} at {pair_name(pair)}",
    ]


def _weather(references: NumaReferences) -> list[str]:
    simulations = [
        NumaSimulation(references, NumaMachine(PROCESSORS, size)) for size in (PAGES[0], PAGES[-1])
    ]
    least = [best(simulation.sweep(DELAYS)) for simulation in simulations]
    flat = [
        percent(worst(simulation.sweep(FLAT), run.namc))
        for simulation, run in zip(simulations, least, strict=True)
    ]
    return [
        f"{megabytes(references):.2f}",
        f"{levels(simulations[0])['first-touch'].namc:.1f}",
        *map(_minimum, least),
        *flat,
    ]


def _minimum(run: NumaRun) -> str:
    return f"{run.namc:.2f} at {run.delay}"
