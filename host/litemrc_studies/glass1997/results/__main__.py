# SPDX-License-Identifier: BSD-2-Clause
"""Writes the tables, values and pictures of glass1997/page.md: `make results-glass1997`."""

from litemrc_studies.glass1997.results import adaptive, alone, causes, faults, further, parameters, together

for section in (alone, faults, causes, parameters, adaptive, together, further):
    section.main()
