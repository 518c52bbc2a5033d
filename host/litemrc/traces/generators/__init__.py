# SPDX-License-Identifier: BSD-2-Clause
"""Synthetic traces as stateless functions of the reference number: any length, equal for equal seeds."""
