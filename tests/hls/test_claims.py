# SPDX-License-Identifier: BSD-2-Clause
"""Claims in the C++ of hls/: the testbench of a unit finds each fault.

`make -C hls` runs the sources without a fault (test_hls_csim.py).
"""

import pytest

from tests.hls.faults import Fault, simulated

FAULTS = {
    "group_stack: the owner is the running context": (
        "group_stack/group_stack.cpp",
        "valid || page.group == CLAIMED ? page.owner : running",
        "valid ? page.owner : running",
    ),
    "group_stack: a claimed page stays in its stack": (
        "group_stack/group_stack.cpp",
        "    if (page.valid)\n        leave(op.frame, page, moves);",
        "    if (page.valid && !op.write)\n        leave(op.frame, page, moves);",
    ),
    "group_stack: an invalidation keeps the claim": (
        "group_stack/group_stack.cpp",
        "op.write ? Page{0, op.context, CLAIMED} : Page{0, 0, UNCLAIMED}",
        "op.write ? Page{0, op.context, CLAIMED} : Page{0, page.owner, page.group}",
    ),
    "group_stack: the first claim stays": (
        "group_stack/group_stack.cpp",
        "op.write ? Page{0, op.context, CLAIMED}",
        "op.write ? Page{0, !page.valid && page.group == CLAIMED ? page.owner : op.context, CLAIMED}",
    ),
    "bucket_stack: the owner is the running context": (
        "bucket_stack/bucket_stack.cpp",
        "id != 0 ? context_t(id - FIRST_CLAIM) : running",
        "running",
    ),
    "bucket_stack: a claimed page stays in its bucket": (
        "bucket_stack/bucket_stack.cpp",
        "    if (!is_valid(bucket))\n        return;",
        "    if (!is_valid(bucket) || op.write)\n        return;",
    ),
    "bucket_stack: an invalidation keeps the claim": (
        "bucket_stack/bucket_stack.cpp",
        "op.write ? older_of(FIRST_CLAIM + op.context) : bucket_t(0)",
        "op.write ? older_of(FIRST_CLAIM + op.context) : is_valid(bucket) ? bucket_t(0) : bucket",
    ),
    "bucket_stack: a renumbering maps a claim": (
        "bucket_stack/bucket_stack.cpp",
        "!is_valid(page.bucket) || page.generation",
        "page.bucket == 0 || page.generation",
    ),
    "bucket_stack: buckets get the ids of claims": (
        "bucket_stack/bucket_stack.cpp",
        "next_id_ >= FIRST_CLAIM - RENUMBER_DELAY",
        "next_id_ >= IDS - RENUMBER_DELAY",
    ),
    "page_filter: recent pages do not forget a claimed page": (
        "page_filter/page_filter.cpp",
        "            if (recent)\n                valid_[slot] = 0;",
        "            if (recent && !op.write)\n                valid_[slot] = 0;",
    ),
    "page_filter: a claim becomes an invalidation": (
        "page_filter/page_filter.cpp",
        "owner_of(op.context, split), op.write, op.epoch_end}",
        "owner_of(op.context, split), op.kind == OP_ACCESS && op.write, op.epoch_end}",
    ),
    "page_filter: with split a claim is for a context of writes": (
        "page_filter/page_filter.cpp",
        "owner_of(op.context, split), op.write",
        "owner_of(op.context, split && op.kind == OP_ACCESS), op.write",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_claims_is_found(name, tmp_path):
    unit = name.partition(":")[0]
    done = simulated(tmp_path, Fault(unit, *FAULTS[name]))
    assert done.returncode == 1
    assert f"{unit}_tb: operation" in done.stderr


@pytest.mark.parametrize("unit", ["group_stack", "bucket_stack", "page_filter"])
def test_a_testbench_without_a_fault_passes(unit, tmp_path):
    source = f"{unit}/{unit}.cpp"
    assert (
        simulated(tmp_path, Fault(unit, source, "namespace litemrc {", "namespace litemrc {")).returncode == 0
    )
