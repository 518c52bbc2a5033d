# SPDX-License-Identifier: BSD-2-Clause
"""LRU stack engines, and the records and memories they share."""
