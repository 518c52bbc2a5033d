"""Commands that run trace-driven machines."""
