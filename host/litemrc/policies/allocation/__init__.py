"""Memory allocation among processes by their miss-ratio curves."""
