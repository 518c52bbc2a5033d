# SPDX-License-Identifier: BSD-2-Clause
"""The rank table: states and counters of every power domain and epoch, its Parquet file, its energy."""
