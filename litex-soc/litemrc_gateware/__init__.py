# SPDX-License-Identifier: BSD-2-Clause
"""LiteMRC gateware: the DRAM tap, the stack engine and the monitor, in Migen for LiteX SoCs."""

from litemrc_gateware.integration import add_monitor, add_ranks, add_ref_counters

__all__ = ["add_monitor", "add_ranks", "add_ref_counters"]
