# SPDX-License-Identifier: BSD-2-Clause
"""The LiteMRC SoC on FPGA boards: one small file a board; pins and clocking are those of litex-boards."""
