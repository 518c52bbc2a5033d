"""Mattson's LRU stack of objects that differ in size (Mattson et al. 1970), by bytes."""

from collections.abc import Hashable


class LruByteStack:
    """One exact LRU stack of objects with sizes; an object has the size of its latest access."""

    def __init__(self) -> None:
        self._stack: list[tuple[Hashable, int]] = []  # most recently used first

    def access(self, key: Hashable, size: int) -> int | None:
        """Move an object to the top of the stack, with `size` bytes from now on.

        :return: stack distance in bytes, at least 1: the sizes of all objects used since the object's last
            access, and its own size as of now. None if the object was not in the stack.
        """
        distance = None
        for position, (other, _) in enumerate(self._stack):
            if other == key:
                distance = max(sum(bytes_ for _, bytes_ in self._stack[:position]) + size, 1)
                del self._stack[position]
                break
        self._stack.insert(0, (key, size))
        return distance
