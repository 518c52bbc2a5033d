"""Trays (Jantz et al. 2013, section 4.2) behind the interface of page allocators, and pages by the thousand.

Hints are numbers below 32,768 that the caller gives uses and colors; 0 says nothing. As `native.placement`,
these trust their arguments.
"""

from litemrc.native._core import Tray, allocate_pages, free_pages

__all__ = ["Tray", "allocate_pages", "free_pages"]
