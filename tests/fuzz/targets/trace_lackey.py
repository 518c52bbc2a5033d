# SPDX-License-Identifier: BSD-2-Clause
"""Lackey's text."""

from tests.fuzz.trace_files import trace_target

TARGET = trace_target("t.lackey", b"==1== x\nI  04001000,3\n L 1ffeffe7e,8\n M 0421c7cc,4\n")
