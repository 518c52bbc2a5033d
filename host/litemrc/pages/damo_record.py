# SPDX-License-Identifier: BSD-2-Clause
"""A record of DAMON (Linux's data access monitor) made of page bitmaps, for `damo report`.

The format is that of `damo record --output_type json_compressed`, which damo 3.4 reads; the keys are those of
`DamonRecord.from_kvpairs` in its `_damo_records.py`. A sampling interval is an epoch; an aggregation interval
is one epoch or several. nr_accesses of a page is the number of its epochs in which the page was accessed, and
a region is a run of pages with the same number. Unlike DAMON, nothing is sampled: the number is exact for
every page of a region. Ages are 0.
"""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from litemrc.files.outputs import replacing
from litemrc.pages.page_bitmaps import PageBitmaps, PagesShown, mean_ns, times_ns

EPOCH_NS = 1_000_000  # where an epoch's length is not known: damo's milliseconds are epochs


class Written(NamedTuple):
    """What a record holds: snapshots (aggregation intervals), their regions, nanoseconds of an epoch."""

    snapshots: int
    regions: int
    epoch_ns: int


def write_damo_record(
    path: str | Path,
    bitmaps: PageBitmaps,
    *,
    aggregation: int = 1,
    written: bool = False,
    bits: range | None = None,
) -> Written:
    """Write a record; the file replaces what was there only when it is complete.

    Parameters
    ----------
    aggregation
        epochs of an aggregation interval. An interval of which all epochs are missing has no
        snapshot.
    written
        of pages written, in place of pages accessed.
    bits
        of the pages; None: all.

    Raises
    ------
    OutputError
        the operating system refused the write.
    ValueError
        no epoch or no page.
    """
    bits = range(bitmaps.shown.pages) if bits is None else bits
    if not bitmaps.epoch.size or not bits:
        raise ValueError("a record needs an epoch and a page")
    epoch_ns = mean_ns(bitmaps) or EPOCH_NS
    sample_us = max(1, round(epoch_ns / 1000))
    head = {
        "kdamond_idx": 0,
        "context_idx": 0,
        "intervals": {"sample_us": sample_us, "aggr_us": sample_us * aggregation, "ops_update_us": 0},
        "scheme_idx": None,
        "target_id": 0,
        "scheme_filters": [],
        "data_source": "litemrc",
    }
    snapshots = regions = 0
    packer = zlib.compressobj()
    with replacing(path) as partial, partial.open("wb") as file:
        file.write(packer.compress(f'[{json.dumps(head)[:-1]}, "snapshots": ['.encode()))
        for snapshot in _snapshots(bitmaps, aggregation, written, bits):
            file.write(packer.compress((", " * bool(snapshots) + json.dumps(snapshot)).encode()))
            snapshots += 1
            regions += len(snapshot["regions"])
        file.write(packer.compress(b"]}]") + packer.flush())
    return Written(snapshots, regions, epoch_ns)


def _snapshots(
    bitmaps: PageBitmaps, aggregation: int, written: bool, bits: range
) -> Iterator[dict[str, Any]]:
    shown = bitmaps.shown.part(bits)
    starts, ends = times_ns(bitmaps, EPOCH_NS)
    groups = (bitmaps.epoch.astype(np.int64) - int(bitmaps.epoch[0])) // aggregation
    for group in np.unique(groups).tolist():
        rows = np.flatnonzero(groups == group).tolist()
        counts = np.zeros(shown.pages, np.int32)
        for row in rows:
            counts += bitmaps.bits(row, written=written)[bits.start : bits.stop]
        yield {
            "start_time": int(starts[rows[0]]),
            "end_time": int(ends[rows[-1]]),
            "regions": list(_regions(counts, shown)),
            "total_bytes": shown.pages * shown.page_bytes,
        }


def _regions(counts: NDArray[np.int32], shown: PagesShown) -> Iterator[dict[str, Any]]:
    """Yield the runs of pages with the same count; a run ends with its range of frames, too."""
    changes = np.flatnonzero(np.diff(counts)) + 1
    firsts = np.union1d(changes, shown.first_bits)
    sizes = np.diff(firsts, append=counts.size) * shown.page_bytes
    facts = zip(shown.addresses(firsts), sizes.tolist(), counts[firsts].tolist(), strict=True)
    for start, size, count in facts:
        yield {
            "start": start,
            "end": start + size,
            "nr_accesses": {"samples": count, "percent": None},
            "age": {"usec": None, "aggr_intervals": 0},
        }
