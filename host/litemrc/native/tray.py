"""Trays (Jantz et al. 2013, section 4.2) as a page allocator, and bulk allocation of pages.

Hints are numbers below 32,768 that the caller assigns to uses and colors; 0 is no hint. Arguments are not
checked, as in `native.placement`.
"""

from litemrc.native._core import Tray, allocate_pages, free_pages

__all__ = ["Tray", "allocate_pages", "free_pages"]
