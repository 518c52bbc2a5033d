"""Checks of a collection: counters, contexts and ranks against the simulator's own record."""
