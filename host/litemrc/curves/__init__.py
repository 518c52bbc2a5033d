"""Miss-ratio curves: arithmetic on hit counters, files of curves, comparison."""
