# SPDX-License-Identifier: BSD-2-Clause
"""All seeded faults: every property of every proof has at least one."""

from tests.formal.faults import counters, filter, monitor, others, traffic

MUTANTS = (*counters.MUTANTS, *traffic.MUTANTS, *monitor.MUTANTS, *filter.MUTANTS, *others.MUTANTS)
