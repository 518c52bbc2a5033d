"""Passive taps: DRAM commands in, accesses out."""
