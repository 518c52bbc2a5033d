# SPDX-License-Identifier: BSD-2-Clause
"""Processors that share memory by pages ("Reference counters")."""
