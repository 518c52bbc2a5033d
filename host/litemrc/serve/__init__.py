"""Devices over HTTP: `litemrc serve`."""
