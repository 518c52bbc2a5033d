"""Dense page numbers in the order of first access."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.native._core import PageNumbers as _PageNumbers
from litemrc.native.arrays import page_array


class PageNumbers:
    """Maps 64-bit page numbers to dense numbers: 0 for the first page seen, 1 for the next, and so on.

    Stack distances do not depend on page numbers, so engines and policies use these as array indices.
    """

    def __init__(self) -> None:
        self._core = _PageNumbers()

    def __len__(self) -> int:
        return self._core.size

    def number(self, pages: ArrayLike) -> NDArray[np.uint32]:
        """Return the numbers of a chunk of accesses, uint32[accesses]; new pages are added.

        Raises:
            UserError: as in `page_array`.
        """
        return self._core.number(page_array(pages))
