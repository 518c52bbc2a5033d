# SPDX-License-Identifier: BSD-2-Clause
"""The page filter between the queue and a stack engine."""
