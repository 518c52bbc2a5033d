"""Reference counters, and the masters that they distinguish."""
