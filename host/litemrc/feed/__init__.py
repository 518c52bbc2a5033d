"""A device's epochs, as they arrive."""
