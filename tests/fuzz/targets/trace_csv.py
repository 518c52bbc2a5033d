# SPDX-License-Identifier: BSD-2-Clause
"""CSV traces with a header."""

from tests.fuzz.trace_files import trace_target

TARGET = trace_target(
    "t.csv", b"time,addr,op,pid,size\n1.5,4096,r,1,8\n2,8192,write,1,9000\n", b"page\tkey\nabc\t1\n"
)
