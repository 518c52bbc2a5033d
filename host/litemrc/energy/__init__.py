# SPDX-License-Identifier: BSD-2-Clause
"""Energy of DRAM: parts and their currents, powers of chips, millijoules of power domains."""
