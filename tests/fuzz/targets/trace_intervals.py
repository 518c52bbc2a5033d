# SPDX-License-Identifier: BSD-2-Clause
"""IN/OUT records."""

from tests.fuzz.trace_files import trace_target

TARGET = trace_target("t.inout", b"interval 10 page_bytes 4096\n1 IN 5\n25 OUT 5\n")
