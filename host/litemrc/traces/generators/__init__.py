"""Synthetic traces as functions of the reference's number: any length, no state, equal for equal seeds."""
