# SPDX-License-Identifier: BSD-2-Clause
"""Writes the tables, values and pictures of zhou2004/page.md: `make results-zhou2004`."""

from litemrc_studies.zhou2004.results import allocation, curves, energy, mm, table1, table3, variations

for section in (curves, table1, allocation, mm, variations, table3, energy):
    section.main()
