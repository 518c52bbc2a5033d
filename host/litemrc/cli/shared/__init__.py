"""What several commands share: arguments, text tables, progress, a simulator's console."""
