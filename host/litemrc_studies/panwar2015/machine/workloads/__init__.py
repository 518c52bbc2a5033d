# SPDX-License-Identifier: BSD-2-Clause
"""Traces of page allocations and frees by ticks; recorded or generated."""
