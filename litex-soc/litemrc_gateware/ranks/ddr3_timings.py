"""Times that DDR3 asks for around power-down and self-refresh, in cycles of the controller."""

from dataclasses import dataclass
from math import ceil

from litedram.init import get_sdram_phy_init_sequence


@dataclass(frozen=True)
class AtLeast:
    """A minimum as datasheets give it: so many cycles of the DRAM and so many nanoseconds."""

    nck: int
    ns: float = 0.0

    def clocks(self, tck_ns: float, nphases: int) -> int:
        """In cycles of the controller, of `nphases` cycles of the DRAM each, rounded up."""
        return ceil(max(self.nck, ceil(self.ns / tck_ns - 1e-3)) / nphases)


@dataclass(frozen=True)
class Grade:
    """What depends on the speed grade: JESD79-3F, table 68 and 69, "Power Down Timing"."""

    tCKE: AtLeast  # noqa: N815 - JEDEC's names
    tXP: AtLeast  # noqa: N815


# By data rate, MT/s. The same values: Micron MT41J128M16 (2 Gb DDR3, Rev. P), table 57; Samsung K4B2G0446D.
GRADES = {
    800: Grade(tCKE=AtLeast(3, 7.5), tXP=AtLeast(3, 7.5)),
    1066: Grade(tCKE=AtLeast(3, 5.625), tXP=AtLeast(3, 7.5)),
    1333: Grade(tCKE=AtLeast(3, 5.625), tXP=AtLeast(3, 6.0)),
    1600: Grade(tCKE=AtLeast(3, 5.0), tXP=AtLeast(3, 6.0)),
    1866: Grade(tCKE=AtLeast(3, 5.0), tXP=AtLeast(3, 6.0)),
    2133: Grade(tCKE=AtLeast(3, 5.0), tXP=AtLeast(3, 6.0)),
}
# The same for all grades.
TXPDLL = AtLeast(10, 24.0)  # power-down exit to a command that needs the DLL, if it stood still meanwhile
TDLLK = AtLeast(512)  # self-refresh exit to a command that needs the DLL (tXSDLL)
TMOD = AtLeast(12, 15.0)  # mode register set to any other command; more than tMRD (4 nCK) everywhere
TREFI_NS = 64e6 / 8192  # up to 85 degrees C
TXS_BEYOND_TRFC_NS = 10.0  # tXS = max(5 nCK, tRFC + 10 ns)
TXS_NCK = 5
TCKESR_BEYOND_TCKE_NCK = 1


@dataclass(frozen=True)
class PowerTimings:
    """Minimum distances in cycles of the controller; JEDEC's names.

    Taken for the grade of the clock in use: a faster part meets the times of a slower grade.

    Attributes:
        tCKE, tCKESR: CKE low in power-down, in self-refresh.
        tXP, tXPDLL: power-down exit to a command, to a column command. LiteDRAM's BIOS leaves MR0 A12 at 0,
            slow exit; fast exit would be content with tXP.
        tXS, tXSDLL: the same of self-refresh.
        tMOD: mode register set to anything.
        tRDPDEN: read command, in any phase, to CKE low in the first phase of a cycle.
        tRP, tRCD, tRAS, tRFC: LiteDRAM's own, for the module in use.
        tREFI: rounded down. LiteDRAM's is rounded up, so that its refreshes fall behind by one in about 1000.
    """

    tCKE: int  # noqa: N815
    tCKESR: int  # noqa: N815
    tXP: int  # noqa: N815
    tXPDLL: int  # noqa: N815
    tXS: int  # noqa: N815
    tXSDLL: int  # noqa: N815
    tMOD: int  # noqa: N815
    tRDPDEN: int  # noqa: N815
    tRP: int  # noqa: N815
    tRCD: int  # noqa: N815
    tRAS: int  # noqa: N815
    tRFC: int  # noqa: N815
    tREFI: int  # noqa: N815

    @classmethod
    def of_controller(cls, settings, clk_freq: float) -> "PowerTimings":
        """Those of a LiteDRAM controller.

        :param settings: ControllerSettings, as the controller has completed it.
        :param clk_freq: of the controller, Hz.
        :raises ValueError: if the memory is no DDR3, or no grade is as fast as its clock.
        """
        phy, timing = settings.phy, settings.timing
        if phy.memtype != "DDR3":
            raise ValueError(
                f"rank power: this board has {phy.memtype} memory, but only DDR3's power states are known: "
                f"build it without rank power"
            )
        nphases = phy.nphases
        tck_ns = 1e9 / (clk_freq * nphases)
        rate = 2000 / tck_ns
        fast_enough = [grade for grade in GRADES if grade >= rate * 0.999]
        if not fast_enough:
            raise ValueError(
                f"rank power: {rate:.0f} MT/s is faster than DDR3-{max(GRADES)}: "
                f"lower the clock ({clk_freq} Hz)"
            )
        grade = GRADES[min(fast_enough)]

        def clocks(limit: AtLeast) -> int:
            return limit.clocks(tck_ns, nphases)

        # Beyond LiteDRAM's tRFC, which is whole cycles and not below the datasheet's.
        txs = timing.tRFC + AtLeast(0, TXS_BEYOND_TRFC_NS).clocks(tck_ns, nphases)
        return cls(
            tCKE=clocks(grade.tCKE),
            tCKESR=clocks(
                AtLeast(
                    grade.tCKE.nck + TCKESR_BEYOND_TCKE_NCK, grade.tCKE.ns + TCKESR_BEYOND_TCKE_NCK * tck_ns
                )
            ),
            tXP=clocks(grade.tXP),
            tXPDLL=clocks(TXPDLL),
            tXS=max(txs, clocks(AtLeast(TXS_NCK))),
            tXSDLL=clocks(TDLLK),
            tMOD=clocks(TMOD),
            # RL + 4 + 1, from the last phase of its cycle at worst.
            tRDPDEN=clocks(AtLeast(phy.cl + 5 + nphases - 1)),
            tRP=timing.tRP,
            tRCD=timing.tRCD,
            tRAS=timing.tRAS or 0,
            tRFC=timing.tRFC,
            tREFI=_refresh_interval(clk_freq),
        )


def round_refresh_interval_down(module, clk_freq: float) -> None:
    """Sets tREFI of a LiteDRAM module, which rounds it up: after 65 ms it would owe more than 8 refreshes."""
    module.timing_settings.tREFI = _refresh_interval(clk_freq)


def _refresh_interval(clk_freq: float) -> int:
    return int(TREFI_NS * clk_freq / 1e9)


def mode_register_2(settings) -> int:
    """MR2 as LiteDRAM initialises the memory; its PASR field (the lowest 3 bits) is 0."""
    sequence, _ = get_sdram_phy_init_sequence(settings.phy, settings.timing)
    (value,) = [address for name, address, *_ in sequence if "Mode Register 2" in name]
    return value
