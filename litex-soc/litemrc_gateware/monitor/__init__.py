"""The MRC monitor: intake, registers, window."""
