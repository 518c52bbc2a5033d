#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# configure_busybox.sh SOURCE FRAGMENT: enables exactly the options of the fragment.
#
# busybox's kconfig does not support KCONFIG_ALLCONFIG: every other option is switched off by name.
set -eu
unset MAKEFLAGS MAKELEVEL # of a make that calls this
source=$1 fragment=$(realpath "$2")
cd "$source"

# clang reads this pointer, which busybox calls constant and sets once, before it is set: awk would crash.
sed -i 's/^extern struct globals \*const ptr_to_globals;/extern struct globals *ptr_to_globals;/' include/libbb.h
grep -q '^extern struct globals \*ptr_to_globals;' include/libbb.h

make -s allyesconfig >/dev/null 2>&1
awk -F= '
    FNR == NR { if (/^CONFIG_/) wanted[$1]; next }
    /^CONFIG_/ && !($1 in wanted) { print $2 == "y" ? "# " $1 " is not set" : $0 }' "$fragment" .config >.config.new
grep -E '^(# )?CONFIG_' "$fragment" >>.config.new
mv .config.new .config
# Options that appear only now take their defaults; the input is finite, so that no question repeats for ever.
yes '' | head -n 1000 | make -s oldconfig >/dev/null

wrong=$(comm -3 <(grep '^CONFIG_.*=y' "$fragment" | sort) <(grep '^CONFIG_.*=y' .config | sort))
if [ -n "$wrong" ]; then
    printf 'left: lines of %s without effect in busybox; right: options that it enabled in addition:\n%s\n' \
        "$fragment" "$wrong" >&2
    exit 1
fi
