# SPDX-License-Identifier: BSD-2-Clause
"""Grids of parameters on Dask: `litemrc sweep`."""
