# SPDX-License-Identifier: BSD-2-Clause
"""A copy of the repository in which modules can be broken while others work in the original."""

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
BUILD = REPO / "build" / "mutants"
# What exercises the host package and needs no simulator, kernel or emulator.
STUDIES = "host/litemrc_studies"
TESTS = ("tests/host", "tests/firmware/link", "tests/scripts", STUDIES)
UNFIT = "not cosim and not soc"
# In a subprocess the context is the test that started it.
_START_COVERAGE = """
import os
if "COVERAGE_PROCESS_CONFIG" in os.environ:
    import coverage
    if started := coverage.process_startup():
        started.switch_context(os.environ.get("PYTEST_CURRENT_TEST", ""))
"""


@dataclass(frozen=True)
class Workspace:
    """A tree, and a Python that imports the package from it and everything else from .venv."""

    tree: Path
    python: Path

    def pytest(self, *arguments: str, timeout: float | None = None) -> int:
        """Run pytest in the tree, silently; its exit code, or 1 if the time is up.

        Parameters
        ----------
        timeout
            seconds of wall time.
        """
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "agg"}
        environment["PATH"] = f"{self.python.parent}{os.pathsep}{environment['PATH']}"
        command = [str(self.python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        with (self.tree.parent / f"{self.tree.name}.log").open("w") as log:
            process = subprocess.Popen(
                command, cwd=self.tree, env=environment, stdout=log, stderr=log, start_new_session=True
            )
            try:
                return process.wait(timeout)
            except subprocess.TimeoutExpired:
                return 1
            finally:
                _end_group(process)


def workspace(name: str) -> Workspace:
    """Make or refresh a workspace under build/mutants.

    The venv sees the packages of .venv without its .pth files, so that the editable install is not found.
    """
    tree, venv = BUILD / name, BUILD / f"{name}-venv"
    shutil.rmtree(tree, ignore_errors=True)
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for file in filter(None, files.split("\0")):
        if (REPO / file).is_file():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPO / file, tree / file)
    for package in ("litemrc.native", "litemrc_studies"):
        core = Path(importlib.util.find_spec(f"{package}._core").origin)
        shutil.copy2(core, tree / "host" / Path(*package.split(".")) / core.name)
    # Programs that tests build once are taken over; benches that take long are not.
    for product in ("ap_types", "link"):
        if (REPO / "build" / product).is_dir():
            shutil.copytree(REPO / "build" / product, tree / "build" / product)
    if not venv.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    packages = venv / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)
    # .pth files of .venv are not read here, so coverage's, which starts it in subprocesses, is repeated.
    (packages / "mutants.pth").write_text(
        f"{tree / 'host'}\n{sysconfig.get_path('purelib')}\nimport sys; exec({_START_COVERAGE!r})\n"
    )
    return Workspace(tree, venv / "bin" / "python")


def _end_group(process: subprocess.Popen) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()
