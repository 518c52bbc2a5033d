# SPDX-License-Identifier: BSD-2-Clause
"""Reference models of the reference counters and of the traffic generator."""
