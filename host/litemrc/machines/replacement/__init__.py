"""Traces through page replacement policies (Glass and Cao 1997)."""
