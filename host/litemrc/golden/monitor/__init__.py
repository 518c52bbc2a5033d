# SPDX-License-Identifier: BSD-2-Clause
"""Reference models of the monitor's units and of the caches in front of it."""
