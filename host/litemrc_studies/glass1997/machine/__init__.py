"""Traces under page-replacement policies (Glass and Cao 1997)."""
