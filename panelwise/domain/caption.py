"""Captions, their tokens, and the two ways to name tokens: ids and spans."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import lt
from typing import TYPE_CHECKING

from panelwise.domain.errors import InvalidAnnotation

_TOKEN = re.compile(r"\w+|[^\w\s]")

#: A span contains a token if it covers at least this share of the token's length.
MIN_TOKEN_COVER = 0.5


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range [start, end) of Unicode code points, 0 <= start < end."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise InvalidAnnotation(f"span [{self.start}, {self.end}) is empty or inverted")


#: Tokens as (start, end) pairs: cheaper than spans.
Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Caption:
    """A caption's text with its tokens, cut once on import. The text may be empty.

    tokens: ascending, not overlapping, within the text. Raises InvalidAnnotation otherwise.
    """

    text: str
    tokens: tuple[Span, ...]

    def __post_init__(self) -> None:
        _check_ranges(self.text, self.ranges)

    @classmethod
    def cut(cls, text: str) -> Caption:
        """Return the caption with its default tokens: runs of word characters, and other non-space characters."""
        return cls._later(text)

    @classmethod
    def of_ranges(cls, text: str, ranges: Ranges, *, checked: bool = False) -> Caption:
        """Return the caption with the tokens at these (start, end) pairs, validated as tokens are.

        checked: the pairs were validated before; only the first and last are checked.
        """
        if not checked or (ranges and not 0 <= ranges[0][0] < ranges[-1][1] <= len(text)):
            _check_ranges(text, ranges)
        return cls._later(text, ranges)

    @classmethod
    def _later(cls, text: str, ranges: Ranges | None = None) -> Caption:
        """Return a caption whose tokens are made on first use: most captions are only copied from file to file."""
        made = object.__new__(cls)
        object.__setattr__(made, "text", text)
        if ranges is not None:
            object.__setattr__(made, "ranges", ranges)
        return made

    @property
    def uncut(self) -> bool:
        """Return True if the default tokens have not been made yet."""
        return "tokens" not in self.__dict__ and "ranges" not in self.__dict__

    if not TYPE_CHECKING:  # pragma: no branch

        def __getattr__(self, name: str) -> tuple[Span, ...]:
            # Only called for a missing attribute: the tokens of a caption that was made without them.
            if name != "tokens":
                raise AttributeError(name)
            made = tuple(Span(start, end) for start, end in self.ranges)
            self.__dict__["tokens"] = made
            return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Caption):
            return NotImplemented
        return self.text == other.text and ((self.uncut and other.uncut) or self.ranges == other.ranges)

    def __hash__(self) -> int:
        return hash(self.text)

    @cached_property
    def ranges(self) -> Ranges:
        """Return (start, end) of each token."""
        given = self.__dict__.get("tokens")
        if given is not None:
            return tuple((int(token.start), int(token.end)) for token in given)
        return tuple([found.span() for found in _TOKEN.finditer(self.text)])

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Return the text of each token."""
        text = self.text
        return tuple([text[start:end] for start, end in self.ranges])

    @cached_property
    def counted(self) -> frozenset[int]:
        """Return the ids of tokens that count in the metric: the alphanumeric ones (`str.isalnum`)."""
        return frozenset(position for position, word in enumerate(self.words) if word.isalnum())

    def tokens_in(self, spans: Iterable[Span]) -> frozenset[int]:
        """Return the ids of tokens that are at least half covered by the spans together.

        Raises InvalidAnnotation for a span that ends beyond the text.
        """
        united: list[tuple[int, int]] = []
        for span in sorted(spans):
            if span.end > len(self.text):
                raise InvalidAnnotation(
                    f"span [{span.start}, {span.end}) ends beyond the caption's {len(self.text)} characters; "
                    "give the caption that the spans were marked in"
                )
            if united and span.start <= united[-1][1]:
                united[-1] = (united[-1][0], max(united[-1][1], span.end))
            else:
                united.append((span.start, span.end))
        starts, ends = self._edges
        inside: set[int] = set()
        # Only the first and the last token that a span touches may be covered in part.
        cover: dict[int, int] = {}
        for start, end in united:
            first, last = bisect_right(ends, start), bisect_left(starts, end) - 1
            inside.update(range(first, last + 1))
            for token in {first, last} if first <= last else ():
                cover[token] = cover.get(token, 0) + min(end, ends[token]) - max(start, starts[token])
        for token, part in cover.items():
            if part < MIN_TOKEN_COVER * (ends[token] - starts[token]):
                inside.discard(token)
        return frozenset(inside)

    def listed_in(self, spans: Iterable[Span]) -> tuple[int, ...]:
        """Return ids ascending, one in overlapping spans once, as the MedICaT authors' reader makes a set of them.

        A span that is given again stands for ids that are listed again, as other layouts can list them.
        """
        spans = list(spans)
        again = [span for place, span in enumerate(spans) if span in spans[:place]]
        repeated = [token for span in again for token in self.tokens_in([span])]
        return tuple(sorted([*self.tokens_in(spans), *repeated]))

    @cached_property
    def _edges(self) -> tuple[list[int], list[int]]:
        """Return the starts and the ends of all tokens."""
        return [start for start, _ in self.ranges], [end for _, end in self.ranges]

    def spans_of(self, tokens: Iterable[int]) -> tuple[Span, ...]:
        """Return the fewest spans that cover exactly these tokens: one per run of consecutive ids, in order.

        `tokens_in(spans_of(ids)) == ids` for every set of ids. Raises InvalidAnnotation for an unknown id.
        """
        ranges = self.ranges
        spans: list[list[int]] = []
        wanted = sorted(tokens if isinstance(tokens, frozenset) else set(tokens))
        for position in wanted[:1] + wanted[-1:]:
            if not 0 <= position < len(ranges):
                raise InvalidAnnotation(f"token {position} of {len(ranges)} does not exist")
        if wanted and wanted[-1] - wanted[0] + 1 == len(wanted):
            return (Span(ranges[wanted[0]][0], ranges[wanted[-1]][1]),)
        following = None
        for position in wanted:
            start, end = ranges[position]
            if position == following:
                spans[-1][1] = end
            else:
                spans.append([start, end])
            following = position + 1
        return tuple(Span(start, end) for start, end in spans)

    def text_of(self, tokens: Iterable[int]) -> str:
        """Return the words of these tokens as they stand in the caption, their spans joined by a space."""
        return " ".join(self.text[span.start : span.end] for span in self.spans_of(tokens))


def _check_ranges(text: str, ranges: Ranges) -> None:
    bounds = list(chain.from_iterable(ranges))
    if not bounds or (
        bounds[0] >= 0
        and bounds[-1] <= len(text)
        and bounds == sorted(bounds)
        and all(map(lt, bounds[::2], bounds[1::2]))
    ):
        return
    end = 0
    for position, (start, stop) in enumerate(ranges):  # pragma: no branch - one of them is at fault
        token = Span(start, stop)
        if token.end > len(text):
            raise InvalidAnnotation(
                f"token {position} ends at {token.end}, beyond the caption's {len(text)} characters; "
                "give the caption that the tokens were cut from"
            )
        if token.start < end:
            raise InvalidAnnotation(
                f"token {position} starts at {token.start}, before token {position - 1} ends; "
                "give tokens in order and without overlap"
            )
        end = token.end
