#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# build_perf.sh KERNEL_TARBALL OUTPUT: perf of the kernel's sources, for rv32 with musl, static: OUTPUT/perf.
#
# Without the libraries that symbols, scripts and the text interface need: `perf stat` counts, `perf list` names events.
set -eu
unset MAKEFLAGS MAKELEVEL PYTHON # perf's make has a PYTHON of its own
tarball=$1 output=$2
here=$(dirname "$(realpath "$0")")
series=$(basename "$tarball" .tar.xz)

mkdir -p "$output/build"
output=$(realpath "$output")
# zig compiles musl once for each cache.
export ZIG_GLOBAL_CACHE_DIR=${ZIG_GLOBAL_CACHE_DIR:-$output/zig-cache} ZIG_LOCAL_CACHE_DIR=${ZIG_LOCAL_CACHE_DIR:-$output/zig-cache}
[ -d "$output/$series/tools/perf" ] ||
    tar --extract --file "$tarball" --directory "$output" --use-compress-program='xz --threads=0' \
        "$series"/{tools,scripts,include/uapi,arch/riscv}
without=$(printf 'NO_%s=1 ' AUXTRACE BACKTRACE DEMANGLE DWARF GTK2 JVMTI LIBBABELTRACE LIBBFD LIBBPF LIBCAP LIBCRYPTO \
    LIBDEBUGINFOD LIBELF LIBNUMA LIBPERL LIBPFM4 LIBPYTHON LIBUNWIND LIBZSTD LZMA NEWT SDT SLANG ZLIB)
# CROSS_COMPILE would make perf's make add options of another target; objects are combined for 32 bits.
# shellcheck disable=SC2086
make -s -j"$(nproc)" -C "$output/$series/tools/perf" O="$output/build" ARCH=riscv CROSS_COMPILE= CC="$here/zig_cc.sh" CXX=false \
    AR=riscv64-linux-gnu-ar LD='riscv64-linux-gnu-ld -melf32lriscv' HOSTCC=gcc HOSTLD=ld HOSTAR=ar LDFLAGS=-static WERROR=0 $without perf
riscv64-linux-gnu-strip -o "$output/perf" "$output/build/perf"
