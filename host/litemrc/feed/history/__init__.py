# SPDX-License-Identifier: BSD-2-Clause
"""Epochs of devices in partitioned Parquet."""
