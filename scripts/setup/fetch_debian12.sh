#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# fetch_debian12.sh FOLDER busybox | linux-source-6.1: brings a source of Debian 12 there through apt, on any system that has apt.
#
# The machine's own list of sources is neither needed nor changed, and no root: apt's state goes into FOLDER/apt.
# busybox is the source package that is pinned here; linux-source-6.1 is the newest package's file of that name.
# A file that is there already is taken.
set -eu
mkdir -p "$1"
folder=$(realpath "$1")
exec 9>"$folder/lock"
flock 9 # another clone may bring it
what=$2
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
sha256=faeeb244c35a348a334f4a59e44626ee870fb07b6884d68c10ae8bc19f83a694
case $what in
busybox) tarball=$folder/busybox_1.35.0.orig.tar.bz2 ;;
linux-source-6.1) tarball=$folder/linux-source-6.1.tar.xz ;;
*) echo "fetch_debian12: busybox or linux-source-6.1 (got $what)" >&2 && exit 2 ;;
esac

bring() {
    "${apt[@]}" update || return
    if [ "$what" = busybox ]; then
        "${apt[@]}" source --download-only --tar-only busybox >/dev/null && mv "${tarball##*/}" "$tarball"
    else # the file keeps its date, which names the kernels that are built of it
        "${apt[@]}" download linux-source-6.1 &&
            dpkg-deb --fsys-tarfile linux-source-6.1_*.deb | tar -x ./usr/src/linux-source-6.1.tar.xz &&
            mv usr/src/linux-source-6.1.tar.xz "$tarball"
    fi
}

if [ ! -f "$tarball" ]; then
    if ! command -v apt-get >/dev/null || [ ! -f $keyring ]; then
        echo "fetch_debian12: needs apt and the package debian-archive-keyring; or put the file at $tarball" >&2
        exit 2
    fi
    rm -rf "$folder/apt" # of an interrupted run
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
    for suite in "debian bookworm" "debian-security bookworm-security"; do
        cat <<END
Types: deb deb-src
URIs: http://deb.debian.org/${suite% *}
Suites: ${suite#* }
Components: main
Signed-By: $keyring

END
    done >"$folder/apt/debian.sources"
    apt=(apt-get -qq -o "Dir::Etc::SourceList=$folder/apt/debian.sources" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache" -o APT::Sandbox::User=root)
    cd "$folder/apt"
    if ! bring; then
        echo "fetch_debian12: apt could not bring $what; check the network and apt's proxy settings" >&2
        exit 2
    fi
    rm -r "$folder/apt"
fi
if [ "$what" = busybox ] && ! echo "$sha256  $tarball" | sha256sum --check --status; then
    echo "fetch_debian12: $tarball is not busybox 1.35.0 as pinned (SHA-256 $sha256); remove it and try again" >&2
    exit 2
fi
