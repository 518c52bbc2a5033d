"""Reference counters, and masters for them to tell apart."""
