#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The driver as a series of patches for a kernel's source, with a cover letter (git format-patch).

    firmware/linux/patch_series.py SOURCE OUT [--series 7.2]

SOURCE is the unpacked source of that kernel; only the files that the series changes are read. There are the
bindings, the driver, and a patch for each module that adds to it. What differs between kernels (compat.h) is
decided for this one. The files of sysfs are described as in ABI.md.
"""

import argparse
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DRIVER, TEXTS, INCLUDE = HERE / "driver", HERE / "upstream", HERE.parent / "include"
TARGET = "drivers/misc/litemrc"
NAME, EMAIL = "LiteMRC maintainers", "maintainers@litemrc.invalid"  # as in the bindings
AUTHOR = ["-c", f"user.name={NAME}", "-c", f"user.email={EMAIL}"]
CHANGED = ["drivers/misc/Kconfig", "drivers/misc/Makefile", "MAINTAINERS"]
NOT_HERE = {"vexriscv_intc.c", "evacuate.c", "governor.c"}  # another driver; in Linux 6.1 only
MODULES = {"tail": "LITEMRC_TAIL", "ranks": "LITEMRC_RANKS", "tracker": "LITEMRC_OS"}
MAINTAINERS = f"""LITEMRC MEMORY MONITOR
M:	{NAME} <{EMAIL}>
S:	Maintained
F:	Documentation/ABI/testing/sysfs-class-misc-litemrc
F:	Documentation/devicetree/bindings/misc/litex,litemrc-*
F:	{TARGET}/
F:	include/uapi/linux/litemrc.h
"""
_VERSION_TEST = re.compile(r"#if LINUX_VERSION_CODE >= KERNEL_VERSION\((\d+), (\d+), \d+\)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="unpacked source of the kernel")
    parser.add_argument("out", type=Path, help="folder of the patches, which is emptied")
    parser.add_argument("--series", default="7.2", help="version of the kernel (%(default)s)")
    arguments = parser.parse_args()
    if not (arguments.source / "drivers/misc/Kconfig").exists():
        parser.error(f"{arguments.source} is no source of Linux: give the folder with its MAINTAINERS")
    if (arguments.source / "include/trace/events/mm_fault.h").exists():
        parser.error(f"{arguments.source} has fault-tracepoint.patch already: give an unpatched source")
    shutil.rmtree(arguments.out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        series = Series(Path(folder), arguments.source, arguments.series)
        series.write()
        series.format(arguments.out.resolve())
    print(f"wrote {arguments.out}: {len(list(arguments.out.iterdir()))} files")


class Series:
    """A repository with the files of the kernel that change, and a commit for each patch."""

    def __init__(self, tree: Path, source: Path, series: str) -> None:
        self.tree, self.source = tree, source
        self.version = tuple(int(number) for number in series.split("."))
        self._git("init", "-q", "-b", "series")
        self._fault = HERE / "fault-tracepoint.patch"
        for name in [*CHANGED, *re.findall(r"^--- a/(.*)", self._fault.read_text(), re.M)]:
            self._put(name, (source / name).read_text())
        self._commit("base")

    def write(self) -> None:
        """Commit the patches in their order."""
        for binding in sorted((DRIVER / "bindings/misc").glob("litex,litemrc-[mr][oa]*.yaml")):
            self._put(f"Documentation/devicetree/bindings/misc/{binding.name}", binding.read_text())
        self._commit("1-bindings")
        self._add_driver()
        self._commit("2-litemrc")
        for number, name in ((3, "tail"), (4, "ranks")):
            self._add_module(name)
            self._commit(f"{number}-{name}")
        subprocess.run(
            ["patch", "-s", "-p1", "--no-backup-if-mismatch", "-i", self._fault], cwd=self.tree, check=True
        )
        self._commit("5-fault")
        self._add_module("tracker")
        self._commit("6-tracker")

    def format(self, out: Path) -> None:
        """Write the patches and the cover letter."""
        self._git(*AUTHOR, "format-patch", "-q", "--cover-letter", "-o", str(out), "HEAD~6")
        (cover,) = out.glob("0000-*")
        subject, _, text = (TEXTS / "0-cover.txt").read_text().partition("\n\n")
        letter = cover.read_text().replace("*** SUBJECT HERE ***", subject)
        cover.write_text(letter.replace("*** BLURB HERE ***", text.strip()))

    def _add_driver(self) -> None:
        for file in sorted(DRIVER.glob("*.[ch]")):
            if file.name not in NOT_HERE:
                self._put(f"{TARGET}/{file.name}", self._adapted(file))
        uapi = (INCLUDE / "litemrc_uapi.h").read_text()
        self._put("include/uapi/linux/litemrc.h", uapi)
        self._put(f"{TARGET}/litemrc_regs.h", (INCLUDE / "litemrc_regs.h").read_text())
        self._put("Documentation/ABI/testing/sysfs-class-misc-litemrc", abi_of((HERE / "ABI.md").read_text()))
        kbuild = (DRIVER / "Kbuild").read_text()
        objects = re.findall(r"^litemrc-.*$", kbuild, re.M)
        lines = ["# SPDX-License-Identifier: GPL-2.0", "ccflags-y := -I$(src)", ""]
        self._put(
            f"{TARGET}/Makefile", "\n".join([*lines, "obj-$(CONFIG_LITEMRC) += litemrc.o", *objects, ""])
        )
        self._put(f"{TARGET}/Kconfig", self._options("LITEMRC"))
        self._edit("drivers/misc/Makefile", lambda text: text + "obj-$(CONFIG_LITEMRC)\t\t+= litemrc/\n")
        self._edit(
            "drivers/misc/Kconfig", lambda text: _before(text, "endmenu\n", f'source "{TARGET}/Kconfig"\n')
        )
        self._edit("MAINTAINERS", _with_maintainers)

    def _add_module(self, name: str) -> None:
        option = MODULES[name]
        for file in sorted((DRIVER / name).glob("*.[ch]")):
            if file.name not in NOT_HERE:
                self._put(f"{TARGET}/{name}/{file.name}", self._adapted(file))
        kbuild = (DRIVER / name / "Kbuild").read_text()
        (module,) = re.findall(r"^obj-m := (.*)$", kbuild, re.M)
        objects = re.search(r"^litemrc_\w+-y := .*$", kbuild, re.M)[0]
        head = "# SPDX-License-Identifier: GPL-2.0\nccflags-y := -I$(src)/..\n"
        self._put(f"{TARGET}/{name}/Makefile", f"{head}\nobj-$(CONFIG_{option}) += {module}\n{objects}\n")
        self._edit(f"{TARGET}/Makefile", lambda text: f"{text}obj-$(CONFIG_{option}) += {name}/\n")
        self._edit(f"{TARGET}/Kconfig", lambda text: f"{text}\n{self._options(option)}")

    def _options(self, name: str) -> str:
        """Return an entry of Kconfig, the first one with the licence above."""
        text = (TEXTS / "Kconfig").read_text()
        entry = re.search(rf"^config {name}\n(?:(?!config ).*\n?)*", text, re.M)[0].rstrip("\n") + "\n"
        return entry if name != "LITEMRC" else text[: text.index("config")] + entry

    def _adapted(self, file: Path) -> str:
        text = file.read_text().replace('"litemrc_uapi.h"', "<uapi/linux/litemrc.h>")
        return decided(text, self.version) if file.name == "compat.h" else text

    def _put(self, name: str, text: str) -> None:
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def _edit(self, name: str, change) -> None:
        self._put(name, change((self.tree / name).read_text()))

    def _commit(self, name: str) -> None:
        text = (TEXTS / f"{name}.txt").read_text() if name != "base" else name
        self._git("add", "-A")
        self._git(*AUTHOR, "commit", "-q", "-s", "-m", text)

    def _git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.tree, check=True)


def decided(text: str, version: tuple[int, ...]) -> str:
    """Return a source whose tests of the kernel's version are decided."""
    kept, out, depth = [], [], 0
    for line in text.splitlines():
        if match := _VERSION_TEST.match(line):
            kept.append([depth, version >= (int(match[1]), int(match[2]))])
            depth += 1
            continue
        depth += line.startswith("#if")
        if kept and depth == kept[-1][0] + 1 and line.startswith("#else"):
            kept[-1][1] = not kept[-1][1]
            continue
        if line.startswith("#endif"):
            depth -= 1
            if kept and depth == kept[-1][0]:
                kept.pop()
                continue
        if all(keep for _, keep in kept):
            out.append(line)
    return "\n".join(line for line in out if line != "#include <linux/version.h>") + "\n"


