# SPDX-License-Identifier: BSD-2-Clause
"""Faults seeded into copies of the units, to check that the benches find them."""

import shutil
from dataclasses import dataclass

from tests.cosim.builder import TRUE_SOURCES, Sources
from tests.mutation import mutated_source
from tests.products import BUILD, REPO

GATEWARE = "litex-soc/litemrc_gateware"


@dataclass(frozen=True)
class Mutant:
    """One text in one source replaced by another; the text must occur exactly once."""

    name: str
    source: str  # path in the repository
    old: str
    new: str

    def sources(self) -> Sources:
        """Copy all sources to build/, with the fault.

        Raises
        ------
        ValueError
            if the text to replace does not occur exactly once in the source.
        """
        folder = BUILD / "mutants" / self.name
        for path in [*TRUE_SOURCES.rtl_files(), *TRUE_SOURCES.hls_files()]:
            copy = folder / path.relative_to(REPO)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        (folder / self.source).write_text(mutated_source(REPO / self.source, self.old, self.new))
        return Sources(rtl=folder / "litex-soc", hls=folder / "hls", label=self.name)
