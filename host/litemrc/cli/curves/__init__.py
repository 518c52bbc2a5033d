"""Commands about miss-ratio curves."""
