"""The recorder of programs with threads: its runtime in C, and what builds, runs and reads it."""
