"""Trace formats, one module each, and the streams they are read from."""
