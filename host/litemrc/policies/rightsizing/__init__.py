# SPDX-License-Identifier: BSD-2-Clause
"""The memory that one process needs for a goal."""
