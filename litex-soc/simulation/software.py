"""The C libraries of simulated SoCs: picolibc, which takes longest, is compiled once for a processor."""

import fcntl
import hashlib
import shutil
from importlib.metadata import version
from pathlib import Path

# The libraries that the bare-metal firmware links; no BIOS. What boots Linux links none.
LIBRARIES = ("libc", "libcompiler_rt", "libbase", "liblitedram")


def build_with_libraries(builder, libraries=LIBRARIES, **options):
    """`builder.build(**options)` with these of LiteX's libraries alone; libc as a build beside it left it.

    :param builder: LiteX's, whose output folder is one of several in a folder.
    """
    keep = [package for package in builder.software_packages if package[0] in libraries]
    builder.software_packages, builder.software_libraries = keep, list(libraries)
    if "libc" not in libraries:
        builder.build(**options)
        return
    output = Path(builder.output_dir)
    kept, made = output.parent / f"libc-{_digest(builder.soc.cpu)}", output / "software" / "libc"
    with (output.parent / "libc.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            builder.build(**options)
            _copy(made, kept)
            return
    if not made.exists():
        _copy(kept, made)
    builder.build(**options)


def _digest(cpu):
    """Of what the library is made from."""
    packages = ("litex", "pythondata-software-picolibc")
    words = [cpu.gcc_flags, *(version(package) for package in packages)]
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]


def _copy(made, to):
    """What others need of it, with the times that tell make that it is made; complete when it is there."""
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(aside := to.with_name(f"{to.name}.new"), ignore_errors=True)
    aside.mkdir()
    for path in made.iterdir():
        if path.is_file():
            shutil.copy2(path, aside)
    aside.replace(to)
