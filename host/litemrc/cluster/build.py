"""Which code computes: the version of LiteMRC and digests of its sources and of the native core."""

from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path


@cache
def build(*packages: str) -> str:
    """Return the version and a digest of the Python sources of packages, such as 0.1.0+3f2a9c01.

    Two checkouts of a repository have one version, and may compute different things.

    Parameters:
        packages: litemrc alone if none is given.
    """
    specs = map(find_spec, packages or ["litemrc"])
    folders = [Path(spec.origin).parent for spec in specs if spec and spec.origin]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    return f"{version('litemrc')}+{_digest(files)}"


@cache
def native_build(*cores: str) -> str:
    """Return a digest of the compiled engines; it differs between kinds of processors, too."""
    specs = map(find_spec, cores or ["litemrc.native._core"])
    return _digest([Path(spec.origin) for spec in specs if spec and spec.origin])


def _digest(files: list[Path]) -> str:
    found = blake2b(digest_size=8)
    for file in files:
        content = file.read_bytes()
        name = "/".join(file.parts[-3:])
        found.update(f"{name} {len(content)}\n".encode() + content)
    return found.hexdigest()
