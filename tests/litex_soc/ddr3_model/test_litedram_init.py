"""LiteDRAM's generated initialisation is accepted at the pace of software."""

import pytest
from litedram.common import PhySettings
from litedram.init import get_ddr3_phy_init_sequence
from litedram.modules import MT41J128M16
from litedram.phy.model import get_sdram_phy_settings

from tests.litex_soc.ddr3_model.streams import check

COMMANDS = ("WE", "CAS", "RAS")
CSR_WRITE_CLOCKS = 4 * 20  # of the DRAM, for a CSR write of a processor; a command takes several


@pytest.mark.parametrize(
    ("clk_freq", "speed", "grade"),
    [(100e6, "800", "800E"), (133e6, "1066", "1066F"), (200e6, "1600", "1600K")],
)
@pytest.mark.parametrize("nranks", [1, 4])
def test_litedrams_initialisation_is_accepted(check_stream, clk_freq, speed, grade, nranks):
    settings = get_sdram_phy_settings("DDR3", 16, clk_freq)
    module = MT41J128M16(clk_freq, "1:4", speedgrade=speed)
    tck_ps = round(1e12 / clk_freq / 4)
    # Before software takes over, the controller refreshes with CKE high.
    stream = "@4 CKE * 1\n@3000 PREA *\n+40 REF *\n" + "\n".join(sequence(settings, module))
    stream += f"\n+{600} REF 0\n+300 ACT 0 0 5\n+30 WR 0 0 8 5a 0\n+40 RD 0 0 8\n+40 PRE 0 0\n"
    # Fast wake-ups would be a violation: LiteDRAM leaves MR0's A12 at 0.
    stream += "+40 PDE 0\n+40 PDX 0\n+24 ACT 0 0 5\n+30 RD 0 0 8"
    done = check(check_stream, stream, f"grade={grade}", f"tck_ps={tck_ps}", f"ranks={nranks}", "cl=0")
    assert done.rules == []
    assert [read.word for read in done.reads] == [0x5A5A5A5A] * 2


def sequence(settings: PhySettings, module: MT41J128M16) -> list[str]:
    """The initialisation as a stream, to all ranks at once."""
    lines = []
    for _, address, bank, flags, delay in get_ddr3_phy_init_sequence(settings, module.timing_settings)[0]:
        names = [flag.rsplit("_", 1)[1] for flag in flags.split("|")]
        if "CONTROL" in flags:
            lines.append(f"+{CSR_WRITE_CLOCKS} CKE * {int('CKE' in names)}")
            lines.append(f"+0 ODT * {int('ODT' in names)}")
        elif set(COMMANDS) <= set(names):
            lines.append(f"+{3 * CSR_WRITE_CLOCKS} MRS * {bank:x} {address:x}")
        else:
            assert names == ["WE", "CS"] and address == 1 << 10
            lines.append(f"+{3 * CSR_WRITE_CLOCKS} ZQCL *")
        lines.append(f"+{delay} END")
    return lines
