# SPDX-License-Identifier: BSD-2-Clause
"""The three texts of DynamoRIO's clients."""

from tests.fuzz.trace_files import trace_target

TARGET = trace_target(
    "t.memtrace",
    b"Format: <instr address>,<(r)ead/(w)rite>,<data size>,<data address>\n0x7f,w,8,0x7ffd\n",
    b"Format: <data address>: <data size>, <(r)ead/(w)rite/opcode>\n0x7f:  8, w\n",
    b"12  5: W0.T4711 write 8 byte(s) @ 0x00007ffd by PC 0x1\n1 1: T1 12 34 \n",
)
