"""What `make linux` built, as images for the simulator's DRAM."""

import json
from pathlib import Path

from litemrc.device.dram_files import Image
from litemrc.errors import UserError

LIST = "images.json"


def linux_images(folder: Path) -> list[Image]:
    """Kernel, device tree and initramfs of a folder, each with its address.

    Raises:
        UserError: the folder has no list of images, or lacks one of them.
    """
    try:
        listed = json.loads((folder / LIST).read_text())
        return [(entry["address"], (folder / entry["file"]).read_bytes()) for entry in listed]
    except OSError as error:
        raise UserError("Linux is not built", where=str(error.filename), remedy="run: make linux") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"not a list of images: {error}", where=str(folder / LIST), remedy="run: make linux"
        ) from error
