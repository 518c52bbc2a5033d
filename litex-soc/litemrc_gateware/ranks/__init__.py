# SPDX-License-Identifier: BSD-2-Clause
"""Rank meter and rank power."""
