"""Commands that talk to a device."""
