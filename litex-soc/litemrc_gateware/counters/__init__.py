# SPDX-License-Identifier: BSD-2-Clause
"""Hit counters, totals, and the working set."""
