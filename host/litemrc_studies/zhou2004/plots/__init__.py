"""Figures of the trace-driven machines."""
