# SPDX-License-Identifier: BSD-2-Clause
"""The JSON and Arrow API: what a device counted, and control of its settings."""
