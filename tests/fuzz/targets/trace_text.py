# SPDX-License-Identifier: BSD-2-Clause
"""Text traces, and texts that are recognised as those of recorders."""

from tests.fuzz.trace_files import trace_target

TARGET = trace_target(
    "t.txt", b"# page_bytes 4096\n1 0x5 r\n2 7 w\n", b"5\n6\n", b"r 1000 4\n", b" L 1ffeffe7e,8\n"
)
