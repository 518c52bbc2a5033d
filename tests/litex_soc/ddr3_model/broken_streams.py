# SPDX-License-Identifier: BSD-2-Clause
"""For each rule of the DDR3 checker a stream that breaks it, and a similar one that does not.

DDR3-800E of 2 Gb x16 chips at 2.5 ns, CL 6, CWL 5, if a stream does not say otherwise. Cycles are JESD79-3F's
times, in the comments, over 2.5 ns, rounded up.
"""

from tests.broken_stream import Broken, at_least, at_most

TREFI = 3125  # 7812.5 ns
# Eight refreshes pulled in, so that a debt of 8 refreshes is 17 tREFI away.
PULL_IN = "\n".join(["@100 REF 0"] + ["+64 REF 0"] * 7 + ["+64 END"]) + "\n"
# Out of reset: CKE high, the four mode registers (MR0: CL 6, WR 6, DLL reset).
MODE_REGISTERS = "@100 CKE 0 1\n+{txpr} MRS 0 2 0\n+4 MRS 0 3 0\n+4 MRS 0 1 0\n+4 MRS 0 0 1520\n"
FAST_GRADE = ("grade=2133N", "tck_ps=938", "cl=14", "cwl=10")  # where entries to power-down take 2 cycles
SLEEP = "@100 SRE 0\n+10 SRX 0\n"

