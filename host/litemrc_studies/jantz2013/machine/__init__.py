# SPDX-License-Identifier: BSD-2-Clause
"""A machine whose memory is organised in trays: programs, faults, ranks that sleep (Jantz et al. 2013)."""
