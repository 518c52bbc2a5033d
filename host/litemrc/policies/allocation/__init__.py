# SPDX-License-Identifier: BSD-2-Clause
"""Memory allocation among processes by their miss-ratio curves."""
