"""What several commands share: arguments, progress, plain text."""
