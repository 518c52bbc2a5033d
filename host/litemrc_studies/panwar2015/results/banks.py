"""Array and list of banks in Panwar and Gopinath 2015: "If A exits first", and what each migrates."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from litemrc_studies.panwar2015.results.machines import BANKS, COMPARED, LARGE, SEEDS, WORKLOADS, Runs, run
from litemrc_studies.panwar2015.workloads.events import FREE, Events

from scripts.docs.page_tables import markdown

A_BANKS, B_BANKS = 8.5, 8.0
MACHINE = replace(LARGE, migrate_every=1, scramble=False)


@dataclass
class ExitsFirst:
    """A allocates, B allocates, A ends: one tick each, and one more."""

    title: str = "A exits first"
    tick_s: float = 1.0
    ticks: int = 4
    notes: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Events]:
        """Yield the ticks; pages are allocated one by one."""
        a, b = (int(banks * MACHINE.unit_frames) for banks in (A_BANKS, B_BANKS))
        numbers = np.arange(a + b, dtype=np.uint32)
        yield Events(np.zeros(a, np.uint8), numbers[:a])
        yield Events(np.zeros(b, np.uint8), numbers[a:])
        yield Events(np.full(a, FREE, np.uint8), numbers[:a])
        yield Events(np.empty(0, np.uint8), numbers[:0])


def exits() -> Runs:
    """Return the run of each allocator that migrates."""
    return run(ExitsFirst(), {name: (MACHINE, name) for name in COMPARED if name != "buddy"})


def exits_table(runs: Runs) -> str:
    rows = [
        (name, f"{each.copied_pages:,}", f"{(each.used_of_unit[-1] > 0).sum()}")
        for name, each in runs.items()
    ]
    return markdown(["A exits first", "migrated pages", "banks in use at the end"], rows)


def order_table(small: Mapping[tuple[str, int], Runs]) -> str:
    """Return what the order of the banks leaves to migration, on 4 GB."""
    rows = []
    for workload in WORKLOADS:
        for name in BANKS:
            never, often = (small[workload, SEEDS[0]][key] for key in (f"{name}, 0", name))
            partly = (never.used_of_unit > 0) & (never.used_of_unit < never.unit_pages)
            rows.append(
                (
                    f"{workload}, {name}",
                    f"{100 * never.offline_share.mean():.1f}",
                    f"{partly.sum(axis=1).mean():.1f}",
                    f"{100 * often.offline_share.mean():.1f}",
                    f"{often.copied_pages / 1e6:.2f} M",
                )
            )
    heads = ["4 GB, 32 banks, seed 1", "never: offline, %", "never: partly used banks"]
    return markdown([*heads, "every 2 ticks: offline, %", "every 2 ticks: migrated pages"], rows)
