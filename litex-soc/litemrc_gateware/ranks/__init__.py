"""Rank meter and rank power."""
