# SPDX-License-Identifier: BSD-2-Clause
"""The devices of a command line: their ports by name, their labels, and their bundles."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import serial

from litemrc.device.bridge.layout import BridgeURL
from litemrc.device.link.http_link import check_url as check_http_url
from litemrc.errors import UserError

NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
ONLY_NAME = "device"  # of a bare URL
_NAMED = re.compile(rf"({NAME.pattern})=(.+)", re.DOTALL)
_LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


def parse_ports(texts: list[str]) -> dict[str, str]:
    """Return URLs by name of `NAME=URL` texts; a single bare URL has the name "device".

    Raises
    ------
    UserError
        a name is missing, given twice, or has other characters than letters, digits and `_.-`.
    """
    ports: dict[str, str] = {}
    for text in texts:
        named = _NAMED.fullmatch(text)
        name, url = named.groups() if named else (ONLY_NAME, text)
        if not named and len(texts) > 1:
            what = "of several devices each needs a name of letters, digits and _.-"
            raise UserError(what, where=f"--port {text}", remedy=f"write --port NAME={text}")
        if name in ports:
            raise UserError(f"two devices are called {name}", where=f"--port {text}", remedy="rename one")
        ports[name] = url
    return ports


def parse_labels(texts: list[str], names: list[str]) -> dict[str, dict[str, str]]:
    """Return the labels of each device of `NAME:KEY=VALUE` texts.

    Raises
    ------
    UserError
        it is not written like that, or no device has that name.
    """
    labels: dict[str, dict[str, str]] = {name: {} for name in names}
    for text in texts:
        name, colon, pair = text.partition(":")
        key, equals, value = pair.partition("=")
        if not (colon and equals and value and _LABEL.fullmatch(key)) or len(value) > 200:
            remedy = "write NAME:KEY=VALUE; a key has letters, digits and _"
            raise UserError("not a label of a device", where=f"--label {text}", remedy=remedy)
        if key == "name":
            what = "the label `name` has a meaning already: contexts of that name are merged by it"
            raise UserError(what, where=f"--label {text}", remedy="call it otherwise")
        if name not in labels:
            what = f"no device is called {name}"
            raise UserError(what, where=f"--label {text}", remedy=f"there are: {', '.join(names)}")
        labels[name][key] = value
    return labels


def parse_bundles(texts: list[str], names: list[str]) -> dict[str, Path]:
    """Return folders of bundles by name of a device, of `NAME=FOLDER` texts; a bare folder is that of all.

    Raises
    ------
    UserError
        no device has that name, or a device has two bundles.
    """
    bundles: dict[str, Path] = {}
    for text in texts:
        named = _NAMED.fullmatch(text)
        if named and named[1] not in names:
            remedy = f"there are: {', '.join(names)}; for a folder of that name write ./{text}"
            raise UserError(f"no device is called {named[1]}", where=f"--bundle {text}", remedy=remedy)
        for name in [named[1]] if named else names:
            if name in bundles:
                what = f"{name} has another bundle already"
                raise UserError(what, where=f"--bundle {text}", remedy="write NAME=FOLDER for each device")
            bundles[name] = Path(named[2] if named else text)
    return bundles


def check_url(url: str) -> None:
    """Check what can be known of a URL while the device may still be off.

    Raises
    ------
    UserError
        no link can ever be opened by it.
    """
    scheme = url.partition("://")[0] if "://" in url else ""
    if scheme == "litex":
        BridgeURL.parse(url)
    elif scheme in ("http", "https"):
        check_http_url(url)
    else:
        try:
            serial.serial_for_url(url, do_not_open=True)
            parts = urlsplit(url)
            complete = scheme not in ("socket", "rfc2217") or (parts.hostname and parts.port)
        except ValueError as error:
            raise UserError(f"not a port: {error}", where=f"--port {url}", remedy=_PORTS) from error
        if not complete:
            raise UserError("the URL lacks a host or a port number", where=f"--port {url}", remedy=_PORTS)


_PORTS = "name a device file, socket://HOST:PORT, litex://HOST:PORT?csr=FILE, or http://HOST:PORT/NAME"
