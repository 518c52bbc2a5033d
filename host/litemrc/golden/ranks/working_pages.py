# SPDX-License-Identifier: BSD-2-Clause
"""Working-set pages of each power domain: the top N_mrc of the LRU stacks (zhou2004, section 5.1)."""

from collections.abc import Iterator, Sequence

from litemrc.golden.monitor.group_stack import GroupStack, Move


def find_n_mrc(hits: Sequence[int], epsilon: int) -> int:
    """Return the smallest size, in page groups and at least 1, that covers all but `epsilon` of the hits.

    Parameters
    ----------
    hits
        hit counter of each page group in an epoch.
    epsilon
        share of the hits that may lie beyond the size, in units of 2^-16.
    """
    allowed = (epsilon * sum(hits)) >> 16
    return next(size for size in range(1, len(hits) + 1) if sum(hits[size:]) <= allowed)


class WorkingPages:
    """Counts the pages of the working set from a stack engine's moves; a `MoveListener`.

    A page is counted if and only if its group in the stack of its owner c is below N_mrc[c].

    Parameters
    ----------
    pages
        pages of the stack engine.
    groups
        page groups of a stack.
    contexts
        contexts; each has an N_mrc.
    domains
        power domains, equal slices of the pages.
    engine
        the pages are read from its stacks instead of moves; much faster over many operations.

    Raises
    ------
    ValueError
        if the domains do not divide the pages.
    :ivar n_mrc: N_mrc of each context, in page groups; initially `groups`, so all touched pages count.
    """

    def __init__(
        self, pages: int, groups: int, contexts: int, domains: int, engine: GroupStack | None = None
    ) -> None:
        if domains < 1 or pages % domains:
            raise ValueError(f"working pages: {domains} domains do not divide {pages} pages")
        self.domains, self._groups, self._domain_pages = domains, groups, pages // domains
        self.n_mrc = [groups] * contexts
        self._engine = engine
        self.clear()

    def move(self, move: Move) -> None:
        """Move a page to its new group.

        Raises
        ------
        ValueError
            if the page was not in the move's old group.
        """
        place = self._places.pop(move.page, (move.context, None))
        if place != (move.context, move.from_group):
            raise ValueError(f"working pages: {move}, but the page's owner and group are {place}")
        if move.to_group is not None:
            self._places[move.page] = (move.context, move.to_group)

    def clear(self) -> None:
        """Forget all pages; N_mrc stays."""
        self._places: dict[int, tuple[int, int]] = {}

    def set_n_mrc(self, context: int, size: int) -> None:
        """Set N_mrc of a context, limited to the number of groups."""
        self.n_mrc[context] = min(size, self._groups)

    def end_epoch(self, hits: Sequence[Sequence[int]], accesses: Sequence[int], epsilon: int) -> None:
        """Find N_mrc of each context from an epoch's counters; without accesses it stays."""
        for context, (row, made) in enumerate(zip(hits, accesses, strict=True)):
            if made:
                self.n_mrc[context] = find_n_mrc(row, epsilon)

    def top_pages(self) -> list[int]:
        """Return the number of working-set pages in each domain."""
        top = [0] * self.domains
        for page, owner, group in self._pages():
            top[page // self._domain_pages] += group < self.n_mrc[owner]
        return top

    def working(self) -> list[bool]:
        """Return for each domain whether it holds a page of the working set."""
        return list(map(bool, self.top_pages()))

    def _pages(self) -> Iterator[tuple[int, int, int]]:
        """Yield every page with its owner and group."""
        if self._engine is None:
            yield from ((page, *place) for page, place in self._places.items())
            return
        for context in range(self._engine.contexts):
            for position, page in enumerate(self._engine.stack(context)):
                yield page, context, position // self._engine.group_pages