def abi_of(page: str) -> str:
    """Return the entries of Documentation/ABI of the files that the tables of ABI.md list."""
    entries, folder = [], ""
    for line in page.splitlines():
        if line.startswith("## "):
            named = re.search(r"`S/([\w/]*N?/)`", line)
            folder = named[1] if named else ""
        row = re.fullmatch(r"\| (`[^|]*`) \| (r|w|rw) \| (.*) \|", line)
        for name in re.findall(r"`([^`]+)`", row[1]) if row else ():
            path = name.removeprefix("S/") if name.startswith("S/") else folder + name
            entries.append(_entry(f"/sys/class/misc/litemrcN/{path}", row[2].upper(), _plain(row[3])))
    return "\n".join(entries)


def _entry(path: str, access: str, text: str) -> str:
    lines, width = [], 62
    for word in f"({access}) {text}".split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    description = "\n".join(f"\t\t{line}" for line in lines)
    head = f"What:\t\t{path}\nDate:\t\tNovember 2026\nContact:\t{NAME} <{EMAIL}>\n"
    return f"{head}Description:\n{description}\n"


def _plain(text: str) -> str:
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("`", "").replace("S/", "")


def _before(text: str, mark: str, added: str) -> str:
    head, found, tail = text.rpartition(mark)
    if not found:
        raise SystemExit(f"no {mark.strip()} in the kernel's file: another version of Linux?")
    return head + added + found + tail


def _with_maintainers(text: str) -> str:
    """Insert the entry in the order of the alphabet."""
    place = re.search(r"^LITEX PLATFORM\n", text, re.M)
    if not place:
        raise SystemExit("no LITEX PLATFORM in MAINTAINERS: another version of Linux?")
    return text[: place.start()] + MAINTAINERS + "\n" + text[place.start() :]


if __name__ == "__main__":
    main()
