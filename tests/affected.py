# SPDX-License-Identifier: BSD-2-Clause
"""Names the test folders that a change concerns.

    python -m tests.affected [--base COMMIT]

prints one line for each folder of tests that depends on a file changed since COMMIT, committed or not, and
the first such file. Without --base the change is that of the last 24 hours before HEAD, because the nightly
job runs all tests. If git does not know that commit (a shallow clone), all folders are printed.

Python files depend on each other by their imports, wherever in the file they stand. What is built
(simulators, firmware, kernel, native code) is imported by no test: `BUILT` lists its folders of tests.
"""

import argparse
import ast
import subprocess
import sys
import tomllib
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
PACKAGES = ("host", "litex-soc")

STUDIES = "host/litemrc_studies"  # each paper has its tests in its folder
# What is not imported, and the tests of what is made of it; the longest prefix counts. "*": all tests.
BUILT = {
    "pyproject.toml": ("*",),
    "scripts/setup": ("*",),
    "conftest.py": ("*",),
    "bench": (),
    "docs": ("docs",),
    "examples": ("docs", "litex_soc"),
    "firmware/baremetal": ("firmware", "soc", "renode"),
    "firmware/baremetal/bandwidth": ("board_sim",),
    "firmware/boot": ("firmware/boot", "linux", "board_sim"),
    "firmware/daemon": ("firmware/daemon", "fuzz", "linux"),
    "firmware/include": ("firmware", "fuzz", "host/device", "linux", "models", "soc"),
    "firmware/service": ("firmware", "fuzz", "host/device", "linux", "models", "soc"),
    "firmware/linux": ("linux", "firmware/daemon", "host/traces"),
    "hls": ("cosim", "hls", "hls_verilog", "host/native", "models"),
    "host/litemrc/native": ("host/native", "host/policies", "host/api", STUDIES),
    STUDIES: (STUDIES,),
    "litex-soc": ("gateware", "litex_soc", "cosim", "soc", "linux", "board_sim"),
    "models": ("models", "renode", "host/traces/qemu"),
    "renode": ("renode",),
    "scripts/boards": ("scripts", "litex_soc"),
}


def changed_files(base: str | None) -> list[str] | None:
    """Return the paths that differ from `base` (default: a day before HEAD); None if git does not know it."""
    try:
        if base is None:
            date = int(_git("show", "--no-patch", "--format=%ct", "HEAD"))
            base = _git("rev-list", "--max-count=1", f"--before={date - 24 * 3600}", "HEAD")
        if not base:
            return None
        listed = _git("diff", "--name-only", base, "--")
        return [*listed.splitlines(), *_git("ls-files", "--others", "--exclude-standard").splitlines()]
    except subprocess.CalledProcessError:
        return None


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", REPO, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


class ImportGraph:
    """The imports between the repository's Python files."""

    def __init__(self) -> None:
        settings = tomllib.loads((REPO / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
        roots = [REPO / root for root in (*PACKAGES, *settings["pythonpath"])]
        files = [
            REPO / name
            for name in _git("ls-files", "--cached", "--others", "--exclude-standard", "*.py").splitlines()
        ]
        self._modules: dict[str, list[Path]] = defaultdict(list)
        for file in files:
            for root in roots:
                if file.is_relative_to(root):
                    parts = file.relative_to(root).with_suffix("").parts
                    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                    self._modules[name].append(file)
        self._importers: dict[Path, set[Path]] = defaultdict(set)
        for file in files:
            if file.exists():
                for name in _imported(file):
                    for target in self._modules.get(name, ()):
                        self._importers[target].add(file)
        for file in files:  # a folder's fixtures
            if file.name == "conftest.py":
                self._importers[file].update(
                    test
                    for test in files
                    if test.name.startswith("test_") and test.is_relative_to(file.parent)
                )

    def dependents(self, file: Path) -> set[Path]:
        """Return the files that import `file`, directly or not, with itself."""
        found, waiting = {file}, deque([file])
        while waiting:
            new = self._importers[waiting.popleft()] - found
            found |= new
            waiting.extend(new)
        return found


def _imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def affected(paths: Iterable[str], graph: ImportGraph) -> dict[str, str]:
    """Return the folders of tests that depend on the paths, each with the first path that it depends on."""
    folders: dict[str, str] = {}
    for path in sorted(paths):
        for folder in _folders(path, graph):
            folders.setdefault(folder, path)
    parents = {
        folder for folder in folders for other in folders if other != folder and _inside(other, folder)
    }
    nested = {
        folder for folder in folders for parent in parents if folder != parent and _inside(folder, parent)
    }
    return {folder: path for folder, path in sorted(folders.items()) if folder not in nested}


def _inside(folder: str, parent: str) -> bool:
    return folder.startswith(f"{parent}/")


def _folders(path: str, graph: ImportGraph) -> Iterator[str]:
    file = REPO / path
    if file.suffix == ".py":
        for dependent in graph.dependents(file):
            if dependent.name.startswith("test_") and dependent.exists():
                yield str(dependent.parent.relative_to(REPO))
    elif "tests" in Path(path).parts:
        yield str(Path(path).parent)
    prefixes = [prefix for prefix in BUILT if path == prefix or _inside(path, prefix)]
    if prefixes:
        for folder in BUILT[max(prefixes, key=len)]:
            if folder == "*":
                yield from ("tests", STUDIES)
            else:
                yield folder if folder == STUDIES else f"tests/{folder}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", metavar="COMMIT", help="default: that of 24 hours before HEAD")
    args = parser.parse_args()
    paths = changed_files(args.base)
    if paths is None:
        print("tests: the commit to compare with is not in this clone")
        return 0
    for folder, path in affected(paths, ImportGraph()).items():
        print(f"{folder}: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
