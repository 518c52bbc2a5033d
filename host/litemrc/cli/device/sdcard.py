# SPDX-License-Identifier: BSD-2-Clause
"""`litemrc sdcard`: write the image of an SD card that a board boots Linux from."""

import argparse
from pathlib import Path

_EPILOG = """\
The image has one FAT partition of 64 MiB; nobody needs to be root. Write it to a card with
dd if=sd.img of=/dev/sdX bs=4M conv=fsync, Raspberry Pi Imager or balenaEtcher; or copy the files of
build/BOARD-linux/boot to a card that has a FAT partition. The same files make the same image.
"""
BOARDS = ("ulx3s", "orangecrab", "arty")  # those with an SD card


def set_argparser(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `litemrc sdcard`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--board", choices=BOARDS, help="board name, as in `make BOARD-linux`")
    source.add_argument(
        "--bundle", metavar="FOLDER", type=Path, help="bundle of `make bundle BOARD=BOARD-linux`"
    )
    parser.add_argument("--out", required=True, metavar="FILE", type=Path, help="image to write, or a device")
    parser.add_argument(
        "--from",
        dest="folder",
        metavar="FOLDER",
        type=Path,
        help="folder of boot.json and its files (build/BOARD-linux/boot)",
    )


def main(args: argparse.Namespace) -> int:
    """Run `litemrc sdcard`."""
    from litemrc.device.bundle import Bundle, read_boot_files
    from litemrc.files.fat_image import write_fat_image
    from litemrc.files.outputs import check_output_path

    check_output_path(args.out)
    board, folder = args.board, args.folder
    if args.bundle:
        bundle = Bundle.read(args.bundle)
        board, folder = bundle.board, folder or bundle.boot_files()
    files = read_boot_files(folder or Path("build") / f"{board}-linux" / "boot")
    write_fat_image(args.out, files, label="LITEMRC")
    for name, content in files.items():
        print(f"{name:<20} {len(content):>10,} bytes")
    print(f"{args.out}: an SD card for {board}")
    return 0
