"""Grids of parameters over the commands of trace-driven machines."""
