# SPDX-License-Identifier: BSD-2-Clause
"""Reference strings that bring out what replacement policies differ in."""

from hypothesis import strategies as st

PAGES = 90


@st.composite
def _run(draw) -> list[int]:
    """Pages in a row, forth or back, some left out."""
    low = draw(st.integers(0, PAGES - 1))
    pages = list(range(low, min(PAGES, low + draw(st.integers(1, 40)))))
    holes = draw(st.sets(st.sampled_from(pages), max_size=2))
    pages = [page for page in pages if page not in holes]
    return pages[::-1] if draw(st.booleans()) else pages


_SCATTERED = st.lists(st.integers(0, PAGES - 1), max_size=8)

# Sweeps in both directions, with holes, among random references.
TRACES = (
    st.lists(_run() | _SCATTERED, min_size=1, max_size=14)
    .map(lambda parts: [page for part in parts for page in part])
    .filter(len)
)
