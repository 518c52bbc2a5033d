#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# boot_files.sh FOLDER: kernel, initramfs, device tree and shim of a board's SoC, built in FOLDER, into FOLDER/boot.
set -eu
folder=$1
mkdir -p "$folder/boot" "$folder/shim"
cp build/linux/Image build/linux/initramfs.cpio "$folder/boot"
make --no-print-directory -f firmware/boot/Makefile PLATFORM=litex CODE=dram SOC="$PWD/$folder" OUT="$PWD/$folder/shim" \
    >"$folder/shim/build.log" 2>&1 || { tail -40 "$folder/shim/build.log"; exit 1; }
cp "$folder/shim/shim.bin" "$folder/boot"
python firmware/linux/devicetree/generate.py --csr "$folder/csr.json" --image "$folder/boot/Image" \
    --initramfs "$folder/boot/initramfs.cpio" --shim "$folder/boot/shim.bin" --out "$folder/boot"
