# SPDX-License-Identifier: BSD-2-Clause
"""Estimates the position of a page in its bucket from the order in which a loop empties buckets."""

from dataclasses import dataclass
from typing import Protocol

FULL_CONFIDENCE = 15
TRUSTED = 8  # confidence from which the front is used
VOTES = 6  # votes that make a bucket the front: four hits in a row
STEEPEST = 4  # largest slope, in pages per hit


class Bucket(Protocol):
    """A bucket: its page count and its number; newer buckets have higher numbers."""

    pages: int
    number: int


def fraction_bits(bucket_pages: int) -> int:
    """Return the number of fraction bits of positions and slopes."""
    return min(8, bucket_pages.bit_length() - 1)


@dataclass
class LoopFront:
    """Tracks the loop of one context and estimates the position of a hit page in its bucket.

    Without a loop, a page that is hit in a bucket of n pages is assumed in the middle. A loop accesses the
    pages of a bucket oldest first. The *front* is the bucket that the loop empties; it gets hit after hit.
    When the loop enters the front, the page hit is at the end, n - 1; when the loop leaves it, at the
    beginning. In between, each hit moves the place `slope` pages towards the beginning. The slope is 1 page
    for a loop alone. It is larger if other accesses interleave, because the loop skips pages that it does not
    access. When the loop moves to a newer bucket, the remaining place corrects the slope (least mean squares
    with a gain of about a quarter).

    A hit in the front adds 2 to its confidence, any other hit subtracts 1. Hits in other buckets vote for a
    new front: +2 if the candidate is hit, -1 otherwise. Without votes, the bucket hit becomes the candidate.

    All arithmetic is integer, as in hardware: `place` and `slope` have `fraction_bits` fraction bits.

    Parameters
    ----------
    bucket_pages
        the most pages of a bucket; a power of two.
    """

    bucket_pages: int

    def __post_init__(self) -> None:
        self._fraction = fraction_bits(self.bucket_pages)
        self._slope = 1 << self._fraction
        self.forget()

    def forget(self) -> None:
        """Forget the front and the candidate, as at a renumbering; the slope stays."""
        self._front: Bucket | None = None
        self._candidate: Bucket | None = None
        self._confidence = self._votes = self._place = 0

    def hit(self, bucket: Bucket) -> int:
        """Return the estimated number of newer pages in the bucket, which still counts the page hit."""
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
        if self._place >= -self.bucket_pages << self._fraction:
            self._place -= self._slope
        if self._confidence < TRUSTED:
            return bucket.pages // 2
        return max(0, min(self._place >> self._fraction, bucket.pages - 1))

    def _move(self, bucket: Bucket) -> None:
        if self._front is not None and bucket.number > self._front.number and self._confidence:
            # The remaining place, divided by the hits of a bucket (about bucket_pages / 2), times the gain.
            slope = self._slope + self._place // (2 * self.bucket_pages)
            self._slope = max(1 << self._fraction, min(slope, (STEEPEST << self._fraction) - 1))
        self._front, self._confidence = bucket, TRUSTED
        self._place = bucket.pages << self._fraction
        self._votes = 0
