"""Recorder of programs with threads: the runtime in C, and its build and use."""
