"""Commands that run the simulated SoC."""
