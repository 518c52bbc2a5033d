"""Pages numbered densely in the order of their first access."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litemrc.native._core import PageNumbers as _PageNumbers
from litemrc.native.arrays import page_array


class PageNumbers:
    """Frame numbers for 64-bit page numbers: 0 for the first page seen, 1 for the next one, and so on.

    LRU stacks do not care what pages are called, so engines and policies that want array indices take these.
    """

    def __init__(self) -> None:
        self._core = _PageNumbers()

    def __len__(self) -> int:
        return self._core.size

    def number(self, pages: ArrayLike) -> NDArray[np.uint32]:
        """The numbers of a chunk of accesses, uint32[accesses]; pages not seen before enter.

        Raises:
            UserError: as `page_array`.
        """
        return self._core.number(page_array(pages))
