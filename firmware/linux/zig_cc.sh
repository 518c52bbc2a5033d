#!/usr/bin/env bash
# C compiler for user space on the SoC: musl, rv32ima, soft float. PYTHON names the one that has ziglang.
#
# zig's linker knows none of the options dropped here (busybox gives them; they change nothing but messages and order).
set -eu
kept=()
for argument; do
    case $argument in
    -Wl,--warn-common | -Wl,--verbose | -Wl,-Map,* | -Wl,--sort-*) ;;
    *) kept+=("$argument") ;;
    esac
done
exec "${PYTHON:-python3}" -m ziglang cc -target riscv32-linux-musl -mcpu=generic_rv32+i+m+a \
    -fno-sanitize=undefined "${kept[@]}"
