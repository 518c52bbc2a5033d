"""The memory that one process needs for a goal."""
