# SPDX-License-Identifier: BSD-2-Clause
"""Reference models of rank metering."""
