"""Which pages were accessed, epoch by epoch."""
