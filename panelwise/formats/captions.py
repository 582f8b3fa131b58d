"""Captions with their tokens, as records of several layouts hold them."""

from __future__ import annotations

from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.files.jsonl import Fields

#: Characters that a caption is made of at most where only its tokens are given.
_LONGEST = 1_000_000


def read_caption(fields: Fields, *, only_tokens: bool = False) -> Caption:
    """`caption` with `tokens`, which are cut here where the record has none.

    only_tokens: tokens may come without a caption; each is then a word, whose letters stand for unknown ones.
    """
    text = fields.optional_text("caption")
    if fields.record.get("tokens") is None:
        return Caption.cut(text)
    ranges = tuple(fields.ranges("tokens"))
    if only_tokens and fields.record.get("caption") is None:
        text = _words_at(fields, ranges)
    try:
        return Caption.of_ranges(text, ranges)
    except AnnotatorError as error:
        raise FormatError(f"{fields.where}: {error}") from None


def _words_at(fields: Fields, ranges: tuple[tuple[int, int], ...]) -> str:
    """A text with a word at each of these places."""
    end = max((end for _, end in ranges), default=0)
    if end > _LONGEST:
        raise fields.error("tokens", f"end at {end}, beyond any caption; give the caption")
    letters = [" "] * max(end, 0)
    for start, stop in ranges:
        letters[max(start, 0) : stop] = "w" * max(stop - max(start, 0), 0)
    return "".join(letters)
