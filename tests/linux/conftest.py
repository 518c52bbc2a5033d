"""Linux of `make linux-images`, booted once in qemu for all tests of this folder."""

import pytest
from linux.console import Console
from linux.qemu import IMAGES, Qemu


@pytest.fixture(scope="session")
def images():
    """The folder of the images."""
    missing = [name for name in ("Image", "initramfs.cpio", "shim-virt.bin") if not (IMAGES / name).exists()]
    assert not missing, f"{IMAGES} has no {', '.join(missing)}; run: make linux-images"
    return IMAGES


@pytest.fixture(scope="session")
def linux(images, tmp_path_factory) -> Console:
    """The shell, as root."""
    with Qemu(tmp_path_factory.mktemp("linux")) as console:
        yield console
