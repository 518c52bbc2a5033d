# SPDX-License-Identifier: BSD-2-Clause
"""What `litemrc top` shows of some epochs of a device: its DRAM, and a line for each context."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from litemrc.cli.shared.plain_text import text_table
from litemrc.curves.sizes import size_text
from litemrc.epochs.columns import joined_rows
from litemrc.epochs.split import rows_together
from litemrc.epochs.traffic import Traffic, bandwidth_text, traffic_sum
from litemrc.feed.records import DeviceParameters, FeedEpoch, table_of
from litemrc.texts import printable, printable_lines

_HEADINGS = ("name", "context", "pid", "bandwidth", "share of\naccesses", "working set", "miss ratio")


@dataclass(frozen=True)
class Program:
    """A context over some epochs.

    Attributes
    ----------
    pid
        None: unknown, or a cgroup.
    accesses
        where pages are sampled, estimated.
    bandwidth
        bytes of its accesses in a second; None: unknown.
    share
        of the accesses of all contexts.
    working_set
        bytes of the pages accessed in its last epoch.
    """

    context: int
    name: str
    pid: int | None
    accesses: int
    bandwidth: float | None
    share: float
    working_set: int
    miss_ratio: float


def top_text(url: str, parameters: DeviceParameters, epochs: Sequence[FeedEpoch]) -> str:
    """Return the lines of a refresh; there is an epoch."""
    epochs = _alike(epochs)
    traffic = _traffic(epochs)
    rows = [
        [
            each.name,
            str(each.context),
            "-" if each.pid is None else str(each.pid),
            "-" if each.bandwidth is None else bandwidth_text(each.bandwidth),
            f"{each.share:.1%}",
            size_text(each.working_set, 1, 3),
            f"{each.miss_ratio:.4f}",
        ]
        for each in programs(parameters, epochs)
    ]
    table = text_table(_HEADINGS, rows) if rows else "no context had an access"
    return f"{_device_line(url, parameters, epochs)}\n{_dram_line(parameters, traffic)}\n\n{table}"


def programs(parameters: DeviceParameters, epochs: Sequence[FeedEpoch]) -> list[Program]:
    """Return the contexts with accesses in these epochs, of one sampling; the largest bandwidth first."""
    traffic, scale = _traffic(epochs), epochs[-1].scale_log2
    table = table_of(parameters, epochs)
    rows = rows_together(joined_rows([epoch.rows for epoch in epochs]), parameters.contexts)
    total = int(rows["accesses"].sum())
    found = []
    for context in table.contexts_with_data:
        own = rows[rows["context"] == context]
        accesses, misses = (int(own[name].sum(dtype=np.uint64)) for name in ("accesses", "misses"))
        name, pid = _owner(context, epochs)
        found.append(
            Program(
                context=context,
                name=name or table.name_of(context),
                pid=pid,
                accesses=accesses << scale,
                bandwidth=traffic.bandwidth_of(accesses << scale) if traffic else None,
                share=accesses / total,
                working_set=(int(own["touched"][-1]) << scale) * parameters.page_bytes,
                miss_ratio=misses / accesses,
            )
        )
    return sorted(found, key=lambda each: (-each.accesses, each.context))


def _alike(epochs: Sequence[FeedEpoch]) -> list[FeedEpoch]:
    """Return the epochs with the sampling of the last one."""
    return [epoch for epoch in epochs if epoch.scale_log2 == epochs[-1].scale_log2]


def _traffic(epochs: Sequence[FeedEpoch]) -> Traffic | None:
    """Return the DRAM commands of all these epochs; None: one of them has none."""
    known = [epoch.traffic for epoch in epochs if epoch.traffic]
    return traffic_sum(known) if len(known) == len(epochs) else None


def _owner(context: int, epochs: Sequence[FeedEpoch]) -> tuple[str, int | None]:
    """Return the name and the pid of the process that a context followed last; "": it followed none."""
    for epoch in reversed(epochs):
        if process := epoch.followed.get(context):
            return (
                (printable(process.comm) or "unnamed", process.pid) if process.pid else (process.label, None)
            )
    return "", None


def _device_line(url: str, parameters: DeviceParameters, epochs: Sequence[FeedEpoch]) -> str:
    first, last = epochs[0].number, epochs[-1].number
    which = f"epoch {last}" if first == last else f"epochs {first} to {last}"
    lost = f", {epochs[-1].lost} lost" if epochs[-1].lost else ""
    system = parameters.system or "bare metal"
    return printable_lines(f"{url}: {system}, {parameters.clock_hz / 1e6:g} MHz, {which}{lost}")


def _dram_line(parameters: DeviceParameters, traffic: Traffic | None) -> str:
    """Return what is known of the traffic of all masters."""
    if traffic is None:
        return "DRAM: the device does not count its commands"
    parts = []
    for what, count, speed in (
        ("read", traffic.bytes_read, traffic.read_bandwidth),
        ("written", traffic.bytes_written, traffic.write_bandwidth),
    ):
        parts.append(f"{size_text(count, 1, 3) if speed is None else bandwidth_text(speed)} {what}")
    if traffic.peak_share is not None:
        peak = bandwidth_text(traffic.access_bytes * parameters.clock_hz)
        parts.append(f"{traffic.peak_share:.1%} of the peak of {peak}")
    if traffic.row_hit_rate is not None:
        parts.append(f"{traffic.row_hit_rate:.1%} row hits")
    return f"DRAM: {', '.join(parts)}"
