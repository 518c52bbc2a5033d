# SPDX-License-Identifier: BSD-2-Clause
"""Dinero's two texts."""

from tests.fuzz.trace_files import trace_target

TARGET = trace_target("t.din", b"2 1000\n0 2fff\n1 0x3000\n4 0\n", b"i 1000 4\nw 1ff8 10\n")
