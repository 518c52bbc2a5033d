"""What Zhou et al. 2004 report in table 2."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A row of the paper's table 2, original and MRC-MM: times in s, page faults (of Apache, per 100 s)."""

    process: str
    times: tuple[float, float]
    faults: tuple[int, int]


_INTR_LINEAR = (Row("intr", (9.8, 2.7), (30317, 21115)), Row("linear", (462, 337), (25114, 25193)))
TABLE_2 = {
    "apache_gzip": (Row("apache", (0.07, 0.03), (474, 301)), Row("gzip", (739, 706), (46279, 47341))),
    "apache_gcc": (Row("apache", (0.10, 0.04), (604, 305)), Row("gcc", (325, 353), (20175, 21506))),
    "apache_linear": (Row("apache", (0.07, 0.017), (336, 174)), Row("linear", (381, 279), (39369, 40108))),
    "intr_linear": _INTR_LINEAR,
    "intr_linear_short": _INTR_LINEAR,
    "intr_gzip": (Row("intr", (8.5, 1.4), (58159, 21454)), Row("gzip", (883, 797), (50913, 52959))),
    "intr_gcc": (Row("intr", (5.7, 2.3), (35471, 15190)), Row("gcc", (801, 842), (23387, 25164))),
}
# As printed in the paper, which computed them from times with more digits than it prints.
PAPER_SPEEDUPS = {
    "apache_gzip": (2.29, 1.05),
    "apache_gcc": (2.53, 0.92),
    "apache_linear": (4.04, 1.37),
    "intr_linear": (3.61, 1.37),
    "intr_linear_short": (3.61, 1.37),
    "intr_gzip": (5.86, 1.10),
    "intr_gcc": (2.53, 0.95),
}
