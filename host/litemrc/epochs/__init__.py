# SPDX-License-Identifier: BSD-2-Clause
"""The epoch table: hit counters by epoch and context, its Parquet file, and the processes of contexts."""
