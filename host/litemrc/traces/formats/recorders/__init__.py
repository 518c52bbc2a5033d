"""Texts that recorders of memory accesses print: perf, DynamoRIO, DAMON."""
