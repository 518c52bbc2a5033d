"""Hit counters, totals, and the working set."""
