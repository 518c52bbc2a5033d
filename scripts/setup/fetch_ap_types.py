# SPDX-License-Identifier: BSD-2-Clause
"""Bring the Apache-2.0 `ap_int` headers of Vitis HLS to build/ap_types, so that g++ can compile hls/.

The headers travel in the wheel of hls4ml. Only `ap_int.h` and the headers it includes are unpacked,
and only if each carries the Apache licence: the same folder also holds headers that are not freely licensed
(`hls_stream.h`, `ap_shift_reg.h`), which must never be used.

    .venv/bin/python -m scripts.setup.fetch_ap_types      does nothing if the headers are already there
"""

import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

PACKAGE = "hls4ml==1.3.0"
WHEEL_SHA256 = "01bf1de2cd9bca56699b9fe3385cb1735026b022f9580fe1d73faf192dfb90f2"
FOLDER_IN_WHEEL = PurePosixPath("hls4ml/templates/vivado/ap_types")
ROOT_HEADER = "ap_int.h"
LICENCE = "Licensed under the Apache License, Version 2.0"
TARGET = Path(__file__).resolve().parents[2] / "build" / "ap_types"
STAMP = TARGET / "origin.txt"
ORIGIN = f"{PACKAGE} sha256:{WHEEL_SHA256}\n"


class FetchError(Exception):
    """The headers cannot be had, or are not what this script expects."""


def download_wheel(folder: Path) -> Path:
    """Download the pinned wheel into a folder.

    Raises
    ------
    FetchError
        if pip fails, or the file is not the pinned one.
    """
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    if subprocess.run([*pip, "--dest", str(folder), PACKAGE], check=False).returncode:
        raise FetchError(f"pip could not download {PACKAGE}; check the network and pip's index settings")
    wheel = next(folder.glob("*.whl"))
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if digest != WHEEL_SHA256:
        raise FetchError(
            f"{wheel.name} has SHA-256 {digest}, expected {WHEEL_SHA256}; remove it from pip's cache"
        )
    return wheel


def headers_of(wheel: zipfile.ZipFile) -> dict[str, bytes]:
    """The root header and all it includes (by any `#if` branch) that the wheel holds, by name.

    Raises
    ------
    FetchError
        if one of them lacks the Apache licence.
    """
    names = set(wheel.namelist())
    wanted, headers = [ROOT_HEADER], {}
    while wanted:
        name = wanted.pop()
        member = str(FOLDER_IN_WHEEL / name)
        if name in headers or member not in names:
            continue
        headers[name] = wheel.read(member)
        text = headers[name].decode()
        if LICENCE not in "\n".join(text.splitlines()[:20]):
            raise FetchError(f"{member} of {PACKAGE} does not begin with the Apache licence; do not use it")
        wanted += re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, re.MULTILINE)
    if ROOT_HEADER not in headers:
        raise FetchError(f"{PACKAGE} has no {FOLDER_IN_WHEEL / ROOT_HEADER}")
    return headers


def main() -> int:
    """Unpack the headers unless the stamp says that they are there."""
    if STAMP.exists() and STAMP.read_text() == ORIGIN:
        return 0
    try:
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(download_wheel(Path(folder))) as wheel:
            headers = headers_of(wheel)
    except FetchError as error:
        print(f"fetch_ap_types: {error}", file=sys.stderr)
        return 2
    for name, content in headers.items():
        path = TARGET / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    STAMP.write_text(ORIGIN)
    print(f"fetch_ap_types: {len(headers)} headers of {PACKAGE} in {TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
