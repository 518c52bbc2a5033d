# SPDX-License-Identifier: BSD-2-Clause
"""The top functions of hls/ that a compiler is given."""

from dataclasses import dataclass
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
HLS = REPO / "hls"


@dataclass(frozen=True)
class Top:
    """A top function: the folder of its unit; whether it has start and done (``HLS_STARTED``)."""

    unit: str
    started: bool = False


TOPS = {
    "group_stack": Top("group_stack"),
    "group_stack_moves": Top("group_stack"),
    "hit_counters": Top("hit_counters", started=True),
    "working_set": Top("working_set"),
    "bucket_stack": Top("bucket_stack"),
    "page_filter": Top("page_filter"),
    "page_filter_merge": Top("page_filter"),
    "rank_meter": Top("rank_meter", started=True),
    "ref_counters": Top("ref_counters"),
}
