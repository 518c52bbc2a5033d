"""Pages to reclaim, by hand (Jantz et al. 2013, 8.2)."""

import numpy as np
from litemrc_studies.jantz2013.policies.recycling import Residents, victims


def test_file_pages_go_first_however_recently_they_were_used():
    pages = Residents(
        last_used=np.array([5, 10**15, 3, 10**15 + 1]),
        tray=np.zeros(4, np.int64),
        color=np.zeros(4, np.int64),
        file=np.array([False, True, False, True]),
        pinned=np.zeros(4, bool),
    )
    assert victims(pages, 4).tolist() == [1, 3, 2, 0]
    assert victims(pages, 3).tolist() == [1, 3, 2]
