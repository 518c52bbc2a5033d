# SPDX-License-Identifier: BSD-2-Clause
"""The calls for a user of LiteX: add monitor, ranks and reference counters to a SoC with DRAM."""

from litemrc_gateware.integration.monitor_block import add_monitor
from litemrc_gateware.integration.rank_blocks import add_ranks
from litemrc_gateware.integration.reference_counters import (
    add_ref_counters,
    add_remote_window,
    add_traffic_generator,
)

__all__ = ["add_monitor", "add_ranks", "add_ref_counters", "add_remote_window", "add_traffic_generator"]
