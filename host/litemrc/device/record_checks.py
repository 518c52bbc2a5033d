# SPDX-License-Identifier: BSD-2-Clause
"""What the record of an epoch may say: within the device's hello, and without contradicting itself."""

from typing import Any

import numpy as np

from litemrc.device.errors import NonsenseError
from litemrc.device.link.protocol import Message
from litemrc.device.link.record import Record
from litemrc.device.link.schema import schema
from litemrc.epochs.columns import LARGEST_SCALE_LOG2, groups_of_memory, open_group
from litemrc.ranks.activity import COUNTERS, PowerState

_STATES = [COUNTERS.index(state.name.lower()) for state in PowerState]


def check_record(record: Record, hello: Message) -> None:
    """Check a record by the device's hello, and by itself.

    Raises
    ------
    NonsenseError
        they contradict each other, or the record itself.
    """
    head, rows, epoch = record.head, record.rows, f"epoch {record.epoch}"
    if int(head["groups"]) != hello.groups:
        raise NonsenseError(f"{epoch} with {head['groups']} groups, and its hello has {hello.groups}")
    if int(head["tail_groups"]) > open_group(hello.groups) + 1:
        raise NonsenseError(f"{epoch}: a tail with {head['tail_groups']} groups")
    if int(head["scale_log2"]) > LARGEST_SCALE_LOG2:
        raise NonsenseError(f"{epoch}: scale_log2 is {head['scale_log2']}")
    _check_rows(record, hello)
    if len(record.ranks) not in (0, hello.ranks):
        raise NonsenseError(f"{epoch} with {len(record.ranks)} ranks of {hello.ranks}")
    if len(np.unique(record.ranks["cycles"])) > 1:
        clocks = " and ".join(map(str, np.unique(record.ranks["cycles"])))
        raise NonsenseError(f"{epoch}: {clocks} clocks of its ranks")
    if not np.isin(record.ranks["state"], list(schema().enums["power_state"].values())).all():
        raise NonsenseError(f"{epoch}: a rank in state {record.ranks['state'].max()}")
    _check_residencies(record)
    for name, part in (("row", rows), ("task", record.tasks), ("program with copies", record.copies)):
        if part.size and part["context"].max() >= hello.contexts:
            raise NonsenseError(f"{epoch}: a {name} of context {part['context'].max()} of {hello.contexts}")
    _check_frames(record, hello)
    _check_banks(record)


def _check_rows(record: Record, hello: Message) -> None:
    rows, scale = record.rows, int(record.head["scale_log2"])
    if (rows["context"][1:] <= rows["context"][:-1]).any():
        raise NonsenseError(f"epoch {record.epoch}: contexts {', '.join(map(str, rows['context']))}")

    def refuse(bad: Any, why: str) -> None:
        if bad.any():
            context = rows["context"][int(np.argmax(bad))]
            raise NonsenseError(f"epoch {record.epoch}, context {context}: {why}")

    reach = groups_of_memory(hello.frames, hello.pages, hello.groups, scale)
    refuse(np.any(rows["hits"][:, reach:], axis=1), "hits deeper than the memory")
    if not record.flag("overflow"):
        total = rows["hits"].sum(axis=1, dtype=np.uint64) + rows["misses"]
        refuse(total != rows["accesses"], "sum(hits) + misses differs from accesses")
        refuse(rows["touched"] > rows["accesses"], "more pages touched than accesses")


def _check_residencies(record: Record) -> None:
    ranks = record.ranks
    resident = ranks["counters"][:, _STATES].sum(axis=1, dtype=np.uint64)
    wrong = (resident != ranks["cycles"]) & (ranks["flags"] & schema().constants["rank_overflow"] == 0)
    for domain in np.flatnonzero(wrong):
        raise NonsenseError(
            f"epoch {record.epoch}, domain {domain}: {resident[domain]} clocks in all states,"
            f" but {ranks['cycles'][domain]} clocks passed"
        )


def _check_frames(record: Record, hello: Message) -> None:
    epoch = f"epoch {record.epoch}"
    for bits in (record.accessed, record.written):
        if bits is None and record.accessed is record.written:
            continue
        if bits is None or not hello.page_bitmap or 8 * bits.size != hello.frames:
            raise NonsenseError(
                f"{epoch}: bits of {0 if bits is None else 8 * bits.size} frames of {hello.frames}"
            )
    accessed, written = record.accessed, record.written
    if accessed is not None and written is not None and np.any(written & ~accessed):
        raise NonsenseError(f"{epoch}: a frame was written, but not accessed")
    if record.hot is None:
        return
    if record.hot.size > hello.hot_pages:
        raise NonsenseError(f"{epoch}: {record.hot.size} hot pages, and its hello has {hello.hot_pages}")
    row_bytes = int(record.head["row_bytes"])
    frames = (hello.frames << hello.page_shift) // row_bytes if row_bytes else hello.frames
    if record.hot.size and record.hot["frame"].max() >= frames:
        raise NonsenseError(f"{epoch}: hot frame {record.hot['frame'].max()} of {frames}")


def _check_banks(record: Record) -> None:
    banks = record.banks
    if banks is None:
        return
    if banks.size and not record.head["access_bytes"]:
        raise NonsenseError(f"epoch {record.epoch}: counts of banks whose accesses have 0 bytes")
    accesses = banks["reads"].astype(np.uint64) + banks["writes"]
    for bank in np.flatnonzero(banks["row_hits"] > accesses):
        raise NonsenseError(
            f"epoch {record.epoch}, bank {bank}: {banks['row_hits'][bank]} row hits"
            f" of {accesses[bank]} accesses"
        )
    for bank in np.flatnonzero(banks["row_conflicts"] > banks["activates"]):
        raise NonsenseError(
            f"epoch {record.epoch}, bank {bank}: {banks['row_conflicts'][bank]} row conflicts"
            f" of {banks['activates'][bank]} ACTIVATEs"
        )
