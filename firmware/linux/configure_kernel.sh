#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# configure_kernel.sh SOURCE OUTPUT FRAGMENT...: allnoconfig plus the fragments; later fragments override earlier ones.
#
# Fails if an option of a fragment does not take effect: dependencies differ between kernel versions.
set -eu
unset MAKEFLAGS MAKELEVEL # of a make that calls this
source=$1 output=$2
shift 2

mkdir -p "$output"
option='function option(line) { sub(/^# /, "", line); sub(/[= ].*/, "", line); return line }'
awk "$option"' /^(# )?CONFIG_/ { last[option($0)] = $0 } END { for (o in last) print last[o] }' "$@" >"$output/fragment"
make -s -C "$source" O="$output" ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- \
    KCONFIG_ALLCONFIG="$output/fragment" allnoconfig

wrong=$(awk "$option"'
    /^(# )?CONFIG_/ && FNR == NR { wanted[option($0)] = $0; next }
    /^(# )?CONFIG_/ { found[option($0)] = $0 }
    END {
        for (o in wanted)
            if (o in found ? wanted[o] != found[o] : wanted[o] !~ /is not set$/)
                print "  " wanted[o]
    }' "$output/fragment" "$output/.config")
if [ -n "$wrong" ]; then
    echo "these lines of $* have no effect in this kernel: a dependency is missing, or selects another value" >&2
    echo "$wrong" >&2
    exit 1
fi
