# SPDX-License-Identifier: BSD-2-Clause
"""Workloads of the tray machine: streams of events generated from seeds."""
