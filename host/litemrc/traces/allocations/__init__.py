"""Traces of page allocations: blocks that come and go, tick by tick; recorded or generated."""
