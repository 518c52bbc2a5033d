"""Processors that share memory by pages ("Reference counters")."""
