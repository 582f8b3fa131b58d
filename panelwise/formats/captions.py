"""Captions with their tokens, and unknown keys of figures, as several layouts store them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.files.image_folders import is_caption_name
from panelwise.files.jsonl import Fields

#: Key for unknown keys whose names are used by the layout.
CLASHING = "figure_extra"
#: Characters that a caption is made of at most where only its tokens are given.
_LONGEST = 1_000_000


def read_caption(fields: Fields, *, only_tokens: bool = False, missing: str = "") -> Caption:
    """Return `caption` with `tokens`, or with the default tokens if the record has none.

    only_tokens: accept tokens without a caption; each becomes a word of placeholder letters. missing: the caption
    of a record without one. Raises FormatError if the record has a text by another name of captions instead.
    """
    if not only_tokens and not missing and "caption" not in fields.record:
        for key, value in fields.record.items():
            if is_caption_name(key) and isinstance(value, str) and value.strip():
                raise fields.error("caption", f'is missing, but "{key}" holds a text; name it "caption"')
    text = fields.optional_text("caption") or missing
    if fields.record.get("tokens") is None:
        return Caption.cut(text)
    ranges = tuple(fields.ranges("tokens"))
    if only_tokens and fields.record.get("caption") is None:
        text = words_at(fields, "tokens", ranges)
    try:
        return Caption.of_ranges(text, ranges)
    except AnnotatorError as error:
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
