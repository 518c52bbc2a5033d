"""Workloads of the tray machine: streams of events generated from seeds."""
