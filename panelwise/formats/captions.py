"""Captions with their tokens, and unknown keys of figures, as several layouts store them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from panelwise.domain.caption import Caption, Ranges
from panelwise.domain.errors import FormatError, InvalidAnnotation
from panelwise.files.image_folders import is_caption_name
from panelwise.files.jsonl import Fields

#: Key for unknown keys whose names are used by the layout.
CLASHING = "figure_extra"
#: Characters that a caption is made of at most where only its tokens are given.
_LONGEST = 1_000_000


def read_caption(fields: Fields) -> Caption:
    """Return `caption` with `tokens`, or with the default tokens if the record has none.

    Raises FormatError if the record has a text by another name of captions instead, and for tokens that don't fit.
    """
    if "caption" not in fields.record:
        for key, value in fields.record.items():
            if is_caption_name(key) and isinstance(value, str) and value.strip():
                raise fields.error("caption", f'is missing, but "{key}" holds a text; name it "caption"')
    ranges = None if fields.record.get("tokens") is None else tuple(fields.ranges("tokens"))
    return caption_of(fields, fields.optional_text("caption"), ranges)


def caption_of(fields: Fields, text: str | None, ranges: Ranges | None) -> Caption:
    """Return a caption with its tokens, by default the default ones.

    text: None without a caption; each token becomes a word of placeholder letters. Raises FormatError for tokens
    that don't fit.
    """
    if ranges is None:
        return Caption.cut(text or "")
    try:
        return Caption.of_ranges(words_at(fields, "tokens", ranges) if text is None else text, ranges)
    except InvalidAnnotation as error:
        raise FormatError(f"{fields.where}: {error}") from None


def written_extra(extra: Mapping[str, Any], used: Collection[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a figure's extra keys to write as they are, and those of names that a layout uses, under CLASHING."""
    clashing = {key: value for key, value in extra.items() if key in used}
    return {key: value for key, value in extra.items() if key not in used}, {
        CLASHING: clashing
    } if clashing else {}


def words_at(fields: Fields, key: str, ranges: Sequence[tuple[int, int]]) -> str:
    """Return a text with a word at each of these ranges. key: of the record, for messages."""
    end = max((end for _, end in ranges), default=0)
    if end > _LONGEST:
        raise fields.error(key, f"end at {end}, beyond any caption; give the caption")
    letters = [" "] * max(end, 0)
    for start, stop in ranges:
        letters[max(start, 0) : stop] = "w" * max(stop - max(start, 0), 0)
    return "".join(letters)