ACT = "@100 ACT 0 0 5\n"
BROKEN_STREAMS = {
    "tRCD": at_least(6, ACT + "+{gap} RD 0 0 8"),  # 15 ns
    "tRP": at_least(6, ACT + "+25 PRE 0 0\n+{gap} ACT 0 0 6"),  # 15 ns
    "tRAS": at_least(15, ACT + "+{gap} PRE 0 0"),  # 37.5 ns
    "tRAS_PREA": at_least(15, ACT + "+{gap} PREA 0"),
    "tRAS_MAX": at_most(9 * TREFI, PULL_IN + "+0 ACT 0 0 5\n+{gap} PRE 0 0"),
    # tRAS + tRP of each grade are its tRC, so only a part with a longer one can break it alone.
    "tRC": at_least(24 - 15, ACT + "+15 PRE 0 0\n+{gap} ACT 0 0 6", "tRC_ps=60000"),
    "tRRD": at_least(4, ACT + "+{gap} ACT 0 1 5"),  # 10 ns
    "tFAW": at_least(8, ACT + "+4 ACT 0 1 5\n+4 ACT 0 2 5\n+4 ACT 0 3 5\n+{gap} ACT 0 4 5"),  # 50 ns: 20 - 12
    "tCCD": at_least(4, ACT + "+6 RD 0 0 8\n+{gap} RD 0 0 10"),
    "tWTR": at_least(5 + 4 + 4, ACT + "+6 WR 0 0 8 11 0\n+{gap} RD 0 0 8"),  # WL + 4 + max(4, 7.5 ns)
    "tRTW": at_least(6 + 4 + 2 - 5, ACT + "+6 RD 0 0 8\n+{gap} WR 0 0 8 11 0"),  # RL + tCCD + 2 - WL
    "tWR": at_least(5 + 4 + 6, ACT + "+6 WR 0 0 8 11 0\n+{gap} PRE 0 0"),  # WL + 4 + 15 ns
    "tRTP": at_least(4, ACT + "+20 RD 0 0 8\n+{gap} PRE 0 0"),  # max(4, 7.5 ns)
    "tRFC": at_least(64, "@100 REF 0\n+{gap} ACT 0 0 5"),  # 160 ns
    "tMRD": at_least(4, "@100 MRS 0 1 0\n+{gap} MRS 0 3 0"),
    "tMOD": at_least(12, "@100 MRS 0 1 0\n+{gap} ACT 0 0 5"),  # max(12, 15 ns)
    "tDLLK": at_least(512 - 20, "@100 MRS 0 0 1520\n+20 ACT 0 0 5\n+{gap} RD 0 0 8"),
    "tZQinit": at_least(512, MODE_REGISTERS.format(txpr=68) + "+12 ZQCL 0\n+{gap} ACT 0 0 5", "cl=0"),
    "tZQoper": at_least(256, "@100 ZQCL 0\n+{gap} ACT 0 0 5"),
    "tZQCS": at_least(64, "@100 ZQCS 0\n+{gap} ACT 0 0 5"),
    "tXPR": at_least(68, MODE_REGISTERS.format(txpr="{gap}"), "cl=0"),  # tRFC + 10 ns
    "tXP": at_least(3, "@100 PDE 0\n+10 PDX 0\n+{gap} ACT 0 0 5"),  # 7.5 ns
    # max(10, 24 ns), of which ACT takes 3; MR0 with A12 = 0.
    "tXPDLL": at_least(7, "@100 MRS 0 0 420\n+20 PDE 0\n+10 PDX 0\n+3 ACT 0 0 5\n+{gap} RD 0 0 8"),
    "tPD": at_least(3, "@100 PDE 0\n+{gap} PDX 0"),  # tCKE
    "tPD_MAX": at_most(9 * TREFI, PULL_IN + "+0 PDE 0\n+{gap} PDX 0"),
    "tCKE": at_least(3, "@100 PDE 0\n+10 PDX 0\n+{gap} PDE 0"),  # 7.5 ns
    "tACTPDEN": at_least(2, ACT + "+{gap} PDE 0", *FAST_GRADE),
    "tPRPDEN": at_least(2, "@100 PREA 0\n+{gap} PDE 0", *FAST_GRADE),
    "tREFPDEN": at_least(2, "@100 REF 0\n+{gap} PDE 0", *FAST_GRADE),
    "tMRSPDEN": at_least(12, "@100 MRS 0 1 0\n+{gap} PDE 0"),  # tMOD
    "tRDPDEN": at_least(6 + 4 + 1, ACT + "+6 RD 0 0 8\n+{gap} PDE 0"),  # RL + 4 + 1
    "tWRPDEN": at_least(5 + 4 + 6, ACT + "+6 WR 0 0 8 11 0\n+{gap} PDE 0"),  # WL + 4 + tWR
    "tWRAPDEN": at_least(5 + 4 + 6 + 1, ACT + "+6 WRA 0 0 8 11 0\n+{gap} PDE 0"),  # WL + 4 + WR + 1
    "tCKESR": at_least(4, "@100 SRE 0\n+{gap} SRX 0"),  # tCKE + 1
    "tXS": at_least(68, SLEEP + "+{gap} REF 0"),  # tRFC + 10 ns
    "tXSDLL": at_least(512 - 68 - 64, SLEEP + "+68 REF 0\n+64 ACT 0 0 5\n+{gap} RD 0 0 8"),
    "COMMAND_CKE_LOW": Broken("@100 PDE 0\n{gap}\n+10 PDX 0", "", "+5 ACT 0 0 5"),
    "ACT_OPEN_BANK": Broken(ACT + "{gap}", "+15 PRE 0 0\n+6 ACT 0 0 6", "+21 ACT 0 0 6"),
    "RD_CLOSED_BANK": Broken(ACT + "+6 RD 0 {gap} 8", 0, 1),
    "WR_CLOSED_BANK": Broken(ACT + "+6 WR 0 {gap} 8 11 0", 0, 1),
    "REF_OPEN_ROWS": Broken(ACT + "{gap}\n@200 REF 0", "+15 PRE 0 0", ""),
    "MRS_OPEN_ROWS": Broken(ACT + "{gap}\n@200 MRS 0 1 0", "+15 PRE 0 0", ""),
    "ZQ_OPEN_ROWS": Broken(ACT + "{gap}\n@200 ZQCS 0", "+15 PRE 0 0", ""),
    "SRE_OPEN_ROWS": Broken(ACT + "{gap}\n@200 SRE 0", "+15 PRE 0 0", ""),
    # ODT off: ODTLoff = WL - 2 cycles and a half before; MR1 with RTT_NOM.
    "SRE_ODT": at_least(4, "@100 MRS 0 1 4\n+20 ODT 0 1\n+20 ODT 0 0\n+{gap} SRE 0"),
    "ODT_XSDLL": at_least(512, "@100 MRS 0 1 4\n+20 SRE 0\n+10 SRX 0\n+{gap} ODT 0 1"),
    "SRX_REFRESH": Broken(SLEEP + "{gap}\n@400 PDE 0", "+68 REF 0", "+68 PREA 0"),
    "REFRESH_DEBT": at_most(9 * TREFI, "@100 REF 0\n+{gap} REF 0"),
    "REFRESH_BURST": Broken("@100 REF 0\n" + "+64 REF 0\n" * 15 + "+{gap} REF 0", 2 * TREFI - 15 * 64, 64),
    "INIT": Broken(MODE_REGISTERS.format(txpr=68) + "{gap}", "+12 ZQCL 0", "+12 ACT 0 0 5", ("cl=0",)),
    "MR_CL": Broken("@100 MRS 0 0 {gap}", "1420", "1410"),  # CL 5: 12.5 ns, tAA is 15
    "MR_CWL": Broken("@100 MRS 0 2 {gap}", "0", "8"),  # CWL 6 is for clock periods below 2.5 ns
    "MR_WR": Broken("@100 MRS 0 0 {gap}", "1420", "1220"),  # WR 5, tWR is 6
    # Data of a read take 4 cycles; rank 1 needs a fifth between for its preamble.
    "DQ_CONFLICT": Broken(ACT + "+4 ACT 1 0 5\n+6 RD 0 0 8\n+{gap} RD 1 0 8", 5, 3, ("ranks=2",)),
    "RANK_SWITCH": Broken(ACT + "+4 ACT 1 0 5\n+6 RD 0 0 8\n+{gap} RD 1 0 8", 5, 4, ("ranks=2",)),
}

