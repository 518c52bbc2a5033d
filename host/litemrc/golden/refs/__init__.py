"""Reference models of the reference counters and of the traffic generator."""
