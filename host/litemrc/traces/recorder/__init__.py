# SPDX-License-Identifier: BSD-2-Clause
"""Recorder of programs with threads: the runtime in C, and its build and use."""
