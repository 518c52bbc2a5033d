"""Trace-driven machines: traces through policies."""
