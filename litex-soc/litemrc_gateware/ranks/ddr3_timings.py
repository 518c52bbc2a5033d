# SPDX-License-Identifier: BSD-2-Clause
"""DDR3's minimum times of power-down and self-refresh, in cycles of the controller."""

from dataclasses import dataclass
from math import ceil

from litedram.init import get_sdram_phy_init_sequence


@dataclass(frozen=True)
class AtLeast:
    """A minimum as in datasheets: the larger of a number of DRAM cycles and a number of nanoseconds."""

    nck: int
    ns: float = 0.0

    def clocks(self, tck_ns: float, nphases: int) -> int:
        """In cycles of the controller, of `nphases` cycles of the DRAM each, rounded up."""
        return ceil(max(self.nck, ceil(self.ns / tck_ns - 1e-3)) / nphases)


@dataclass(frozen=True)
class Grade:
    """The times that depend on the speed grade: JESD79-3F, tables 68 and 69, "Power Down Timing"."""

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
TXPDLL = AtLeast(10, 24.0)  # power-down exit to a command that needs the DLL, if the DLL was off
TDLLK = AtLeast(512)  # self-refresh exit to a command that needs the DLL (tXSDLL)
TMOD = AtLeast(12, 15.0)  # mode register set to any other command; more than tMRD (4 nCK) everywhere
TREFI_NS = 64e6 / 8192  # up to 85 degrees C
TXS_BEYOND_TRFC_NS = 10.0  # tXS = max(5 nCK, tRFC + 10 ns)
TXS_NCK = 5
TCKESR_BEYOND_TCKE_NCK = 1


@dataclass(frozen=True)
class PowerTimings:
    """Minimum distances in cycles of the controller; JEDEC's names.

    They are those of the grade of the clock in use: a faster part meets the times of a slower grade.

    Attributes
    ----------
    tCKE, tCKESR
        CKE low in power-down, in self-refresh.
    tXP, tXPDLL
        power-down exit to a command, to a column command. LiteDRAM's BIOS leaves MR0 A12 at 0,
        slow exit; with fast exit tXP would be enough.
    tXS, tXSDLL
        the same for self-refresh.
    tMOD
        mode register set to any command.
    tRDPDEN
        read command, in any phase, to CKE low in the first phase of a cycle.
    tRP, tRCD, tRAS, tRFC
        LiteDRAM's own, for the module in use.
    tREFI
        rounded down. LiteDRAM rounds it up, so that its refreshes lag by one in about 1000.
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
        """The timings of a LiteDRAM controller.

        Parameters
        ----------
        settings
            ControllerSettings, as the controller has completed it.
        clk_freq
            of the controller, Hz.

        Raises
        ------
        ValueError
            if the memory is not DDR3, or its clock is faster than every grade.
        """
        phy, timing = settings.phy, settings.timing
        if phy.memtype != "DDR3":
            raise ValueError(
                f"rank power: this board has {phy.memtype} memory; only DDR3 is supported: "
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

        # On top of LiteDRAM's tRFC, which is whole cycles and at least the datasheet's.
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
            # RL + 4 + 1; in the worst case from the last phase of its cycle.
            tRDPDEN=clocks(AtLeast(phy.cl + 5 + nphases - 1)),
            tRP=timing.tRP,
            tRCD=timing.tRCD,
            tRAS=timing.tRAS or 0,
            tRFC=timing.tRFC,
            tREFI=_refresh_interval(clk_freq),
        )


def round_refresh_interval_down(module, clk_freq: float) -> None:
    """Set tREFI of a LiteDRAM module, which rounds it up: after 65 ms it would owe more than 8 refreshes."""
    module.timing_settings.tREFI = _refresh_interval(clk_freq)


def _refresh_interval(clk_freq: float) -> int:
    return int(TREFI_NS * clk_freq / 1e9)


def mode_register_2(settings) -> int:
    """MR2 as LiteDRAM initialises the memory; its PASR field (the lowest 3 bits) is 0."""
    sequence, _ = get_sdram_phy_init_sequence(settings.phy, settings.timing)
    (value,) = [address for name, address, *_ in sequence if "Mode Register 2" in name]
    return value
