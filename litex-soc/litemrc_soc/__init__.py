# SPDX-License-Identifier: BSD-2-Clause
"""LiteMRC's own SoCs: simulated, and on boards; `python -m litemrc_soc.boards.ulx3s --build --load`."""
