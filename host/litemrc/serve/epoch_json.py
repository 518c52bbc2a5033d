# SPDX-License-Identifier: BSD-2-Clause
"""An epoch, and the device that it is of, as the records of the API."""

from dataclasses import asdict
from typing import Any

import numpy as np

from litemrc.curves.curve import Curve
from litemrc.curves.hit_counters import HitCounters
from litemrc.epochs.columns import groups_of_memory
from litemrc.epochs.split import rows_together
from litemrc.epochs.table import EpochTable
from litemrc.epochs.traffic import BANK_COUNTS, Traffic
from litemrc.feed.records import DeviceParameters, FeedEpoch
from litemrc.ranks.activity import PowerState, RankActivity
from litemrc.ranks.table import AWAKE

HEAT_BINS = 128
DIGITS = 6  # of ratios; a curve has at most 32 bits of accesses in an epoch, a screen 4 digits

Record = dict[str, Any]


def parameters_record(parameters: DeviceParameters) -> Record:
    """Return what the device said of itself."""
    scale_log2 = (parameters.frames // parameters.pages).bit_length() - 1
    return {
        "session": parameters.session,
        "clock_hz": parameters.clock_hz,
        "page_bytes": parameters.page_bytes,
        "memory_bytes": parameters.frames * parameters.page_bytes,
        "engine": parameters.engine,
        "contexts": parameters.contexts,
        "groups": parameters.groups,
        "group_bytes": (parameters.pages // parameters.groups << scale_log2) * parameters.page_bytes,
        "system": parameters.system,
        "programs": list(parameters.programs),
        "ranks": parameters.dram.ranks if parameters.dram else 0,
        "rank_states": list(parameters.dram.states) if parameters.dram else [],
        "accessed": parameters.accessed,
        "hot": parameters.hot,
        "base_address": parameters.base_address,
        "banks": parameters.banks,
        "peak_bandwidth": parameters.peak_bandwidth,
    }


def epoch_record(device: str, parameters: DeviceParameters, epoch: FeedEpoch) -> Record:
    """Return an epoch without its contexts."""
    first = {name: int(epoch.rows[name][0]) for name in ("dropped", "outside", "unsampled")}
    return {
        "device": device,
        "session": epoch.session,
        "number": epoch.number,
        "arrived": epoch.arrived,
        "curve_epochs": 1,
        "curve_first": epoch.arrived,
        **first,
        "scale": 1 << epoch.scale_log2,
        "ranks": [_rank(row) for row in epoch.ranks],
        "hot": _hot(parameters, epoch),
        "heat": _heat(parameters, epoch),
        "traffic": _traffic(epoch.traffic) if epoch.traffic else None,
        # An epoch of a history has none: they are counts of the session.
        "link": asdict(epoch.link) if epoch.link.frames else None,
        "epochs_lost": epoch.lost,
    }


def context_records(
    parameters: DeviceParameters, epoch: FeedEpoch, window: EpochTable | None = None
) -> list[Record]:
    """Return the contexts of an epoch; each has the curve of all epochs in `window`; None: of this epoch."""
    rows = rows_together(epoch.rows, parameters.contexts)
    counted = dict(zip(rows["context"].tolist(), rows, strict=True))
    records = []
    for context in sorted({*counted, *(window.contexts_with_data if window else ())}):
        counts = {"accesses": 0, "misses": 0, "touched": 0}
        if context in counted:
            counts = {name: int(counted[context][name]) for name in counts}
        working_set_pages = counts.pop("touched") << epoch.scale_log2
        records.append(
            {
                "context": context,
                "name": window.name_of(context)
                if window
                else epoch.names.get(context) or f"context {context}",
                **counts,
                "working_set_bytes": working_set_pages * parameters.page_bytes,
                "bandwidth": _bandwidth(epoch, counts["accesses"]),
                "curve": points_record(
                    window.curve(context) if window else _curve(parameters, counted[context])
                ),
            }
        )
    return records


def _curve(parameters: DeviceParameters, row: np.void) -> Curve:
    """Return the curve of one row; a table of one epoch has the same, in twice the time."""
    scale_log2 = int(row["scale_log2"])
    groups = groups_of_memory(parameters.frames, parameters.pages, parameters.groups, scale_log2)
    counters = HitCounters.of(
        row["hits"][:groups],
        int(row["misses"]),
        parameters.pages // parameters.groups << scale_log2,
        accesses=int(row["accesses"]),
        overflow=bool(row["overflow"]),
        refaults=row["tail"],
        scale_log2=scale_log2,
    )
    return counters.curve(parameters.page_bytes)


def curve_record(context: int, curve: Curve) -> Record:
    """Return the curve of a context."""
    return {
        "context": context,
        "name": curve.name,
        **points_record(curve),
        "accesses": curve.accesses,
        "misses": curve.misses,
        "dropped": curve.dropped,
    }


def points_record(curve: Curve) -> Record:
    """Return sizes in bytes and miss ratios; null: no access was counted."""
    ratios: list[float | None] = np.round(curve.miss_ratio, DIGITS).tolist()
    if not curve.accesses:
        ratios = [None] * len(ratios)
    return {"bytes": (curve.sizes_pages * curve.page_bytes).tolist(), "miss_ratio": ratios}


def _rank(row: np.void) -> Record:
    activity = RankActivity.of_counters(row["counters"].tolist())
    cycles = {state.name.lower(): activity.residency(state) for state in PowerState}
    total = sum(cycles.values()) or 1
    return {
        "rank": int(row["domain"]),
        "state": "awake" if row["state"] == AWAKE else PowerState(row["state"]).name.lower(),
        "working": bool(row["working"]),
        "live_pages": int(row["live_pages"]),
        "shares": {state: round(each / total, DIGITS) for state, each in cycles.items()},
        "reads": activity.reads,
        "writes": activity.writes,
        "wake_ups": activity.wake_ups,
    }


def _bandwidth(epoch: FeedEpoch, accesses: int) -> float | None:
    """Return bytes per second of a context's accesses; where pages are sampled, estimated."""
    return epoch.traffic.bandwidth_of(accesses << epoch.scale_log2) if epoch.traffic else None


def _traffic(traffic: Traffic) -> Record:
    known = {name: getattr(traffic, name) for name in BANK_COUNTS}
    columns = [[None] * traffic.reads.size if each is None else each.tolist() for each in known.values()]
    return {
        "access_bytes": traffic.access_bytes,
        "bytes_read": traffic.bytes_read,
        "bytes_written": traffic.bytes_written,
        "seconds": traffic.seconds,
        "read_bandwidth": traffic.read_bandwidth,
        "write_bandwidth": traffic.write_bandwidth,
        "peak_share": traffic.peak_share,
        "row_hit_rate": traffic.row_hit_rate,
        "cycles": traffic.cycles,
        "refreshes": traffic.refreshes,
        "refresh_share": traffic.refresh_share,
        "queue_peak": traffic.queue_peak,
        "banks": [dict(zip(known, counts, strict=True)) for counts in zip(*columns, strict=True)],
    }


def _hot(parameters: DeviceParameters, epoch: FeedEpoch) -> Record | None:
    if epoch.hot is None:
        return None
    addresses = (parameters.base_address + frame * parameters.page_bytes for frame in epoch.hot.frames)
    pages = [list(pair) for pair in zip(addresses, epoch.hot.counts, strict=True)]
    return {"accesses": epoch.hot.accesses, "more": epoch.hot.more, "pages": pages}


def _heat(parameters: DeviceParameters, epoch: FeedEpoch) -> Record | None:
    """Return the share of pages accessed in equal ranges of addresses; the last range may be shorter."""
    if epoch.accessed is None:
        return None
    bits = np.unpackbits(np.frombuffer(epoch.accessed.accessed, np.uint8), bitorder="little")
    frames = -(-bits.size // HEAT_BINS)
    starts = np.arange(0, bits.size, frames)
    counts = np.add.reduceat(bits, starts, dtype=np.int64)
    shares = counts / np.diff(np.append(starts, bits.size))
    return {
        "bins": np.round(shares, 4).tolist(),
        "first": parameters.base_address,
        "bin_bytes": frames * parameters.page_bytes,
    }
