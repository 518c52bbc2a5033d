# SPDX-License-Identifier: BSD-2-Clause
"""Passive taps: DRAM commands in, accesses out."""
