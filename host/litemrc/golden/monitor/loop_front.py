"""Where in its bucket a page lies, learnt from the order in which a loop empties buckets."""

from dataclasses import dataclass
from typing import Protocol

FULL_CONFIDENCE = 15
TRUSTED = 8  # confidence from which the front is believed
VOTES = 6  # that make a bucket the front: four hits without another
STEEPEST = 4  # pages a hit


class Bucket(Protocol):
    """What is asked of a bucket: its pages, and its number, which grows from bucket to newer bucket."""

    pages: int
    number: int


def fraction_bits(group_pages: int) -> int:
    """Bits behind the point of positions and slopes."""
    return min(8, group_pages.bit_length() - 1)


@dataclass
class LoopFront:
    """One context's guess of where its loop is, and what it says of a page's place in a bucket.

    A page that is hit in a bucket of n pages lies in its middle, if nothing more is known. A loop touches the
    pages of a bucket oldest first: so the *front*, the bucket that it empties, is known by getting hit after
    hit. When the loop enters the front, its page lies at the end, n - 1; as it leaves, at the beginning; in
    between each hit brings the place `slope` pages nearer. The slope is 1 page for a loop alone. Beside other
    accesses it is more, as the loop passes over pages that it does not touch: what is left of the place when
    the loop goes on to a newer bucket corrects the slope, least mean squares with a gain of about a quarter.

    A hit in the front adds 2 to the confidence in it, any other hit takes 1. Hits elsewhere vote for another
    front: 2 for the candidate, -1 if it is not hit; without votes, the bucket hit becomes the candidate.

    All is integer arithmetic, as in hardware: `place` and `slope` have `fraction_bits` bits behind the point.

    :param group_pages: pages of a group; a power of two.
    """

    group_pages: int

    def __post_init__(self) -> None:
        self._fraction = fraction_bits(self.group_pages)
        self._slope = 1 << self._fraction
        self.forget()

    def forget(self) -> None:
        """Buckets get new numbers; the slope stays."""
        self._front: Bucket | None = None
        self._candidate: Bucket | None = None
        self._confidence = self._votes = self._place = 0

    def hit(self, bucket: Bucket) -> int:
        """Estimate the pages newer than the page just hit in its own bucket, in which it still counts."""
        if bucket is self._front:
            return self._advance(bucket)
        self._confidence = max(0, self._confidence - 1)
        if bucket is self._candidate:
            self._votes += 2
        elif self._votes:
            self._votes -= 1
        else:
            self._candidate, self._votes = bucket, 1
        if self._votes < VOTES:
            return bucket.pages // 2
        self._move(bucket)
        return bucket.pages - 1

    def _advance(self, bucket: Bucket) -> int:
        self._confidence = min(FULL_CONFIDENCE, self._confidence + 2)
        self._votes = 0
        if self._place >= -self.group_pages << self._fraction:
            self._place -= self._slope
        if self._confidence < TRUSTED:
            return bucket.pages // 2
        return max(0, min(self._place >> self._fraction, bucket.pages - 1))

    def _move(self, bucket: Bucket) -> None:
        if self._front is not None and bucket.number > self._front.number and self._confidence:
            # What is left, over the hits of a bucket (about group_pages / 2), times the gain.
            slope = self._slope + self._place // (2 * self.group_pages)
            self._slope = max(1 << self._fraction, min(slope, (STEEPEST << self._fraction) - 1))
        self._front, self._confidence = bucket, TRUSTED
        self._place = bucket.pages << self._fraction
        self._votes = 0
