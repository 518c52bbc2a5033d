# SPDX-License-Identifier: BSD-2-Clause
"""DAMON's records in JSON and text."""

from tests.fuzz.trace_files import trace_target

TARGET = trace_target(
    "t.damon",
    b'[{"target_id":0,"intervals":{"sample_us":5,"aggr_us":100},"snapshots":[{"end_time":"1 s","regions":'
    b'[{"start":0,"end":8192,"nr_accesses":{"percent":10}}]}]}]',
    b"base_time_absolute: 1 s\nmonitoring_end: 100 ms\ntarget_id: 0\nnr_regions: 1\n0-2000 (8 KiB) 3 1\n",
    b"x 1 [0] 1.000000: damon:damon_aggregated: target_id=1 nr_regions=1 0-8192: 3 0\n",
)
