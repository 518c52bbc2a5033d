"""Reference models of rank metering."""
