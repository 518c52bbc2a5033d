"""LRU stack engines, and the records and memories they share."""
