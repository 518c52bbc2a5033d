# SPDX-License-Identifier: BSD-2-Clause
"""Grids of parameters over the commands of trace-driven machines."""
