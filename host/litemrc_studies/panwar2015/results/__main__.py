# SPDX-License-Identifier: BSD-2-Clause
"""Writes the tables, values and pictures of panwar2015/page.md: `make results-panwar2015`."""

from litemrc_studies.panwar2015.results import placement, threads

for section in (threads, placement):
    section.main()
