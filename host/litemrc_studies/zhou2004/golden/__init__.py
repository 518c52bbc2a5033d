"""Reference models of the trace-driven machines."""
