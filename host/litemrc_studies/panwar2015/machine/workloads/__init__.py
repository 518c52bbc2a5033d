"""Traces of page allocations and frees by ticks; recorded or generated."""
