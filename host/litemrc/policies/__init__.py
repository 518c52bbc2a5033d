# SPDX-License-Identifier: BSD-2-Clause
"""Policies: what to do with memory, said in terms of curves and states; none knows a device or a file."""
