# SPDX-License-Identifier: BSD-2-Clause
"""perf script and perf mem report -D."""

from tests.fuzz.trace_files import trace_target

TARGET = trace_target(
    "t.perf",
    b"touch 12/12 [001] 2.000002: 1 mem-loads: 4005d0 |OP LOAD x 4005d0 f+0x1 (/a)\n",
    b"# PID, TID, IP, ADDR\n1 , 1 , 0x5 , 0x4000 , 1 , 0x2 , a:b\n",
)
