"""Captions with their tokens, as records of several layouts hold them."""

from __future__ import annotations

from annotator.domain.caption import Caption
from annotator.domain.errors import AnnotatorError, FormatError
from annotator.formats.jsonl import Fields


def read_caption(fields: Fields) -> Caption:
    """`caption` with `tokens`, which are cut here where the record has none."""
    text = fields.optional_text("caption")
    if fields.record.get("tokens") is None:
        return Caption.cut(text)
    try:
        return Caption.of_ranges(text, tuple(fields.ranges("tokens")))
    except FormatError:
        raise
    except AnnotatorError as error:
        raise FormatError(f"{fields.where}: {error}") from None
