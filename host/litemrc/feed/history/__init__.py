"""Epochs of devices in partitioned Parquet."""
