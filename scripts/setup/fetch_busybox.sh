#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# fetch_busybox.sh FOLDER: brings busybox's source there, from Debian 12's source package through apt.
#
# The machine's own list of sources is neither needed nor changed, and no root: apt's state goes into FOLDER/apt.
# A file that is there already is taken, if it is the one pinned here.
set -eu
folder=$(realpath "$1")
tarball=$folder/busybox_1.35.0.orig.tar.bz2
sha256=faeeb244c35a348a334f4a59e44626ee870fb07b6884d68c10ae8bc19f83a694
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

if [ ! -f "$tarball" ]; then
    if ! command -v apt-get >/dev/null || [ ! -f $keyring ]; then
        echo "fetch_busybox: needs apt and the package debian-archive-keyring; or put busybox 1.35.0's source at $tarball" >&2
        exit 2
    fi
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
    cat >"$folder/apt/debian.sources" <<END
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: bookworm
Components: main
Signed-By: $keyring
END
    apt=(apt-get -qq -o "Dir::Etc::SourceList=$folder/apt/debian.sources" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache" -o APT::Sandbox::User=root)
    cd "$folder"
    if ! { "${apt[@]}" update && "${apt[@]}" source --download-only --tar-only busybox >/dev/null; }; then
        echo "fetch_busybox: apt could not bring busybox's source; check the network and apt's proxy settings" >&2
        exit 2
    fi
    rm -r "$folder/apt"
fi
if ! echo "$sha256  $tarball" | sha256sum --check --status; then
    echo "fetch_busybox: $tarball is not busybox 1.35.0 as pinned (SHA-256 $sha256); remove it and try again" >&2
    exit 2
fi
