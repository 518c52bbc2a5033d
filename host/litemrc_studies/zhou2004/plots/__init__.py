# SPDX-License-Identifier: BSD-2-Clause
"""Figures of the trace-driven machines."""
