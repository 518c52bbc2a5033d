"""Faults seeded into copies of the units: a bench that does not find them is worth nothing."""

import shutil
from dataclasses import dataclass

from builder import TRUE_SOURCES, Sources
from mutation import mutated_source
from products import BUILD, REPO

GATEWARE = "litex-soc/litemrc_gateware"


@dataclass(frozen=True)
class Mutant:
    """One text in one source replaced by another; the text must stand there exactly once."""

    name: str
    source: str  # path in the repository
    old: str
    new: str

    def sources(self) -> Sources:
        """Copies of all sources under build/, with the fault in them.

        :raises ValueError: if the text to replace does not stand exactly once in the source.
        """
        folder = BUILD / "mutants" / self.name
        for path in [*TRUE_SOURCES.rtl_files(), *TRUE_SOURCES.hls_files()]:
            copy = folder / path.relative_to(REPO)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        (folder / self.source).write_text(mutated_source(REPO / self.source, self.old, self.new))
        return Sources(rtl=folder / "litex-soc", hls=folder / "hls", label=self.name)
