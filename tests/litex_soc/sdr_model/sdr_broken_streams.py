# SPDX-License-Identifier: BSD-2-Clause
"""For each rule of the SDRAM checker a stream that breaks it, and a similar one that does not.

MT48LC16M16A2-75 at 133 MHz, CL 3, if a stream does not say otherwise. Cycles are the data sheet's times, in
the comments, over 7.5 ns, rounded up.
"""

from tests.broken_stream import Broken, at_least, at_most

ACT = "@100 ACT 0 5\n"
POWER_UP = ("cl=0",)
POWERED = "@13334 PREA\n"  # 100 us
BROKEN_STREAMS = {
    "tRCD": at_least(3, ACT + "+{gap} RD 0 8"),  # 20 ns
    "tRP": at_least(3, ACT + "+8 PRE 0\n+{gap} ACT 0 6"),  # 20 ns
    "tRAS": at_least(6, ACT + "+{gap} PRE 0"),  # 44 ns
    "tRAS_MAX": at_most(16_000, ACT + "+{gap} PRE 0"),  # 120 us
    # tRAS + tRP are 9 cycles as tRC is, so only a part with a longer one can break it alone.
    "tRC": at_least(14 - 6, ACT + "+6 PRE 0\n+{gap} ACT 0 6", "tRC_ps=100000"),
    "tRRD": at_least(2, ACT + "+{gap} ACT 1 5"),  # 15 ns
    "tWR": at_least(2, ACT + "+6 WR 0 8 1234 0\n+{gap} PRE 0"),  # 15 ns
    "tRFC": at_least(9, "@100 REF\n+{gap} ACT 0 5"),  # 66 ns
    "tMRD": at_least(2, "@100 MRS 30\n+{gap} ACT 0 5"),  # 2 cycles
    # 64 ms are 8,533,333.3 cycles, from the start as the chip begins initialised.
    "tREF": Broken("@100 REF\n@{gap} END", 8_533_333 - 5, 8_533_334 - 5),
    "POWER_UP": Broken("@{gap} PREA", 13_334, 13_333, POWER_UP),
    "INIT": Broken(POWERED + "+3 REF\n+9 {gap}\n+9 MRS 30\n+2 ACT 0 5", "REF", "END", POWER_UP),
    "COMMAND_CKE_LOW": Broken("@100 CKE 0\n@200 CKE {gap}\n+1 ACT 0 5", 1, 0),
    "ACT_OPEN_BANK": Broken(ACT + "+9 {gap}\n+9 ACT 0 6", "PRE 0", "PRE 1"),
    "RD_CLOSED_BANK": Broken(ACT + "+6 RD {gap} 8", 0, 1),
    "WR_CLOSED_BANK": Broken(ACT + "+6 WR {gap} 8 1234 0", 0, 1),
    "REF_OPEN_ROWS": Broken(ACT + "+9 PRE {gap}\n+9 REF", 0, 1),
    "MRS_OPEN_ROWS": Broken(ACT + "+9 PRE {gap}\n+9 MRS 30", 0, 1),
    "MR_CL": Broken("@100 MRS {gap}", 30, 20),  # CL 2 needs 10 ns
    "MR_BURST": Broken("@100 MRS {gap}", 30, 31),
    "BURST_STOP": Broken(ACT + "+6 RD 0 8\n+1 {gap}", "END", "STOP"),
    "DQ_CONFLICT": at_least(4, ACT + "+6 RD 0 8\n+{gap} DRIVE 0"),  # sampled 3 cycles after RD
    "WR_UNDRIVEN": Broken(ACT + "+6 {gap} 0 8 1234 0", "WR", "WRU"),
    "MR_RESERVED": Broken("@100 MRS {gap}", 30, 130),
}
# Other ways to break a rule.
OTHER_WAYS = [
    ("tRP", ACT + "+6 RDA 0 8\n+3 ACT 0 6\n"),  # auto-precharge begins a cycle after RD
    ("tRP", ACT + "+6 WRA 0 8 1234 0\n+4 ACT 0 6\n"),  # one cycle and 7.5 ns after WR
    ("tRP", ACT + "+8 PREA\n+2 REF\n"),
    ("tRP", ACT + "+8 PREA\n+2 MRS 30\n"),
    ("tRFC", "@100 REF\n+8 REF\n"),
    ("tMRD", "@100 MRS 30\n+1 MRS 30\n"),
    ("tRAS", ACT + "+5 PREA\n"),
    ("tWR", ACT + "+6 WR 0 8 1234 0\n+1 PREA\n"),
    ("MR_CL", "@100 MRS 10\n"),
    ("INIT", "@13334 REF\n+9 REF\n+9 MRS 30\n+2 ACT 0 5\n"),
]
