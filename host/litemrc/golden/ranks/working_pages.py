"""Pages of the working set by power domain: the top N_mrc of the LRU stacks (zhou2004, section 5.1)."""

from collections.abc import Iterator, Sequence

from litemrc.golden.monitor.group_stack import GroupStack, Move


def find_n_mrc(hits: Sequence[int], epsilon: int) -> int:
    """The smallest size, in page groups and at least 1, beyond which lie but a few of an epoch's hits.

    :param hits: of each page group.
    :param epsilon: the share of the hits that may lie beyond, a fraction of 2^16.
    """
    allowed = (epsilon * sum(hits)) >> 16
    return next(size for size in range(1, len(hits) + 1) if sum(hits[size:]) <= allowed)


class WorkingPages:
    """Counts the pages of the working set; a `MoveListener` that follows a stack engine's moves.

    A page counts iff it lies in the stack of its owner c in a group below N_mrc[c].

    :param pages: pages of the stack engine.
    :param groups: page groups of a stack.
    :param contexts: contexts, each with an N_mrc.
    :param domains: power domains, equal slices of the pages.
    :param engine: look for the pages in its stacks instead; much faster over many operations.
    :ivar n_mrc: for each context, in page groups; at first `groups`: all that was ever touched is working.
    :raises ValueError: if the domains do not divide the pages.
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
        """Put a page where it has gone to.

        :raises ValueError: if it was not where the move says.
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
        """N_mrc of a context from now on; more than there are groups means all of them."""
        self.n_mrc[context] = min(size, self._groups)

    def end_epoch(self, hits: Sequence[Sequence[int]], accesses: Sequence[int], epsilon: int) -> None:
        """Find N_mrc of each context from an epoch's counters; one without accesses keeps its own."""
        for context, (row, made) in enumerate(zip(hits, accesses, strict=True)):
            if made:
                self.n_mrc[context] = find_n_mrc(row, epsilon)

    def top_pages(self) -> list[int]:
        """Pages of the working set in each domain."""
        top = [0] * self.domains
        for page, owner, group in self._pages():
            top[page // self._domain_pages] += group < self.n_mrc[owner]
        return top

    def working(self) -> list[bool]:
        """Whether each domain holds a page of the working set."""
        return [pages > 0 for pages in self.top_pages()]

    def _pages(self) -> Iterator[tuple[int, int, int]]:
        """Every page with its owner and group."""
        if self._engine is None:
            yield from ((page, *place) for page, place in self._places.items())
            return
        for context in range(self._engine.contexts):
            for position, page in enumerate(self._engine.stack(context)):
                yield page, context, position // self._engine.group_pages
