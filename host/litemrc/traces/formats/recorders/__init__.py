# SPDX-License-Identifier: BSD-2-Clause
"""Texts that recorders of memory accesses print: perf, DynamoRIO, DAMON."""
