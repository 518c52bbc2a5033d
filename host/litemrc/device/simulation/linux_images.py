"""The products of `make linux` as images for the simulator's DRAM."""

import json
from pathlib import Path

from litemrc.device.simulation.dram_files import Image
from litemrc.errors import UserError

LIST = "images.json"


def linux_images(folder: Path) -> list[Image]:
    """Kernel, device tree and initramfs of a folder, each with its address.

    Raises:
        UserError: the folder has no list of images, lacks one of them, or has one of another size: the device
            tree says where the initramfs ends, and Linux would read that much of it.
    """
    try:
        listed = json.loads((folder / LIST).read_text())
        images = [(entry["address"], (folder / entry["file"]).read_bytes()) for entry in listed]
        for entry, (_, image) in zip(listed, images, strict=True):
            if len(image) != entry["bytes"]:
                what = f"has {len(image):,} bytes, and {entry['bytes']:,} when the device tree was made"
                raise UserError(what, where=str(folder / entry["file"]), remedy="run: make linux-ready")
        return images
    except OSError as error:
        raise UserError("Linux is not built", where=str(error.filename), remedy="run: make linux") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"not a list of images: {error}", where=str(folder / LIST), remedy="run: make linux"
        ) from error


def listed_names(folder: Path) -> list[str]:
    """Return the file of each of `linux_images`, in the same order."""
    return [entry["file"] for entry in json.loads((folder / LIST).read_text())]
