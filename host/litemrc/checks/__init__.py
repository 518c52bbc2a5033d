# SPDX-License-Identifier: BSD-2-Clause
"""Checks of a collection: counters, contexts and ranks against the simulator's own record."""
