"""Captions, their tokens, and the two ways to say which tokens are meant: ids and spans."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from annotator.domain.errors import InvalidAnnotation

_TOKEN = re.compile(r"\w+|[^\w\s]")

#: A span that cuts a token takes it in from this share of the token's length on.
MIN_TOKEN_COVER = 0.5


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range [start, end) of Unicode code points, 0 <= start < end."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise InvalidAnnotation(f"span [{self.start}, {self.end}) is empty or inverted")


def cut_tokens(text: str) -> tuple[Span, ...]:
    """The default tokens: maximal runs of word characters, or one other non-space character each."""
    return tuple(Span(found.start(), found.end()) for found in _TOKEN.finditer(text))


@dataclass(frozen=True)
class Caption:
    """A caption's text with its tokens, cut once on import. The text may be empty.

    tokens: ascending, not overlapping, within the text. Raises InvalidAnnotation otherwise.
    """

    text: str
    tokens: tuple[Span, ...]

    def __post_init__(self) -> None:
        end = 0
        for position, token in enumerate(self.tokens):
            if token.end > len(self.text):
                raise InvalidAnnotation(
                    f"token {position} ends at {token.end}, beyond the caption's {len(self.text)} characters; "
                    "give the caption that the tokens were cut from"
                )
            if token.start < end:
                raise InvalidAnnotation(
                    f"token {position} starts at {token.start}, before token {position - 1} ends; "
                    "give tokens in order and without overlap"
                )
            end = token.end

    @classmethod
    def cut(cls, text: str) -> Caption:
        """The caption with its default tokens."""
        return cls(text, cut_tokens(text))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The text of each token."""
        return tuple(self.text[token.start : token.end] for token in self.tokens)

    @cached_property
    def counted(self) -> frozenset[int]:
        """Ids of the tokens that count in the metric: those that are alphanumeric (`str.isalnum`)."""
        return frozenset(position for position, word in enumerate(self.words) if word.isalnum())

    def tokens_in(self, spans: Iterable[Span]) -> frozenset[int]:
        """Ids of the tokens of which the spans together cover at least half.

        Raises InvalidAnnotation for a span that ends beyond the text.
        """
        covered = bytearray(len(self.text))
        for span in spans:
            if span.end > len(self.text):
                raise InvalidAnnotation(
                    f"span [{span.start}, {span.end}) ends beyond the caption's {len(self.text)} characters; "
                    "give the caption that the spans were marked in"
                )
            covered[span.start : span.end] = b"\x01" * (span.end - span.start)
        return frozenset(
            position
            for position, token in enumerate(self.tokens)
            if sum(covered[token.start : token.end]) >= MIN_TOKEN_COVER * (token.end - token.start)
        )

    def spans_of(self, tokens: Iterable[int]) -> tuple[Span, ...]:
        """The fewest spans that cover exactly these tokens: one per run of consecutive ids, in order.

        `tokens_in(spans_of(ids)) == ids` for every set of ids. Raises InvalidAnnotation for an unknown id.
        """
        spans: list[Span] = []
        previous = None
        for position in sorted(set(tokens)):
            if not 0 <= position < len(self.tokens):
                raise InvalidAnnotation(f"token {position} of {len(self.tokens)} does not exist")
            token = self.tokens[position]
            if previous is not None and position == previous + 1:
                spans[-1] = Span(spans[-1].start, token.end)
            else:
                spans.append(token)
            previous = position
        return tuple(spans)
