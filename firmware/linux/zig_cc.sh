#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# C compiler for user space on the SoC: musl, soft float, rv32ima or with BITS=64 rv64ima. PYTHON is the interpreter that has ziglang.
#
# Removes options of busybox that zig's linker does not know; they affect only messages and order.
# Nothing is unwound; the boot would copy the tables for it.
set -eu
kept=()
for argument; do
    case $argument in
    -Wl,--warn-common | -Wl,--verbose | -Wl,-Map,* | -Wl,--sort-*) ;;
    *) kept+=("$argument") ;;
    esac
done
bits=${BITS:-32}
exec "${PYTHON:-python3}" -m ziglang cc -target "riscv$bits-linux-musl" -mcpu="generic_rv$bits+i+m+a" \
    -fno-sanitize=undefined -fno-unwind-tables -fno-asynchronous-unwind-tables "${kept[@]}"