# Other ways to break some rules; each breaks no other rule.
OTHER_WAYS = [
    ("tRP", "@100 PREA 0\n+5 SRE 0"),
    ("tRP", "@100 PREA 0\n+5 MRS 0 1 0"),
    ("tRP", "@100 PRE 0 3\n+5 ACT 0 3 5"),  # also of an idle bank
    ("tRFC", "@100 REF 0\n+63 SRE 0"),
    ("tRFC", "@100 REF 0\n+63 REF 0"),
    ("tMOD", "@100 MRS 0 1 0\n+11 SRE 0"),
    ("tZQCS", "@100 ZQCS 0\n+63 PDE 0"),
    ("tXP", "@100 PDE 0\n+10 PDX 0\n+2 SRE 0"),
    ("tXP", "@100 PDE 0\n+10 PDX 0\n+0 REF 0"),
    ("tXS", SLEEP + "+67 SRE 0"),
    ("tXS", SLEEP + "+67 PDE 0"),
    ("SRX_REFRESH", SLEEP + "+68 SRE 0"),
    ("tCCD", ACT + "+6 WR 0 0 8 11 0\n+3 WR 0 0 10 22 0"),
    ("tWTR", ACT + "+4 ACT 0 1 5\n+6 WR 0 0 8 11 0\n+12 RD 0 1 8"),  # of another bank
    ("tRDPDEN", ACT + "+11 RD 0 0 8\n+4 PRE 0 0\n+6 SRE 0"),  # 10 cycles, rows closed and precharged
    ("tACTPDEN", ACT + "+0 PDE 0"),
    ("tPRPDEN", "@100 PREA 0\n+0 PDE 0"),
    ("tCKE", "@100 PDE 0\n+10 PDX 0\n+1 PDE 0"),
    ("COMMAND_CKE_LOW", "@100 SRE 0\n+10 REF 0\n+10 SRX 0"),
    ("SRE_ODT", "@100 MRS 0 1 4\n+20 ODT 0 1\n+20 SRE 0"),
    ("ODT_XSDLL", "@100 MRS 0 1 4\n+20 SRE 0\n+5 ODT 0 1\n+5 SRX 0"),
    ("REFRESH_DEBT", f"@100 ACT 0 0 5\n+100 PRE 0 0\n@{100 + 9 * TREFI + 1} END"),
]
