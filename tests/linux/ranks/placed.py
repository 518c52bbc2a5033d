# SPDX-License-Identifier: BSD-2-Clause
"""What the programs of guest/ print: where pages are."""

import re

from tests.linux.ranks.machine import PAGE

RANK_PAGES = (16 << 20) // PAGE  # of RanksMachine

# Start a program of guest/ that keeps its pages, and end it.
HOLD = (
    "rm -f /tmp/go /tmp/out; /nodes {} /tmp/go >/tmp/out & until grep -q nodes /tmp/out; do sleep 0.1; done"
)
LET_GO = "touch /tmp/go; while pidof nodes; do sleep 0.1; done"


def nodes(output: str) -> list[int]:
    """Return the last line "nodes A B C D": pages on each node."""
    return [int(word) for word in re.findall(r"^nodes (.*)$", output, re.M)[-1].split()]
