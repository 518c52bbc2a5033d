"""Grids of parameters on Dask: `litemrc sweep`."""
