"""The terminal program `litemrc live`."""
